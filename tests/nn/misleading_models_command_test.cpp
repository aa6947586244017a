// What the command says of models that lead to wrong answers where nobody looks.
#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"
#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

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
  // Where lines break depends on the length of paths.
  static std::string unwrapped(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
};

TEST_F(MisleadingModels, DropoutLeftOnIsRefusedByEveryCommandUnlessStochastic) {
  const std::string model = misleading("dropout_on.pt"), data = images(30), out_file = path("o.npz");
  const std::vector<std::vector<std::string>> commands = {
      {"infer", "--model", model, "--data", data, "--out", out_file},
      {"attack", "--model", model, "--data", data, "--steps", "2", "--out", out_file},
      {"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods", "taylor"}};
  for (auto arguments : commands) {
    EXPECT_THAT(line(3, arguments),
                AllOf(StartsWith("leeway: " + model +
                                 ": expected the same answer to the same images (dropout and "
                                 "batch statistics are off after model.eval()"),
                      HasSubstr("--stochastic takes the model as it is"),
                      HasSubstr("found logits that differ by up to "), HasSubstr("of the same 16 images")));
    EXPECT_FALSE(std::filesystem::exists(out_file));
    arguments.insert(arguments.end(), {"--stochastic", "--json"});
    ASSERT_EQ(run(arguments), 0) << err();
    EXPECT_THAT(err(), HasSubstr("no result of it repeats"));
    const Json record = Json::parse(out());
    const Json& said = record.contains("stochastic") ? record : record.at("results").at(0);
    EXPECT_EQ(said.at("stochastic").at("n"), 16);
    std::filesystem::remove(out_file);
  }
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--stochastic", "--quiet", "--out", out_file}),
            0);
  std::vector<std::string> assess = {"assess",   "--source",   out_file,  "--target", "same=" + out_file,
                                     "--images", data,         "--model", model,      "--sigma",
                                     "0.1",      "--no-bounds"};
  EXPECT_THAT(line(3, assess), HasSubstr("dropout_on.pt: expected the same answer to the same images"));
  assess.emplace_back("--stochastic");
  ASSERT_EQ(run(assess), 0) << err();
  EXPECT_THAT(unwrapped(out()), HasSubstr("no result of it repeats"));
  ASSERT_EQ(run({"inspect", model, "--data", data, "--no-timing"}), 0) << err();
  EXPECT_THAT(out(), HasSubstr("warning        " + model + ": logits that differ by up to"));
}

TEST_F(MisleadingModels, AnAttackWithoutGradientsSaysSoFirstAndTakesTheWorseOfNoise) {
  const std::string model = misleading("signs.pt"), data = unlabelled(60);
  const std::vector<std::string> arguments = {"attack", "--model", model,         "--data",
                                              data,     "--eps",   "0.3",         "--steps",
                                              "5",      "--out",   path("a.npz"), "--no-random-start"};
  ASSERT_EQ(run(arguments), 0) << err();
  EXPECT_THAT(out(), StartsWith("warning: the gradient of 100.0% of 60 rows is exactly 0"));
  EXPECT_EQ(err(), "");
  std::vector<std::string> json = arguments;
  json.emplace_back("--json");
  ASSERT_EQ(run(json), 0) << err();
  const Json record = Json::parse(out()), result = record.at("results").at(0);
  EXPECT_EQ(result.at("zero_gradient"), 1);
  EXPECT_EQ(result.at("beside_noise").at("attack_robust_accuracy"), 1);
  EXPECT_LT(result.at("robust_accuracy"), .7);
  EXPECT_EQ(result.at("robust_accuracy"), result.at("beside_noise").at("noise_robust_accuracy"));
  EXPECT_EQ(record.at("warnings").size(), 1U);
  ASSERT_EQ(run({"attack", "--model", misleading("logits.pt"), "--data", data, "--steps", "2", "--out",
                 path("b.npz"), "--json"}),
            0)
      << err();
  const Json other = Json::parse(out()), sound = other.at("results").at(0);
  EXPECT_EQ(sound.at("zero_gradient"), 0);
  EXPECT_TRUE(sound.at("beside_noise").is_null());
  EXPECT_TRUE(other.at("warnings").empty());
}

