// The commands that run models, from outside: exit codes, one-line messages, what they write.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/io/png.h"
#include "leeway/io/safetensors.h"
#include "leeway/tasks/attack/attack.h"
#include "tests/nn/command_fixture.h"

namespace leeway::command_test {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CommandTier2 : public Command {};

TEST_F(Command, TrainInferAttackFitTogether) {
  const std::string model = trained();
  const Json infer = record("infer --model " + model + " --data data.npz --out o.npz");
  EXPECT_EQ(infer.at("inputs").size(), 2U);
  const Outputs outputs = read_outputs(path("o.npz"));
  EXPECT_EQ(outputs.n(), 300U);
  EXPECT_EQ(outputs.k(), 3U);
  EXPECT_EQ(outputs.features->shape, (std::vector<std::size_t>{300, 100}));
  EXPECT_EQ(outputs.labels->at(4), 1);

  const Json attacks =
      record("attack --model " + model + " --data data.npz --eps 64/255 --steps 4 --out adv.npz");
  const Json attack = attacks.at("results").at(0);
  EXPECT_EQ(attacks.at("options").at("eps"), 64. / 255);
  EXPECT_EQ(attacks.at("options").at("parameters").at("steps"), 4);
  EXPECT_EQ(attack.at("clean_accuracy"), infer.at("results").at(0).at("accuracy"));
  EXPECT_LT(attack.at("robust_accuracy"), attack.at("clean_accuracy"));

  // the stored images, judged anew, give the accuracy that the attack reported; norms go on to the outputs
  EXPECT_EQ(result("infer --model " + model + " --data adv.npz --out o2.npz").at("accuracy"),
            attack.at("robust_accuracy"));
  EXPECT_EQ(read_npz(path("o2.npz")).at("norms").shape, (std::vector<std::size_t>{300}));
}

TEST_F(Command, TrainsWithAFileOfValidationAndItsSecondSample) {
  (void)images(60);
  const Json train = record(
      "train --data data.npz --validation-data data.npz --select pa --select-shifted data.npz --epochs 1 "
      "--out "
      "m.safetensors");
  EXPECT_EQ(train.at("inputs").size(), 3U);
  const Json& result = train.at("results").at(0);
  EXPECT_EQ(result.at("n_train"), 60);
  EXPECT_EQ(result.at("n_validation"), 60);
  EXPECT_EQ(result.at("kept").at("validation_shifted_accuracy"), result.at("kept").at("validation_accuracy"));
  EXPECT_TRUE(result.at("plan").at("shifted").is_string());
}

// Names travel from images to weights, outputs and attacked images; a target that lacks a class is read by its names.
TEST_F(Command, ClassesAreAlignedByName) {
  Images data = read_images(images(300));
  const auto write = [&](const std::string& name, std::vector<std::string> names) {
    data.class_names = std::move(names);
    write_images(path(name), data);
  };
  write("abc.npz", {"a", "b", "c"});
  EXPECT_EQ(
      result("train --data abc.npz --epochs 3 --threads 1 --lr 0.005 --out n.safetensors").at("class_names"),
      Json({"a", "b", "c"}));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.n(); ++i)
    if (i % 3 != 1) rows.push_back(i);
  data = select_rows(data, rows);
  for (std::int64_t& label : *data.labels) label /= 2;
  write("ac.npz", {"a", "c"});
  good("attack --model n.safetensors --data ac.npz --attack fgsm --eps 1/255 --out adv.npz --quiet");
  for (const char* const file : {"ac.npz", "adv.npz"}) {
    EXPECT_GT(result("infer --model n.safetensors --data " + path(file) + " --out o.npz").at("accuracy"), .9)
        << file;
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

// Decoded when they are needed, pictures of a folder give what the same pictures in a file give.
TEST_F(Command, TakesFoldersOfPictures) {
  for (std::size_t i = 0; i < 12; ++i) {
    Bitmap bitmap{3, 8 + i % 2, 9, {}};
    for (std::size_t j = 0; j < 27 * bitmap.height; ++j)
      bitmap.pixels.push_back(static_cast<std::uint8_t>(60 * (i % 3) + 7 * i * j % 61));
    const std::string folder = path("pictures/class " + std::to_string(i % 3));
    std::filesystem::create_directories(folder);
    write_png(folder + "/" + std::to_string(i) + ".png", bitmap);
  }
  const std::string how = " --resize-shorter 6", folder = " --data pictures" + how, file = " --data file.npz",
                    model = " --model l.safetensors";
  good("data load folder pictures" + how + " --out file.npz --quiet");
  good("train" + folder + " --arch linear --epochs 1 --threads 1 --out l.safetensors --quiet");
  const auto written = [&](const std::string& command, const std::string& data, const std::string& array) {
    good(command + data + " --out o.npz --quiet");
    const Array found = read_npz(path("o.npz")).at(array);
    return std::pair(found.shape, to_f64(found, array));
  };
  for (const auto& [command, array] : {std::pair("infer" + model, "logits"),
                                       {"attack --attack fgsm" + model, "x"},
                                       {"average-case --sigma 0.1" + model, "confidence"},
                                       {"shift brightness", "x"}})
    EXPECT_EQ(written(command, folder, array), written(command, file, array)) << command;
}

TEST_F(Command, InspectTellsWhatAModelHoldsAndExpects) {
  const std::string model = trained();
  const Json found = result("inspect " + model + " --data data.npz");
  EXPECT_EQ(found.at("architecture"), "small-cnn");
  EXPECT_EQ(found.at("input"), (Json{1, 8, 8}));
  EXPECT_GT(found.at("accuracy"), .5);
  EXPECT_TRUE(found.at("notes").is_null());
  EXPECT_TRUE(found.at("confinement").is_null());
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

TEST_F(Command, NotesBesideAModelAreRead) {
  write_npz(path("w.npz"), read_safetensors(trained()).tensors);
  std::ofstream(path("w.npz.toml")) << "arch = 'small-cnn'\nclasses = ['ash', 'oak', 'fir']\nscale = 1\n";
  EXPECT_EQ(record("infer --model w.npz --data data.npz --out o.npz").at("inputs").size(), 3U);
  EXPECT_THAT(read_outputs(path("o.npz")).class_names, ::testing::ElementsAre("ash", "oak", "fir"));
}

class AlgorithmInputs : public Command {
 protected:
  int train(std::vector<std::string> words) const {
    words.insert(words.begin(), {"train", "--data", images(60), "--epochs", "1", "--threads", "1"});
    words.insert(words.end(), {"--out", path("m"), "--json"});
    return run(words);
  }
  [[nodiscard]] std::string table() const {
    std::ofstream table(path("t.csv"));
    table << "colour,place\n";
    for (int i = 0; i < 60; ++i) table << (i % 2 ? "red" : "blue") << (i % 4 < 2 ? ",a\n" : ",b\n");
    return path("t.csv");
  }
};

TEST_F(AlgorithmInputs, AreTakenOrAskedFor) {
  EXPECT_EQ(train({"--algorithm", "dann"}), 2);
  EXPECT_EQ(err(), "leeway: --algorithm dann requires --unlabelled FILE, images of the target\n");
  EXPECT_EQ(train({"--attributes", path("t.csv")}), 2);
  EXPECT_EQ(train({"--algorithm", "irm", "--attributes", table(), "--environment-column", "town"}), 3);
  EXPECT_THAT(err(), EndsWith("t.csv: expected a column 'town', found columns colour, place\n"));
  const Json grouped =
      result("train --algorithm group-dro --group-column colour,place --select worst-group --attributes " +
             table() + " --epochs 1 --threads 1 --data data.npz --out m");
  EXPECT_EQ(grouped.at("best_by_worst_group"), 1);
  EXPECT_EQ(grouped.at("plan").at("groups").size(), 2U);
}

class AlgorithmInputsTier2 : public AlgorithmInputs {};

TEST_F(AlgorithmInputsTier2, AreTaken) {
  ASSERT_EQ(train({"--algorithm", "irm", "--attributes", table(), "--environment-column", "place"}), 0);
  EXPECT_TRUE(Json::parse(out()).at("results").at(0).at("epochs").at(0).at("parts").contains("penalty"));
  ASSERT_EQ(train({"--algorithm", "fixmatch", "--unlabelled", images(60)}), 0);
  EXPECT_EQ(Json::parse(out()).at("inputs").size(), 2U);
}

TEST_F(Command, OnnxModelsRun) {
  const std::string data = images(20), model = std::string(LEEWAY_REFERENCE) + "/onnx/cnn_softmax.onnx";
  EXPECT_EQ(result("infer --model " + model + " --data " + data + " --out o.npz").at("k"), 3);
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
      {{"train", "--data", data, "--validation-data", data, "--validation", "0.2", "--out", path("o")},
       "--validation-data: not allowed with --validation"},
      {{"train", "--data", data, "--out", path("o"), "--select", "luck"}, "luck"}};
  for (const auto& [arguments, said] : cases) {
    EXPECT_EQ(run(arguments), 2) << said;
    EXPECT_THAT(err(), AllOf(StartsWith("leeway: "), HasSubstr(said)));
  }
}

TEST_F(Command, WithoutTheModelPartSaysWhatIsMissing) {
  const std::string infer = "infer --model m --data " + images(12) + " --out o";
  const auto without = [&](const std::string& arguments, const std::string& library = "/nonexistent/nn.so") {
    return run_command(folder_, arguments, "export LEEWAY_NN_LIBRARY=" + library + "; ");
  };
  const Outcome missing = without(infer), other = without(infer, path("data.npz"));
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, AllOf(StartsWith("leeway: this command requires the model library"),
                                 HasSubstr("-DLEEWAY_NN=ON"), EndsWith("\n")));
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("data.npz: could not be loaded"));
  const Outcome all = without("list");
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("gaussian-noise"),
                             HasSubstr("  not available  this command requires the model library")));
  EXPECT_EQ(without("list shifts").code, 0);
  EXPECT_EQ(without("list attacks").code, 0);
  EXPECT_EQ(without("list algorithms").code, 1);
}

