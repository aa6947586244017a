// The commands that run models, from outside: exit codes, one-line messages, what they write.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/npy.h"
#include "leeway/core/outputs.h"
#include "leeway/core/result.h"
#include "leeway/core/safetensors.h"
#include "leeway/record/attack.h"
#include "leeway/record/json.h"
#include "tests/nn/command_fixture.h"

namespace leeway::command_test {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(Command, TrainInferAttackFitTogether) {
  const std::string model = trained();
  good("infer --model " + model + " --data data.npz --out o.npz --json");
  const Json infer = Json::parse(out());
  EXPECT_EQ(infer.at("schema"), "leeway.infer/2");
  EXPECT_EQ(infer.at("inputs").size(), 2U);
  const Outputs outputs = read_outputs(path("o.npz"));
  EXPECT_EQ(outputs.n(), 300U);
  EXPECT_EQ(outputs.k(), 3U);
  EXPECT_EQ(outputs.features->shape, (std::vector<std::size_t>{300, 100}));
  EXPECT_EQ(outputs.labels->at(4), 1);

  good("attack --model " + model + " --data data.npz --eps 64/255 --steps 4 --out adv.npz --json");
  const Json record = Json::parse(out()), attack = record.at("results").at(0);
  EXPECT_EQ(record.at("options").at("eps"), 64. / 255);
  EXPECT_EQ(record.at("options").at("parameters").at("steps"), 4);
  EXPECT_EQ(attack.at("clean_accuracy"), infer.at("results").at(0).at("accuracy"));
  EXPECT_LT(attack.at("robust_accuracy"), attack.at("clean_accuracy"));

  // the stored images, judged anew, give the accuracy that the attack reported; norms go on to the outputs
  good("infer --model " + model + " --data adv.npz --out o2.npz --json");
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("accuracy"), attack.at("robust_accuracy"));
  EXPECT_EQ(read_npz(path("o2.npz")).at("norms").shape, (std::vector<std::size_t>{300}));
}

// Names travel from the images to the weights and from there to outputs and attacked images; a target that
// lacks a class, and so numbers the others otherwise, is read as its owner meant it.
TEST_F(Command, ClassesAreAlignedByName) {
  Images data = read_images(images(300));
  const auto write = [&](const std::string& name, std::vector<std::string> names) {
    data.class_names = std::move(names);
    write_images(path(name), data);
  };
  write("abc.npz", {"a", "b", "c"});
  good("train --data abc.npz --epochs 3 --threads 1 --lr 0.005 --out n.safetensors --json");
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("class_names"), Json({"a", "b", "c"}));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.n(); ++i)
    if (i % 3 != 1) rows.push_back(i);
  data = select_rows(data, rows);
  for (std::int64_t& label : *data.labels) label /= 2;
  write("ac.npz", {"a", "c"});
  good("attack --model n.safetensors --data ac.npz --attack fgsm --eps 1/255 --out adv.npz --quiet");
  for (const char* const file : {"ac.npz", "adv.npz"}) {
    good("infer --model n.safetensors --data " + path(file) + " --out o.npz --json");
    EXPECT_GT(Json::parse(out()).at("results").at(0).at("accuracy"), .9) << file;
    const Outputs outputs = read_outputs(path("o.npz"));
    EXPECT_THAT(outputs.class_names, ::testing::ElementsAre("a", "b", "c"));
    EXPECT_EQ(outputs.labels->at(1), 2);
  }
  std::ofstream targets(path("t.csv"));
  targets << "target\n";
  for (std::size_t i = 0; i < rows.size(); ++i) targets << "b\n";
  targets.close();
  good(
      "attack --model n.safetensors --data ac.npz --attack fgsm --eps 1/255 --targets t.csv --out adv.npz "
      "--quiet");
  EXPECT_EQ(to_i64(read_npz(path("adv.npz")).at("targets"), "targets"),
            std::vector<std::int64_t>(rows.size(), 1));
}

