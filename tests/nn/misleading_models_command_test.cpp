// What the command says of models that lead to wrong answers where nobody looks.
#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/core/outputs.h"
#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway::misleading_models_command_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string misleading(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/torchscript/" + name;
}

class MisleadingModels : public Command {
 protected:
  // Images (n,1,8,8) without labels: attacks then aim at what the model says.
  [[nodiscard]] std::string unlabelled(std::size_t n) const {
    Images all = read_images(images(n));
    all.labels.reset();
    write_images(path("plain.npz"), all);
    return path("plain.npz");
  }
  // Of a run that ends with that status and says one line.
  std::string line(int status, const std::vector<std::string>& arguments) const {
    EXPECT_EQ(run(arguments), status) << err();
    std::string said = err();
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    return said;
  }
};

TEST_F(MisleadingModels, DropoutLeftOnIsRefusedByEveryCommandUnlessStochastic) {
  const std::string model = misleading("dropout_on.pt"), data = images(30), out_file = path("o.npz");
  std::vector<std::string> arguments = {"infer", "--model", model, "--data", data, "--out", out_file};
  EXPECT_THAT(line(3, arguments), HasSubstr("--stochastic accepts the model as it is"));
  EXPECT_FALSE(std::filesystem::exists(out_file));
  arguments.insert(arguments.end(), {"--stochastic", "--json"});
  ASSERT_EQ(run(arguments), 0) << err();
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("stochastic").at("n"), 16);
  line(3, {"attack", "--model", model, "--data", data, "--steps", "2", "--out", out_file});
  line(3, {"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods", "taylor"});
}

TEST_F(MisleadingModels, ZeroGradientsAreTheFirstLine) {
  const std::string model = misleading("signs.pt"), data = unlabelled(60);
  good("attack --model " + model + " --data " + data +
       " --eps 0.3 --steps 5 --out a.npz --set random-start=0");
  EXPECT_THAT(err(), StartsWith("leeway: the gradient of 100.0% of 60 rows is exactly 0"));
  good("average-case --model " + model + " --data " + data +
       " --sigma 0.3 --methods taylor,mc,softmax --draws 200 --report r.html");
  EXPECT_THAT(err(), StartsWith("leeway: the gradient of 100.0% of 60 samples is exactly 0"));
  EXPECT_THAT(text_of(path("r.html")), HasSubstr("<p>Warning: the gradient of 100.0% of 60 samples"));
}

TEST_F(MisleadingModels, ASingleOutputIsTwoClasses) {
  const std::string data = unlabelled(40), model = misleading("one_logit.pt"), out_file = path("o.npz");
  EXPECT_THAT(line(3, {"infer", "--model", model, "--data", data, "--out", out_file}),
              HasSubstr("--binary logit or --binary prob"));
  good("infer --model " + model + " --data " + data + " --out " + out_file + " --binary logit");
  EXPECT_EQ(read_outputs(out_file).k(), 2U);
}

}  // namespace leeway::misleading_models_command_test