TEST_F(CommandTier2, ListsEveryFamily) {
  good("list");
  EXPECT_THAT(out(),
              AllOf(HasSubstr("\n  small-cnn "), HasSubstr("norms: linf l2 l1 l0"), HasSubstr("\nshifts: ")));
}

// Each point is that of the commands by hand; more strengths keep what is done.
TEST_F(CommandTier2, AttackCurveIsThatOfTheCommandsByHand) {
  const std::string model = trained(), other = path("other.safetensors");
  good("train --data data.npz --epochs 1 --threads 1 --seed 4 --lr 0.005 --out " + other + " --quiet");
  const std::string usual =
      "attack curve --model " + model + " weak=" + other + " --data data.npz --out curve ";
  const Json first = record(usual + "--attack fgsm,fmn --eps 16/255,64/255 --shares 0.5,1 --figures figures");
  EXPECT_EQ(Json::parse(read_bytes(folder_ / "curve/curve.json")), first);
  ASSERT_EQ(first.at("results").size(), 2u * (1 + 2 * 2 + 1 + 3 * 2));
  const Json& point = first.at("results").at(4);
  EXPECT_EQ(point.at("model"), "m");
  EXPECT_EQ(point.at("strength"), "64/255");
  EXPECT_EQ(point.at("share"), 1);
  const Json alone =
      result("attack --model " + model + " --data data.npz --attack fgsm --eps 64/255 --out adv.npz");
  EXPECT_EQ(point.at("afr_true"), alone.at("robust_accuracy"));
  EXPECT_EQ(point.at("clean_accuracy"), alone.at("clean_accuracy"));
  good("infer --model " + model + " --data data.npz --out clean.npz --quiet");
  good("infer --model " + model + " --data adv.npz --out seen.npz --quiet");
  EXPECT_EQ(point.at("pa"), result("pa clean.npz seen.npz").at("pa"));
  EXPECT_THAT(read_bytes(folder_ / "figures/tables-accuracy-afr-t-by-strength.tex"),
              HasSubstr("Model & Attack & 0 & 16/255 & 64/255 & nearest"));
  good(usual + "--attack fgsm,fmn --eps 16/255,32/255,64/255 --report page.html --quiet");
  EXPECT_EQ(record("sweep status curve").at("counts").at("done"), 18);
  refused({usual + "--eps 0", 2, {"strengths: expected numbers above 0"}});
  refused({usual, 2, {"strengths: expected radii for pgd"}});
  refused({usual + "--eps 1/255 --split test", 2, {"--index and --split"}});
  refused({"attack curve --model " + model + " m=" + other + " --data data.npz --eps 1/255 --out other",
           2,
           {"two models are called m"}});
  refused({"attack curve --model " + model + " --data no.npz --eps 1/255 --out other",
           3,
           {"no.npz: expected a readable file, found no such file"}});
}