TEST_F(Command, InspectTellsWhatAModelHoldsAndExpects) {
  const std::string model = trained();
  good("inspect " + model + " --data data.npz --json");
  const Json found = Json::parse(out()).at("results").at(0);
  EXPECT_EQ(found.at("format"), "safetensors");
  EXPECT_EQ(found.at("architecture"), "small-cnn");
  EXPECT_EQ(found.at("input"), (Json{1, 8, 8}));
  EXPECT_EQ(found.at("classes"), 3);
  EXPECT_EQ(found.at("layers").size(), 4U);
  EXPECT_GT(found.at("accuracy"), .5);
  EXPECT_TRUE(found.at("notes").is_null());
  good("inspect " + model + " --no-timing");
  EXPECT_THAT(out(), AllOf(HasSubstr("small-cnn"), HasSubstr("1 x 8 x 8"), HasSubstr("Conv2d"),
                           ::testing::Not(HasSubstr("cost"))));
  EXPECT_EQ(call("inspect " + model + " --input 1,8,8,8"), 2);
}

// With a LibTorch without CUDA models run on the CPU, and there is nothing to choose.
TEST_F(Command, OffersAnotherDeviceWhereThereMayBeOne) {
  good("infer --help");
  const bool offered = out().find("--device") != std::string::npos;
  EXPECT_EQ(call("infer --model " + trained() + " --data data.npz --device moon --out o.npz"),
            offered ? 3 : 2);
  EXPECT_THAT(err(), HasSubstr(offered ? "device: expected cpu" : "--device"));
  EXPECT_EQ(call("pa a.npz b.npz --device cpu"), 2);
}

// Notes beside a model say what its file does not; flags win over them.
TEST_F(Command, DemoMakesDamagedImagesAnew) {
  const std::string data = images(60), made = path("d/images-contrast.npz");
  const std::string demo = "demo --train " + data + " --test " + data +
                           " --images 9 --epochs 1 --robust-epochs 1 --threads 1 --quiet --folder d";
  good(demo);
  const std::string whole = text_of(made);
  std::string bytes = whole;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(made, std::ios::binary) << bytes;
  good(demo);
  EXPECT_EQ(text_of(made), whole);
}

TEST_F(Command, NotesBesideAModelAreRead) {
  write_npz(path("w.npz"), read_safetensors(trained()).tensors);
  std::ofstream(path("w.npz.toml")) << "arch = 'small-cnn'\nclasses = ['ash', 'oak', 'fir']\nscale = 1\n";
  good("infer --model w.npz --data data.npz --out o.npz --json");
  EXPECT_EQ(Json::parse(out()).at("inputs").size(), 3U);
  EXPECT_THAT(read_outputs(path("o.npz")).class_names, ::testing::ElementsAre("ash", "oak", "fir"));
}

// Groups, environments and the target: in the images file, in a table beside it, or missing.
TEST_F(Command, TrainingTakesWhatItsAlgorithmNeeds) {
  const std::string data = images(60), out_file = path("m.safetensors");
  const auto train = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"train",     "--data", data,    "--epochs", "1",
                                 "--threads", "1",      "--out", out_file,   "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  EXPECT_EQ(train({"--algorithm", "dann"}), 2);
  EXPECT_EQ(err(), "leeway: --algorithm dann requires --unlabelled FILE, images of the target\n");
  EXPECT_EQ(train({"--attributes", path("t.csv")}), 2);
  std::ofstream table(path("t.csv"));
  table << "colour,place\n";
  for (int i = 0; i < 60; ++i) table << (i % 2 ? "red" : "blue") << (i % 4 < 2 ? ",a\n" : ",b\n");
  table.close();
  EXPECT_EQ(train({"--algorithm", "irm", "--attributes", path("t.csv"), "--environment-column", "town"}), 3);
  EXPECT_THAT(err(), EndsWith("t.csv: expected a column 'town', found colour, place\n"));
  ASSERT_EQ(train({"--algorithm", "irm", "--attributes", path("t.csv"), "--environment-column", "place"}), 0)
      << err();
  EXPECT_TRUE(Json::parse(out()).at("results").at(0).at("epochs").at(0).at("parts").contains("penalty"));
  ASSERT_EQ(train({"--algorithm", "group-dro", "--attributes", path("t.csv"), "--group-column",
                   "colour,place", "--select", "worst-group"}),
            0)
      << err();
  const Json result = Json::parse(out()).at("results").at(0);
  EXPECT_EQ(result.at("best_by_worst_group"), 1);
  EXPECT_EQ(result.at("plan").at("groups").size(), 2U);
  ASSERT_EQ(train({"--algorithm", "fixmatch", "--unlabelled", data}), 0) << err();
  EXPECT_EQ(Json::parse(out()).at("inputs").size(), 2U);
}