TEST_F(MisleadingModels, SurvivalWithoutGradientsSaysSoFirst) {
  const std::string model = misleading("signs.pt"), data = unlabelled(40);
  const std::vector<std::string> arguments = {
      "average-case", "--model",           model,     "--data", data, "--sigma", "0.3",
      "--methods",    "taylor,mc,softmax", "--draws", "200"};
  ASSERT_EQ(run(arguments), 0) << err();
  EXPECT_THAT(out(), StartsWith("warning: the gradient of 100.0% of 40 samples is exactly 0"));
  std::vector<std::string> json = arguments;
  json.insert(json.end(), {"--json", "--report", path("r.html")});
  ASSERT_EQ(run(json), 0) << err();
  const Json record = Json::parse(out());
  EXPECT_EQ(record.at("results").at(0).at("mean"), 1);
  EXPECT_EQ(record.at("results").at(0).at("zero_gradient"), 1);
  EXPECT_LT(record.at("results").at(1).at("mean"), .9);
  EXPECT_TRUE(record.at("results").at(1).at("zero_gradient").is_null());
  EXPECT_EQ(record.at("leading"), "mc");
  EXPECT_EQ(record.at("warnings").size(), 1U);
  EXPECT_THAT(text_of(path("r.html")), HasSubstr("<b>Warning:</b> the gradient of 100.0% of 40 samples"));
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--out", path("o.npz"), "--quiet"}), 0) << err();
  ASSERT_EQ(run({"assess", "--source", path("o.npz"), "--target", "same=" + path("o.npz"), "--images", data,
                 "--model", model, "--sigma", "0.3", "--no-bounds", "--out", path("r.json")}),
            0)
      << err();
  EXPECT_THAT(out(), HasSubstr("warning: model: the gradient of 100.0% of 40 samples is exactly 0"));
  const Json noise = read_record(path("r.json")).at("average_case").at(0);
  EXPECT_THAT(noise.at("warnings").at(0).get<std::string>(), StartsWith("the gradient of 100.0%"));
}

TEST_F(MisleadingModels, WithoutGradientsOnlyWhatNeedsThemIsRefused) {
  const std::string model = misleading("no_gradient.pt"), data = images(20), out_file = path("o.npz");
  const std::string expected = "leeway: " + model + ": expected a model with gradients by its input";
  EXPECT_THAT(
      line(3, {"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods", "taylor"}),
      StartsWith(expected));
  EXPECT_THAT(line(3, {"attack", "--model", model, "--data", data, "--out", out_file}), StartsWith(expected));
  EXPECT_EQ(run({"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods",
                 "mc,softmax", "--draws", "50"}),
            0)
      << err();
  EXPECT_EQ(run({"infer", "--model", model, "--data", data, "--out", out_file}), 0) << err();
  EXPECT_EQ(run({"attack", "--model", model, "--data", data, "--attack", "noise", "--out", out_file}), 0)
      << err();
  ASSERT_EQ(run({"inspect", model, "--data", data, "--json"}), 0) << err();
  const Json record = Json::parse(out());
  EXPECT_TRUE(record.at("results").at(0).at("cost").at("gradient_seconds").is_null());
  EXPECT_THAT(record.at("warnings").at(0).get<std::string>(), HasSubstr("expected a model with gradients"));
}

TEST_F(MisleadingModels, TorchScriptsOwnReasonIsTheOneLine) {
  const std::string out_file = path("o.npz");
  EXPECT_THAT(line(3, {"infer", "--model", misleading("unknown_operator.pt"), "--data", images(5), "--out",
                       out_file}),
              EndsWith("found \"Unknown builtin op: forest::ash\"\n"));
  write_images(path("rgb.npz"), {"", make_array({4, 3, 8, 8}, std::vector<float>(768, .5f)), {}});
  EXPECT_THAT(
      line(3, {"infer", "--model", misleading("signs.pt"), "--data", path("rgb.npz"), "--out", out_file}),
      EndsWith("found \"mat1 and mat2 shapes cannot be multiplied (4x192 and 64x40)\"\n"));
}

TEST_F(MisleadingModels, ASingleOutputIsTwoClassesForEveryCommand) {
  const std::string data = unlabelled(40), out_file = path("o.npz");
  EXPECT_THAT(line(3, {"infer", "--model", misleading("one_logit.pt"), "--data", data, "--out", out_file}),
              HasSubstr("(for the positive class of two: --binary logit or --binary prob)"));
  for (const std::string kind : {"logit", "prob"}) {
    const std::string model = misleading(kind == "logit" ? "one_logit.pt" : "one_probability.pt");
    const auto with = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), {"--binary", kind});
      EXPECT_EQ(run(arguments), 0) << err();
    };
    with({"infer", "--model", model, "--data", data, "--out", out_file});
    EXPECT_EQ(read_outputs(out_file).k(), 2U);
    with({"attack", "--model", model, "--data", data, "--eps", "0.1", "--steps", "3", "--out", path("a.npz"),
          "--json"});
    EXPECT_LT(Json::parse(out()).at("results").at(0).at("robust_accuracy"), 1);
    EXPECT_EQ(Json::parse(out()).at("results").at(0).at("zero_gradient"), 0);
    with({"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods", "taylor",
          "--json"});
    EXPECT_EQ(Json::parse(out()).at("k"), 2);
    with({"assess", "--source", out_file, "--target", "same=" + out_file, "--images", data, "--model", model,
          "--sigma", "0.1", "--no-bounds"});
    EXPECT_THAT(out(), Not(HasSubstr("warning: ")));
    with({"inspect", model, "--input", "1,8,8"});
  }
}

}  // namespace
}  // namespace leeway
