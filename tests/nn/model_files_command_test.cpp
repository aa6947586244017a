// Tables, sequences and files of tensors, as the commands take them (tests/reference/model_files.py).
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/npy.h"
#include "leeway/core/outputs.h"
#include "leeway/record/json.h"
#include "tests/nn/command_fixture.h"

namespace leeway::model_files_command_test {

using ::testing::HasSubstr;

std::string model_file(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/model_files/" + name;
}

class TensorFilesTier2 : public Command {};

TEST_F(Command, InspectListsTensorsOfAnUnknownNetwork) {
  good("inspect " + model_file("table-compiled.pt"));
  EXPECT_THAT(out(), ::testing::AllOf(HasSubstr("unknown; the tensors fit linear"),
                                      HasSubstr("--arch linear --input 4  (3 classes)"),
                                      HasSubstr("_orig_mod.weight")));
  good("inspect " + model_file("table-plain.pt") + " --json");
  const Json found = Json::parse(out()).at("results").at(0);
  EXPECT_EQ(found.at("fitting").at(0).at("architecture"), "linear");
  EXPECT_EQ(found.at("fitting").at(0).at("input"), Json({4}));
  EXPECT_EQ(found.at("layers").size(), 2U);
}

TEST_F(TensorFilesTier2, TablesGoThroughEveryCommandOfModels) {
  const std::string model = model_file("table-program.pt"), data = model_file("table.npz");
  good("infer --model " + model + " --data " + data + " --out o.npz");
  EXPECT_EQ(read_npz(path("o.npz")).at("logits").shape, (std::vector<std::size_t>{5, 3}));
  good("attack --model " + model + " --data " + data + " --eps 1 --out a.npz");
  EXPECT_EQ(read_npz(path("a.npz")).at("x").shape, read_npz(data).at("x").shape);
  EXPECT_EQ(call("attack --model " + model + " --data " + data + " --out a.npz"), 2);
  EXPECT_THAT(err(), HasSubstr("--eps is required"));
  good("average-case --model " + model + " --data " + data +
       " --sigma 0.5 --methods taylor,mmse --report p.html");
}

TEST_F(TensorFilesTier2, LayoutsAreFoundOutAndNamed) {
  const std::string model = model_file("grey-program.pt"), data = model_file("grey.npz");
  good("infer --model " + model + " --data " + data + " --out o.npz");
  EXPECT_EQ(call("infer --model " + model + " --data " + data + " --layout nchw --out o.npz"), 3);
  EXPECT_THAT(err(), HasSubstr("expected 4 dimensions, as nchw has, found shape (5, 3, 2)"));
  EXPECT_EQ(call("infer --model " + model + " --data " + data + " --layout round --out o.npz"), 2);
}

// --- A model of train --crop: commands that take models say that they take the middle of larger images.

class CroppedModelsTier2 : public Command {};

TEST_F(CroppedModelsTier2, TakeTheMiddleOfLargerImages) {
  const std::string data = images(60), model = path("m.safetensors");
  good("train --data " + data + " --arch small-cnn-bn --crop 6 --epochs 1 --out " + model);
  write_images(path("middle.npz"), middle_of(read_images(data), 6));
  good("infer --model " + model + " --data middle.npz --out a.npz");
  EXPECT_THAT(err(), ::testing::Not(HasSubstr("the middle")));
  const std::vector<std::vector<std::string>> commands = {
      {"infer", "--model", model, "--data", data, "--out", path("b.npz")},
      {"attack", "--model", model, "--data", data, "--steps", "1", "--out", path("adversarial.npz")},
      {"average-case", "--model", model, "--data", data, "--sigma", ".1", "--methods", "softmax"}};
  for (const auto& arguments : commands) {
    EXPECT_EQ(run(arguments), 0) << err();
    EXPECT_THAT(err(), HasSubstr("center crops of 6 x 6 pixels are taken from 8 x 8")) << arguments.front();
  }
  EXPECT_THAT(read_outputs(path("b.npz")).logits.view<float>(),
              ::testing::ElementsAreArray(read_outputs(path("a.npz")).logits.view<float>()));
  EXPECT_EQ(read_images(path("adversarial.npz")).height(), 6U);
}

}  // namespace leeway::model_files_command_test
