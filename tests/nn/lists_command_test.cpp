// Lists of models, sets, attacks and radii, and rows of a split, in the commands that run models.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "leeway/core/npy.h"
#include "leeway/core/result.h"
#include "leeway/record/attack.h"
#include "leeway/record/json.h"
#include "tests/nn/command_fixture.h"

namespace leeway::lists_command_test {

using ::testing::HasSubstr;

// Two models, two attacks and two radii: eight sets, each as it is alone.
TEST_F(Command, AttacksAndInferTakeLists) {
  const std::string model = trained(), other = path("other.safetensors");
  std::filesystem::copy_file(model, other);
  const std::string out_pattern = path("{model}-{attack}-{eps}.npz");
  good("attack --model " + model + " " + other +
       " --data data.npz --attack fgsm,pgd --eps 16/255,64/255 --out " + out_pattern +
       " --report page.html --json");
  const Json record = Json::parse(out());
  ASSERT_EQ(record.at("results").size(), 8U);
  const Json third = record.at("results").at(2);
  EXPECT_EQ(third.at("attack"), "pgd");
  EXPECT_EQ(third.at("eps"), 16. / 255);
  EXPECT_EQ(third.at("out"), path("m-pgd-16-255.npz"));
  EXPECT_LT(record.at("results").at(3).at("robust_accuracy"), third.at("robust_accuracy"));
  EXPECT_EQ(record::to_json(record::record_from<record::Attack>(record, "r.json")), record);
  good("attack --model " + model + " --data data.npz --eps 16/255 --out alone.npz --json");
  EXPECT_EQ(text_of(path("alone.npz")), text_of(path("m-pgd-16-255.npz")));
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("robust_accuracy"), third.at("robust_accuracy"));
  EXPECT_EQ(call("attack --model " + model + " --data data.npz --eps 1/255,2/255 --out a.npz"), 2);
  EXPECT_THAT(err(), HasSubstr("a-{attack}-{eps}.npz"));
  good("infer --model " + model + " " + other +
       " --data data.npz m-pgd-16-255.npz --out {data}-of-{model}.npz");
  EXPECT_THAT(out(), HasSubstr("m-pgd-16-255-of-other.npz"));
  EXPECT_TRUE(std::filesystem::exists(path("data-of-m.npz")));
}

// The rows that a split calls test, in every command that reads images.
TEST_F(Command, ASplitChoosesTheRows) {
  const std::string model = trained();
  std::ofstream split(path("split.csv"));
  split << "index,split\n";
  for (int i = 0; i < 300; ++i) split << i << (i < 290 ? ",train\n" : ",test\n");
  split.close();
  const auto chosen = [&](std::vector<std::string> words, const std::string& out, bool test_alone = true) {
    words.insert(words.end(), {"--data", path("data.npz"), "--index", path("split.csv"), "--out", path(out)});
    if (test_alone) words.insert(words.end(), {"--split", "test"});
    return run(words);
  };
  EXPECT_EQ(chosen({"attack", "--model", model, "--attack", "fgsm"}, "a.npz", false), 2);
  EXPECT_THAT(err(), HasSubstr("--split"));
  EXPECT_EQ(chosen({"attack", "--model", model, "--attack", "fgsm"}, "a.npz"), 0);
  EXPECT_EQ(chosen({"shift", "gaussian-noise"}, "s.npz"), 0);
  EXPECT_EQ(chosen({"average-case", "--model", model, "--sigma", ".1", "--methods", "softmax"}, "p.npz"), 0);
  EXPECT_EQ(chosen({"infer", "--model", model}, "i.npz", false), 0);  // without --split: all rows
  for (const char* const file : {"a.npz", "s.npz"})
    EXPECT_EQ(read_npz(path(file)).at("x").shape.at(0), 10U) << file;
  EXPECT_EQ(read_npz(path("p.npz")).at("softmax").shape.at(0), 10U);
  EXPECT_EQ(read_npz(path("i.npz")).at("logits").shape.at(0), 300U);
}

// Training measures the rows called test, adapt takes them alone.
TEST_F(Command, TrainAndAdaptTakeTheRowsOfASplit) {
  const std::string data = images(60), model = path("t.safetensors");
  std::ofstream split(path("split.csv"));
  split << "index,split\n";
  for (int i = 0; i < 60; ++i) split << i << (i < 20 ? ",train\n" : i < 40 ? ",val\n" : ",test\n");
  split.close();
  const auto train = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"train", "--data", data, "--arch", "small-cnn-bn", "--epochs", "1", "--out",
                                 model, "--quiet"});
    return run(words);
  };
  EXPECT_EQ(train({"--test-rows"}), 2);
  ASSERT_EQ(train({"--test-rows", "--index", path("split.csv")}), 0) << err();
  EXPECT_THAT(out(), AllOf(HasSubstr("Every epoch"), HasSubstr("Of 20 test images, ")));
  std::vector<std::size_t> rows(20);
  std::iota(rows.begin(), rows.end(), 40);
  write_images(path("some.npz"), select_rows(read_images(data), rows));
  const auto adapted = [&](const std::string& from, std::vector<std::string> words) {
    words.insert(words.begin(), {"adapt", "--model", model, "--data", from, "--out", path("a.safetensors")});
    EXPECT_EQ(run(words), 0) << err();
    return text_of(path("a.safetensors"));
  };
  EXPECT_EQ(adapted(data, {"--index", path("split.csv"), "--split", "test"}), adapted(path("some.npz"), {}));
}

}  // namespace leeway::lists_command_test
