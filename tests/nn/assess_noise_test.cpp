// leeway assess --model: predictions under noise. With Jacobians: tests/apps.
#include <gmock/gmock.h>

#include "leeway/core/npy.h"
#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway::assess_noise_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AssessNoise : public Command {
 protected:
  // A linear model and its outputs o.npz on 60 images, made once a process.
  void SetUp() override {
    Command::SetUp();
    if (IsSkipped()) return;
    static std::string model, outputs;
    if (!model.empty()) {
      images(60);
      std::ofstream(path("m.safetensors"), std::ios::binary) << model;
      std::ofstream(path("o.npz"), std::ios::binary) << outputs;
      return;
    }
    good("train --data " + images(60) +
         " --arch linear --epochs 20 --lr 0.01 --threads 1 --out m.safetensors --quiet");
    good("infer --model m.safetensors --data data.npz --out o.npz --quiet");
    model = text_of(path("m.safetensors")), outputs = text_of(path("o.npz"));
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
  EXPECT_THAT(out(), HasSubstr("Every method at every σ"));
  const Json noise = read_record(path("r.json")).at("average_case").at(0);
  EXPECT_EQ(noise.at("model"), "cnn");
  EXPECT_EQ(noise.at("n"), 40);
  EXPECT_EQ(noise.at("disagreement"), 0);
  ASSERT_EQ(noise.at("results").size(), 6U);  // taylor, mmse, softmax at two sigmas
  EXPECT_THAT(text_of(path("r.html")), HasSubstr("<section id=\"noise-1\""));
}

TEST_F(AssessNoise, WarnsOfAModelThatSaysOtherThingsThanTheOutputs) {
  ASSERT_EQ(
      assess({"--model", path("m.safetensors"), "--sigma", "0.1", "--json", "--mean", "5", "--std", "0.01"}),
      0)
      << err();
  EXPECT_THAT(err(), HasSubstr("predicts a different class than "));
  const Json noise = Json::parse(out()).at("average_case").at(0);
  EXPECT_GT(noise.at("disagreement"), .01);
}

TEST_F(AssessNoise, RefusesAModelOfOtherClasses) {
  write_npz(path("two.npz"), {{"logits", make_array<float>({60, 2}, std::vector<float>(120, 1))}});
  EXPECT_EQ(call("assess --source two.npz --target same=two.npz --images data.npz --model m.safetensors "
                 "--sigma 1 --no-bounds"),
            3);
  EXPECT_THAT(err(), AllOf(HasSubstr("two.npz"), HasSubstr("found 3")));
}

}  // namespace leeway::assess_noise_test
