// A model of train --crop: commands that take models say that they take the middle of larger images.
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::HasSubstr;

class CroppedModelsTier2 : public Command {};

TEST_F(CroppedModelsTier2, TakeTheMiddleOfLargerImages) {
  const std::string data = images(60), model = path("m.safetensors");
  ASSERT_EQ(run({"train", "--data", data, "--arch", "small-cnn-bn", "--crop", "6", "--epochs", "1", "--out",
                 model}),
            0)
      << err();
  write_images(path("middle.npz"), middle_of(read_images(data), 6));
  ASSERT_EQ(run({"infer", "--model", model, "--data", path("middle.npz"), "--out", path("a.npz")}), 0)
      << err();
  EXPECT_THAT(err(), testing::Not(HasSubstr("the middle")));
  const std::vector<std::vector<std::string>> commands = {
      {"infer", "--model", model, "--data", data, "--out", path("b.npz")},
      {"attack", "--model", model, "--data", data, "--steps", "1", "--out", path("adversarial.npz")},
      {"average-case", "--model", model, "--data", data, "--sigma", ".1", "--methods", "softmax"}};
  for (const auto& arguments : commands) {
    EXPECT_EQ(run(arguments), 0) << err();
    EXPECT_THAT(err(), HasSubstr("the middle 6 x 6 pixels are taken of 8 x 8")) << arguments.front();
  }
  EXPECT_THAT(read_outputs(path("b.npz")).logits.view<float>(),
              testing::ElementsAreArray(read_outputs(path("a.npz")).logits.view<float>()));
  EXPECT_EQ(read_images(path("adversarial.npz")).height(), 6U);
}

}  // namespace
}  // namespace leeway