// Two models, two attacks and two radii: eight sets, each as it is alone.
TEST_F(Command, AttacksAndInferTakeLists) {
  const std::string model = trained(), other = path("other.safetensors");
  std::filesystem::copy_file(model, other);
  const std::string out_pattern = path("{model}-{attack}-{eps}.npz");
  const Json sets = record("attack --model " + model + " " + other +
                           " --data data.npz --attack fgsm,pgd --eps 16/255,64/255 --out " + out_pattern +
                           " --report page.html");
  ASSERT_EQ(sets.at("results").size(), 8U);
  const Json third = sets.at("results").at(2);
  EXPECT_EQ(third.at("attack"), "pgd");
  EXPECT_EQ(third.at("eps"), 16. / 255);
  EXPECT_EQ(third.at("out"), path("m-pgd-16-255.npz"));
  EXPECT_LT(sets.at("results").at(3).at("robust_accuracy"), third.at("robust_accuracy"));
  EXPECT_EQ(to_json(record_from<tasks::Attack>(sets, "r.json")), sets);
  const Json alone = result("attack --model " + model + " --data data.npz --eps 16/255 --out alone.npz");
  EXPECT_EQ(read_bytes(path("alone.npz")), read_bytes(path("m-pgd-16-255.npz")));
  EXPECT_EQ(alone.at("robust_accuracy"), third.at("robust_accuracy"));
  EXPECT_EQ(call("attack --model " + model + " --data data.npz --eps 1/255,2/255 --out a.npz"), 2);
  EXPECT_THAT(err(), HasSubstr("a-{attack}-{eps}.npz"));
  good("infer --model " + model + " " + other +
       " --data data.npz m-pgd-16-255.npz --out {data}-of-{model}.npz");
  EXPECT_THAT(out(), HasSubstr("m-pgd-16-255-of-other.npz"));
  EXPECT_TRUE(std::filesystem::exists(path("data-of-m.npz")));
}

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

TEST_F(CommandTier2, TrainAndAdaptTakeTheRowsOfASplit) {
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
    return read_bytes(path("a.safetensors"));
  };
  EXPECT_EQ(adapted(data, {"--index", path("split.csv"), "--split", "test"}), adapted(path("some.npz"), {}));
}

std::string model_file(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/model_files/" + name;
}

class TensorFilesTier2 : public Command {};

TEST_F(Command, InspectListsTensorsOfAnUnknownNetwork) {
  good("inspect " + model_file("table-compiled.pt"));
  EXPECT_THAT(out(), AllOf(HasSubstr("unknown; the tensors fit linear"),
                           HasSubstr("--arch linear --input 4  (3 classes)"), HasSubstr("_orig_mod.weight")));
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

}  // namespace leeway::command_test
