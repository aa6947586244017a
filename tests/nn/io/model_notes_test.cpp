#include "leeway/nn/io/model_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/message_of.h"

namespace leeway::nn::model_notes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ModelNotesFile, SaysAllThatItMay) {
  const ModelNotes notes = parse_notes(
      "arch = 'resnet20-cifar'\nscale = 255\nmean = [0.5, 1]\nstd = [2, 0.25]\ninput = [2, 32, 16]\n"
      "classes = ['cat', 'dog', 'owl']\n",
      "m.toml");
  EXPECT_EQ(notes.path, "m.toml");
  EXPECT_EQ(notes.architecture, "resnet20-cifar");
  EXPECT_EQ(notes.scale, 255);
  EXPECT_THAT(*notes.mean, ElementsAre(.5, 1));
  EXPECT_THAT(*notes.std, ElementsAre(2, .25));
  EXPECT_EQ(notes.input, (InputShape{2, 32, 16}));
  EXPECT_EQ(notes.classes, 3U);
  EXPECT_THAT(notes.class_names, ElementsAre("cat", "dog", "owl"));
}

TEST(ModelNotesFile, MayBeEmptyOrNumberItsClasses) {
  const ModelNotes empty = parse_notes("", "m.toml");
  EXPECT_FALSE(empty.scale || empty.mean || empty.std || empty.input.known());
  EXPECT_EQ(empty.classes, 0U);
  const ModelNotes number = parse_notes("classes = 1000", "m.toml");
  EXPECT_EQ(number.classes, 1000U);
  EXPECT_TRUE(number.class_names.empty());
}

TEST(ModelNotesFile, RefusesWhatMakesNoSense) {
  const auto message = [](const std::string& text) {
    return message_of([&] { (void)parse_notes(text, "m.toml"); });
  };
  EXPECT_EQ(message("\nmeans = [1]"),
            "m.toml: line 2, column 1: expected one of arch, scale, mean, std, input, classes, found means "
            "(nearest: mean)");
  EXPECT_THAT(message("[model]\narch = 'linear'"), HasSubstr("found [model] arch"));
  for (const char* const text :
       {"arch = ['a']", "scale = [1]", "scale = 'x'", "scale = inf", "mean = 1", "mean = []", "std = ['a']",
        "input = []", "input = [1, 2, 3, 4]", "input = [1, 2, 0]", "input = [1, 2, 2.5]",
        "input = [1, 2, 1e9]", "input = 3", "classes = 1", "classes = ['a']", "classes = true",
        "classes = -4", "classes = 1e300"})
    EXPECT_THAT(message(text), HasSubstr("m.toml: line 1, column 1: expected ")) << text;
  EXPECT_THAT(message("mean = [nan]"), HasSubstr("m.toml: line 1"));
}

TEST(ModelNotesFile, LiesBesideTheModelUnderItsWholeName) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("leeway-notes-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(notes_beside(folder / "m.th").path.empty());
  std::ofstream(folder / "m.th.toml") << "scale = 2\n";
  EXPECT_EQ(notes_beside(folder / "m.th").scale, 2);
  EXPECT_EQ(notes_beside(folder / "m.th").path, (folder / "m.th.toml").string());
  EXPECT_TRUE(notes_beside(folder / "m").path.empty());
  std::filesystem::remove_all(folder);
}

}  // namespace leeway::nn::model_notes_test
