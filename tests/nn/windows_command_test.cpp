// A model of train --crop under every command that takes models, from outside.
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::HasSubstr;

TEST_F(Command, AModelOfWindowsTakesTheMiddleOfLargerImages) {
  const std::string data = images(60), model = path("m.safetensors");
  ASSERT_EQ(run({"train", "--data", data, "--arch", "mlp", "--crop", "6", "--epochs", "1", "--out", model}),
            0)
      << err();
  write_images(path("middle.npz"), middle_of(read_images(data), 6));
  ASSERT_EQ(run({"infer", "--model", model, "--data", path("middle.npz"), "--out", path("a.npz")}), 0)
      << err();
  EXPECT_THAT(err(), testing::Not(HasSubstr("the middle")));
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--out", path("b.npz")}), 0) << err();
  EXPECT_THAT(err(), HasSubstr("data.npz: the middle 6 x 6 pixels are taken of 8 x 8"));
  EXPECT_THAT(read_outputs(path("b.npz")).logits.view<float>(),
              testing::ElementsAreArray(read_outputs(path("a.npz")).logits.view<float>()));
  EXPECT_EQ(run({"attack", "--model", model, "--data", data, "--out", path("adversarial.npz")}), 0) << err();
  EXPECT_EQ(read_images(path("adversarial.npz")).height(), 6U);
  EXPECT_EQ(run({"inspect", model, "--data", data}), 0) << err();
  EXPECT_THAT(err(), HasSubstr("the middle"));
  EXPECT_EQ(run({"assess", "--source", path("b.npz"), "--target", path("b.npz"), "--images", data, "--model",
                 model, "--sigma", ".1", "--no-bounds"}),
            0)
      << err();
  EXPECT_THAT(err(), HasSubstr("the middle"));
  const std::string normalized = path("n.safetensors");
  ASSERT_EQ(run({"train", "--data", data, "--arch", "small-cnn-bn", "--crop", "6", "--epochs", "1", "--out",
                 normalized}),
            0)
      << err();
  EXPECT_EQ(run({"adapt", "--model", normalized, "--data", data, "--out", path("adapted.safetensors")}), 0)
      << err();
  EXPECT_THAT(err(), HasSubstr("the middle"));
  ASSERT_EQ(run({"infer", "--model", path("adapted.safetensors"), "--data", data, "--out", path("e.npz")}), 0)
      << err();
  EXPECT_THAT(err(), HasSubstr("the middle"));
  EXPECT_EQ(run({"average-case", "--model", model, "--data", data, "--sigma", ".1", "--methods", "mmse"}), 0)
      << err();
  // corrupted whole, as a published set would be
  ASSERT_EQ(run({"shift", "corrupt", "--data", data, "--model", model, "--corruptions", "defocus-blur",
                 "--severities", "3", "--out", path("c.json")}),
            0)
      << err();
  ASSERT_EQ(run({"shift", "defocus-blur", "--severity", "3", "--data", data, "--out", path("blurred.npz")}),
            0)
      << err();
  const Json corrupted = read_record(path("c.json")).at("results").at(0);
  ASSERT_EQ(run({"infer", "--model", model, "--data", path("blurred.npz"), "--out", path("d.npz"), "--json"}),
            0)
      << err();
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("accuracy"), corrupted.at("accuracy"));
  write_images(path("small.npz"), middle_of(read_images(data), 5));
  EXPECT_EQ(run({"infer", "--model", model, "--data", path("small.npz"), "--out", path("c.npz")}), 3);
  EXPECT_THAT(err(), HasSubstr("expected images of shape (1, 6, 6)"));
}

}  // namespace
}  // namespace leeway