// Errors are thrown inside the library that dlopen brought in and caught outside of it.
TEST_F(Command, OnnxModelsRun) {
  const std::string data = images(20), model = std::string(LEEWAY_REFERENCE) + "/onnx/cnn_softmax.onnx";
  good("infer --model " + model + " --data " + data + " --out o.npz --json");
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("k"), 3);
  EXPECT_THAT(err(), HasSubstr("cnn_softmax.onnx ends in a Softmax"));
}

TEST_F(Command, BadInputIsOneLineAndExit3) {
  const std::string data = images(12), target = path("o.npz");
  std::ofstream(path("page.pt")) << "<html>no model</html>";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"infer", "--model", path("page.pt"), "--data", data}, "page.pt: expected "},
      {{"train", "--data", data, "--algorithm", "magic"}, "algorithm: expected one of"},
      {{"attack", "--model", path("page.pt"), "--data", path("nothing.npz")}, "nothing.npz"}};
  for (auto [arguments, said] : cases) {
    arguments.insert(arguments.end(), {"--out", target});
    EXPECT_EQ(run(arguments), 3) << err();
    EXPECT_EQ(err().find('\n'), err().size() - 1) << err();
    EXPECT_THAT(err(), HasSubstr(said));
    EXPECT_FALSE(std::filesystem::exists(target));
  }
}

TEST_F(Command, WrongUseIsExit2) {
  const std::string data = images(12);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"train", "--data", data}, "--out FILE is required"},
      {{"attack", "--model", "m", "--data", data, "--eps", "8/0", "--out", path("o")}, "--eps 8/0"},
      {{"attack", "--model", "m", "--data", data, "--norm", "l7", "--out", path("o")}, "l7"},
      {{"attack", "--model", "m", "--data", data, "--attack", "fmn", "--eps", "8/255", "--out", path("o")},
       "no radius"},
      {{"attack", "--model", "m", "--data", data, "--set", "gamma", "--out", path("o")}, "NAME=NUMBER"},
      {{"infer", "--data", data}, "--model"},
      {{"train", "--data", data, "--out", path("o"), "--select", "pa"}, "--select-shift"},
      {{"train", "--data", data, "--out", path("o"), "--select", "pa", "--select-shift", "imbalance"},
       "'imbalance'"},
      {{"train", "--data", data, "--out", path("o"), "--select", "luck"}, "luck"}};
  for (const auto& [arguments, said] : cases) {
    EXPECT_EQ(run(arguments), 2) << said;
    EXPECT_THAT(err(), AllOf(StartsWith("leeway: "), HasSubstr(said)));
  }
}

TEST_F(Command, WithoutTheModelPartSaysWhatIsMissing) {
  const std::string data = images(12);
  EXPECT_EQ(
      run({"infer", "--model", "m", "--data", data, "--out", path("o")}, "/nonexistent/libleeway_nn.so"), 1);
  EXPECT_THAT(err(), AllOf(StartsWith("leeway: this command requires the model library"),
                           HasSubstr("-DLEEWAY_NN=ON"), EndsWith("\n")));
  EXPECT_EQ(run({"infer", "--model", "m", "--data", data, "--out", path("o")}, data.c_str()), 1);
  EXPECT_THAT(err(), HasSubstr("data.npz: could not be loaded"));
  EXPECT_EQ(run({"list", "shifts"}, "/nonexistent/libleeway_nn.so"), 0);
  EXPECT_THAT(out(), HasSubstr("gaussian-noise"));
  EXPECT_EQ(run({"list"}, "/nonexistent/libleeway_nn.so"), 0);
  EXPECT_THAT(out(), AllOf(HasSubstr("gaussian-noise"),
                           HasSubstr("  not available  this command requires the model library")));
  EXPECT_EQ(run({"list", "attacks"}, "/nonexistent/libleeway_nn.so"), 1);
}

TEST_F(Command, ListsEveryFamily) {
  good("list");
  EXPECT_THAT(out(),
              AllOf(HasSubstr("architectures: "), HasSubstr("\n  small-cnn "),
                    HasSubstr("weights: 166406 for 1x28x28"), HasSubstr("\n  group-dro "),
                    HasSubstr("norms: linf l2 l1 l0"), HasSubstr("\n    gamma "), HasSubstr("\nshifts: ")));
}

}  // namespace leeway::command_test
