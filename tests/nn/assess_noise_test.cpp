// leeway assess --model: predictions under noise. With Jacobians: tests/apps.
#include <gmock/gmock.h>

#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class AssessNoise : public Command {
 protected:
  // A linear model, its outputs o.npz on 60 images, and those of another shift, s.npz.
  void SetUp() override {
    Command::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(run({"train", "--data", images(60), "--arch", "linear", "--epochs", "20", "--lr", "0.01",
                   "--threads", "1", "--out", path("m.safetensors"), "--quiet"}),
              0)
        << err();
    ASSERT_EQ(run({"infer", "--model", path("m.safetensors"), "--data", path("data.npz"), "--out",
                   path("o.npz"), "--quiet"}),
              0)
        << err();
  }

  int assess(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {
        "assess",   "--source",       "cnn=" + path("o.npz"), "--target", "same=" + path("o.npz"),
        "--images", path("data.npz"), "--no-bounds"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(AssessNoise, OfAModelIsInTheRecordTheTableAndThePage) {
  ASSERT_EQ(assess({"--model", path("m.safetensors"), "--sigma", "0.1,1", "--survival-rows", "40", "--out",
                    path("r.json"), "--report", path("r.html")}),
            0)
      << err();
  EXPECT_THAT(out(), Not(HasSubstr("predicts another class")));
  EXPECT_THAT(out(), AllOf(HasSubstr("Predictions under noise of standard deviation sigma"),
                           HasSubstr("40 of 60  mmse        1 ")));
  const Json record = read_record(path("r.json"));
  ASSERT_EQ(record.at("average_case").size(), 1U);
  const Json& noise = record["average_case"][0];
  EXPECT_EQ(noise.at("model"), "cnn");
  EXPECT_EQ(noise.at("from"), "model");
  EXPECT_EQ(noise.at("n"), 40);
  EXPECT_EQ(noise.at("source_n"), 60);
  EXPECT_EQ(noise.at("disagreement"), 0);
  EXPECT_EQ(noise.at("leading"), "mmse");
  EXPECT_EQ(noise.at("classes_are"), "labels");
  ASSERT_EQ(noise.at("results").size(), 6U);  // taylor, mmse, softmax at two sigmas
  // of a linear model both are exact
  EXPECT_NEAR(noise["results"][1].at("mean").get<double>(), noise["results"][3].at("mean").get<double>(),
              1e-3);
  EXPECT_LT(noise["results"][1].at("mean"), noise["results"][0].at("mean"));

  EXPECT_THAT(text_of(path("r.html")),
              AllOf(HasSubstr("<section id=\"noise-1\""), HasSubstr("class=\"ranked\"")));
  ASSERT_EQ(run({"report", path("r.json"), "--images", path("data.npz"), "--out", path("again.html")}), 0)
      << err();
  EXPECT_EQ(text_of(path("r.html")), text_of(path("again.html")));
}

TEST_F(AssessNoise, WarnsOfAModelThatSaysOtherThingsThanTheOutputs) {
  ASSERT_EQ(
      assess({"--model", path("m.safetensors"), "--sigma", "0.1", "--json", "--mean", "5", "--std", "0.01"}),
      0)
      << err();
  EXPECT_THAT(err(), AllOf(HasSubstr("leeway: cnn: "), HasSubstr("predicts another class than "),
                           HasSubstr("% of the source's first 60 rows"), HasSubstr("normalization")));
  const Json noise = Json::parse(out()).at("average_case").at(0);
  EXPECT_GT(noise.at("disagreement"), .01);
  EXPECT_EQ(noise.at("warnings").size(), 1U);
}

TEST_F(AssessNoise, RefusesAModelOfOtherClassesAndTheUseOfImagesForNothing) {
  ArrayMap two = read_npz(path("o.npz"));
  two = {{"logits", make_array<float>({60, 2}, std::vector<float>(120, 1))}};
  write_npz(path("two.npz"), two);
  EXPECT_EQ(run({"assess", "--source", path("two.npz"), "--target", "same=" + path("two.npz"), "--images",
                 path("data.npz"), "--model", path("m.safetensors"), "--sigma", "1", "--no-bounds"}),
            3);
  EXPECT_EQ(err(), "leeway: " + path("m.safetensors") + ": expected 2 classes as in " + path("two.npz") +
                       ", found 3\n");
  EXPECT_EQ(assess({"--model", path("absent.pt"), "--sigma", "1"}), 3);
  EXPECT_THAT(err(), AllOf(HasSubstr("absent.pt"), EndsWith("\n")));
}

TEST_F(AssessNoise, ClassesHaveTheNamesThatTheImagesGiveThem) {
  ArrayMap arrays = read_npz(path("data.npz"));
  arrays["class_names"] = make_text_array({3}, {"ash", "oak", "elm"});
  write_npz(path("named.npz"), arrays);
  ASSERT_EQ(run({"average-case", "--model", path("m.safetensors"), "--data", path("named.npz"), "--sigma",
                 "0.1", "--methods", "taylor", "--rows", "20", "--json"}),
            0)
      << err();
  EXPECT_EQ(Json::parse(out()).at("class_bias").at(0).at("classes").at(1).at("name"), "oak");
  ASSERT_EQ(run({"infer", "--model", path("m.safetensors"), "--data", path("named.npz"), "--out",
                 path("n.npz"), "--quiet"}),
            0)
      << err();
  EXPECT_EQ(*read_npz(path("n.npz")).at("class_names").texts,
            (std::vector<std::string>{"ash", "oak", "elm"}));
}

}  // namespace
}  // namespace leeway
