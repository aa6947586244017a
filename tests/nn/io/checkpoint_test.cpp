// Files of torch.save (tests/reference/checkpoints.py) against what that script says, and files made by hand that lie.
#include "leeway/nn/io/checkpoint.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/io/zip.h"
#include "leeway/nn/io/model_notes.h"
#include "tests/case_name.h"
#include "tests/core/files.h"
#include "tests/files.h"
#include "tests/message_of.h"
#include "tests/nn/io/pickles.h"

namespace leeway::nn::checkpoint_test {

using namespace pickles;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::filesystem::path made_by_torch(const std::string& file) {
  return std::filesystem::path(LEEWAY_REFERENCE) / "checkpoints" / file;
}

const json& expected() {
  static const json all = json::parse(read_bytes(made_by_torch("expected.json")));
  return all;
}

double number(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

void expect_tensors(const ArrayMap& tensors, const json& wanted) {
  EXPECT_EQ(tensors.size(), wanted.size());
  for (const auto& [name, description] : wanted.items()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(tensors.contains(name));
    const Array& array = tensors.at(name);
    EXPECT_EQ(name_of(array.type), description["type"].get<std::string>());
    ASSERT_EQ(array.shape, description["shape"].get<std::vector<std::size_t>>());
    if (array.type == ElementType::i64) {  // float64 cannot hold all of them
      EXPECT_EQ(to_i64(array, name), description["values"].get<std::vector<std::int64_t>>());
      continue;
    }
    const std::vector<double> values = to_f64(array, name);
    ASSERT_EQ(values.size(), description["values"].size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = number(description["values"][i]);
      EXPECT_TRUE(values[i] == value || (std::isnan(values[i]) && std::isnan(value)))
          << i << ": " << values[i];
    }
  }
}

std::string refusal(const std::string& content) {
  return message_of([&] { (void)parse_checkpoint(file_of(content), "f"); });
}

class MadeByTorch : public ::testing::TestWithParam<std::string> {};

TEST_P(MadeByTorch, HoldsWhatWasSaved) {
  const auto path = made_by_torch(GetParam());
  expect_tensors(read_checkpoint(path).tensors, expected().at(GetParam()).at("weights"));
}

TEST_P(MadeByTorch, EveryPrefixIsRefused) {
  const std::string whole = read_bytes(made_by_torch(GetParam()));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const std::string message = refusal(cut);
    ASSERT_THAT(message, StartsWith("f: expected ")) << size << " of " << whole.size() << " bytes";
    ASSERT_EQ(message.find('\n'), std::string::npos) << size;
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& item : expected().items()) names.push_back(item.key());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, MadeByTorch, ::testing::ValuesIn(files()), case_name);

TEST(Checkpoint, TensorsOfOneStorageShareItsMemory) {
  const ArrayMap tensors = read_checkpoint(made_by_torch("views.pt")).tensors;
  const auto* const base = static_cast<const float*>(tensors.at("base").storage.get());
  EXPECT_EQ(tensors.at("same").storage.get(), base);
  EXPECT_EQ(tensors.at("row").storage.get(), base + 12);
}

// 10 GB in a file of a kilobyte.
TEST(Checkpoint, RefusesClaimsBeyondTheFile) {
  constexpr std::int64_t claim = 2'500'000'000;
  const std::string four(16, '\0');
  EXPECT_EQ(refusal(one_tensor(claim, 4, four, tuple({claim}), tuple({1}))),
            "f: w: expected 2500000000 elements of torch.FloatStorage, found 16 bytes");
  EXPECT_EQ(
      refusal(one_tensor(4, claim, four, tuple({4}), tuple({1}))),
      "f: expected a storage 0 that fits into the file, found 2500000000 elements of torch.FloatStorage");
  EXPECT_THAT(refusal(one_tensor(4, 5, four, tuple({4}), tuple({1}))), Says("f: expected 20 ... found 16"));
  EXPECT_EQ(refusal(one_tensor(4, -1, four, tuple({4}), tuple({1}))),
            "f: expected a storage 0 that fits into the file, found -1 elements of torch.FloatStorage");
  EXPECT_EQ(refusal(one_tensor(-4, 4, four, tuple({4}), tuple({1}))),
            "f: w: expected -4 elements of torch.FloatStorage, found 16 bytes");
  EXPECT_THAT(refusal(one_tensor(4, 4, four, tuple({claim}), tuple({1}))),
              StartsWith("f: w: expected a tensor inside its 4 stored elements"));
}

TEST(Checkpoint, RefusesWhatIsNoCheckpoint) {
  EXPECT_EQ(refusal(""), "f: expected a PyTorch checkpoint, found an empty file");
  EXPECT_EQ(refusal("hello"), "f: expected a PyTorch checkpoint, found other bytes");
  EXPECT_EQ(refusal(legacy("}", "]", "", false)), "f: expected little-endian tensors, found big-endian ones");
  EXPECT_EQ(refusal(legacy("}", "]", "")), "f: expected tensors, found none in a dictionary");
  EXPECT_EQ(refusal(legacy("N", "]", "")), "f: expected tensors, found none in None");
  EXPECT_THAT(refusal(legacy("}", "]" + text("5") + "a", "")), Says("f: expected keys of the ... found '5'"));
  const std::string lost = "}" + text("w") + tensor(storage("7", 1), 0, ")", ")") + "s";
  EXPECT_EQ(refusal(legacy(lost, "]", "")), "f: expected a storage '7', found none");
  EXPECT_REFUSED(read_checkpoint(std::filesystem::path(LEEWAY_REFERENCE) / "torchscript/logits.pt"),
                 "logits.pt: expected a PyTorch checkpoint, found a TorchScript archive");
  EXPECT_REFUSED(read_checkpoint(leeway::testing::reference("types_stored.npz")),
                 "expected a PyTorch checkpoint, found a zip archive without data.pkl");
}

TEST(Checkpoint, ReadsTheModulesOfAClipArchive) {
  const ArrayMap tensors =
      read_checkpoint(std::filesystem::path(LEEWAY_REFERENCE) / "torchscript/clip_names.pt").tensors;
  EXPECT_THAT(array_names(tensors),
              ElementsAre("context_length", "text_projection", "visual.bias", "visual.weight"));
  EXPECT_THAT(tensors.at("text_projection").view<float>(), ElementsAre(0, .25, .5, .75, 1, 1.25));
}

TEST(Checkpoint, RefusesAZipThatLies) {
  const TemporaryFolder folder;
  const auto zipped = [&](const std::string& object, const std::string& byteorder, const std::string& block) {
    AtomicFile file(folder / "f.pt");
    ZipWriter zip(file);
    const auto add = [&](const std::string& name, const std::string& content) {
      const std::array<std::span<const std::byte>, 1> pieces{bytes_of(content)};
      zip.add("archive/" + name, pieces);
    };
    add("data.pkl", pickle(object));
    if (!byteorder.empty()) add("byteorder", byteorder);
    add("data/0", block);
    zip.finish();
    file.commit();
    const std::string content = read_bytes(folder / "f.pt");
    return refusal(content);
  };
  const std::string one = "}" + text("w") + tensor(storage("0", 2), 0, tuple({2}), tuple({1})) + "s";
  EXPECT_EQ(zipped(one, "", std::string(8, '\0')), "no error");
  EXPECT_EQ(zipped(one, "little", std::string(8, '\0')), "no error");
  EXPECT_EQ(zipped(one, "big", std::string(8, '\0')), "f: expected little-endian tensors, found 'big'");
  EXPECT_THAT(zipped(one, "", std::string(7, '\0')), Says("f: w: expected 2 elements of ... found 7 bytes"));
  const std::string other = "}" + text("w") + tensor(storage("1", 2), 0, tuple({2}), tuple({1})) + "s";
  EXPECT_EQ(zipped(other, "", ""), "f: expected a member archive/data/1, found none");
}

// As training scripts save them.
class Wrapped : public ::testing::Test {
 protected:
  static std::string entry(const std::string& key, const std::string& value) {
    return text(key) + value + "s";
  }
  static std::string one() { return tensor(storage("0", 1), 0, tuple({1}), tuple({1})); }
  static std::string weights() { return "}" + entry("w", one()); }
  static std::string file(const std::string& object) {
    return legacy(object, "]" + text("0") + "a", raw<std::int64_t>(1) + raw(1.f));
  }
  static std::string names(const std::string& object) {
    const std::string content = file(object);
    std::string joined;
    const NamedTensors weights = parse_checkpoint(file_of(content), "f");
    for (const auto& [name, array] : weights.tensors) joined += name + " ";
    return joined;
  }
  static std::string refused(const std::string& object) { return refusal(file(object)); }
  static std::string object_of(const std::string& state) {
    return global("__main__", "Net") + ")\x81" + state + "b";
  }
};

TEST_F(Wrapped, InListsAndUnderAnyKey) {
  EXPECT_EQ(names(weights()), "w ");
  EXPECT_EQ(names("]" + weights() + "a"), "w ");
  EXPECT_EQ(names("](K\x03" + weights() + "e"), "w ");
  EXPECT_EQ(names(weights() + "K\x03\x86"), "w ");
  EXPECT_EQ(names("]}" + entry("state_dict", weights()) + "a"), "w ");
  EXPECT_EQ(names("}" + entry("classifier", weights()) + entry("epoch", "K\x03")), "w ");
  EXPECT_EQ(names("}" + entry("ema", weights()) + entry("network", "}" + entry("v", one()))), "v ");
  EXPECT_EQ(names("}" + entry("a", weights()) + entry("b", weights())), "a.w b.w ");
  EXPECT_THAT(refused("](" + weights() + weights() + "e"), Says("f: expected ... found a list of 2 of them"));
}

TEST_F(Wrapped, OtherNetworksAreNamed) {
  const auto note = [](const std::string& object) {
    const TemporaryFolder folder;
    std::ofstream(folder / "f.pt", std::ios::binary) << file(object);
    const std::string text = read_checkpoint(folder / "f.pt").note;
    return text.substr(text.find("f.pt") == std::string::npos ? 0 : text.find("f.pt"));
  };
  EXPECT_EQ(note("}" + entry("state_dict", weights()) + entry("epoch", "K\x03")), "");
  EXPECT_EQ(note("}" + entry("model", "}" + entry("state_dict", weights()) + entry("ema", weights())) +
                 entry("critic", weights())),
            "f.pt: the weights are taken from model.state_dict; critic, model.ema also hold tensors");
}

TEST_F(Wrapped, BesideObjectsThatStayInert) {
  const std::string options = global("argparse", "Namespace") + ")\x81}" + text("lr") + "K\x01sb";
  EXPECT_EQ(names("}" + entry("state_dict", weights()) + entry("args", options)), "w ");
  EXPECT_EQ(names("}" + entry("w", one()) + entry("args", options)), "w ");
  EXPECT_EQ(names("}" + entry("model", weights()) + entry("optimizer", object_of(weights()))), "w ");
  EXPECT_EQ(refusal(legacy("}" + entry("args", options), "]", "")),
            "f: expected tensors, found none in a dictionary");
}

TEST_F(Wrapped, AWholeModuleIsRefusedWithWhatSavesItsWeights) {
  const std::string message =
      "f: expected tensors by name, found a whole module (__main__.Net), which only its own program can "
      "load; run these two lines there: model = torch.load('f', weights_only=False){}; "
      "torch.save(model.state_dict(), 'f-weights.pt')";
  const std::string module = object_of("}" + entry("_parameters", weights()));
  const auto at = [&](const std::string& place) {
    std::string text = message;
    return text.replace(text.find("{}"), 2, place);
  };
  EXPECT_EQ(refused(module), at(""));
  EXPECT_EQ(refused("}" + entry("epoch", "K\x03") + entry("model", module)), at("['model']"));
  // tensors of an optimizer are not those of the model
  const std::string state = "}" + entry("state", "}" + text("0") + weights() + "s");
  EXPECT_EQ(refused("}" + entry("model", module) + entry("optimizer", state)), at("['model']"));
}

// Each dictionary refers to the one before under every name that leads to weights, and lists hold one a thousand times.
TEST_F(Wrapped, NestsThatRepeatEnd) {
  std::string nest = "}q\x01";
  for (int level = 0; level < 40; ++level) {
    nest += "}";
    for (const char* const key : {"state_dict", "model", "net", "network", "a", "b"})
      nest += entry(key, "h\x01");
    nest += "q\x01";
  }
  EXPECT_THAT(refusal(legacy(nest, "]", "")), StartsWith("f: expected at most"));
  std::string list = "}q\x01";
  for (int level = 0; level < 6; ++level) {
    list += "](";
    for (int i = 0; i < 1000; ++i) list += "h\x01";
    list += "eq\x01}" + entry("model", "h\x01") + "q\x01";
  }
  EXPECT_THAT(refusal(legacy(list, "]", "")), StartsWith("f: expected "));
}

// A dictionary that holds itself, and one that doubles at every level.
TEST(Checkpoint, CyclesAndExplosionsEnd) {
  EXPECT_THAT(refusal(legacy("}q\x01" + text("self") + "h\x01s", "]", "")),
              StartsWith("f: expected at most 32 levels, found more at 'self.self.self"));
  std::string doubling = "]q\x01";
  for (int level = 0; level < 30; ++level) doubling += "h\x01h\x01\x86q\x01";
  EXPECT_EQ(refusal(legacy(doubling, "]", "")), "f: expected at most 262144 entries, found more");
  EXPECT_THAT(refusal(legacy("}" + text(std::string(1001, 'n')) + "Ns", "]", "")),
              StartsWith("f: expected names of at most 1000 bytes, found 'nnn"));
  EXPECT_THAT(refusal(legacy("}NNs", "]", "")),
              Says("f: expected strings and integers ... found None in ''"));
}

TEST(Checkpoint, NamesThatMeetAreRefused) {
  const std::string w = tensor(storage("0", 1), 0, ")", ")");
  const std::string object = "}" + text("a.b") + w + "s" + text("a") + "}" + text("b") + w + "ss";
  EXPECT_EQ(refusal(legacy(object, "]" + text("0") + "a", raw<std::int64_t>(1) + raw(1.f))),
            "f: expected tensors with different names, found 'a.b' twice");
}

TEST(ModelNotesFile, SaysAllThatItMay) {
  const ModelNotes notes = parse_notes(
      "arch = 'resnet20-cifar'\nscale = 255\nmean = [0.5, 1]\nstd = [2, 0.25]\ninput = [2, 32, 16]\n"
      "classes = ['cat', 'dog', 'owl']\n",
      "m.toml");
  EXPECT_EQ(notes.path, "m.toml");
  EXPECT_EQ(notes.architecture, "resnet20-cifar");
  EXPECT_EQ(notes.scale, 255);
  EXPECT_THAT(*notes.mean, ElementsAre(.5, 1));
  EXPECT_THAT(*notes.std, ElementsAre(2, .25));
  EXPECT_EQ(notes.input, (InputShape{2, 32, 16}));
  EXPECT_EQ(notes.classes, 3U);
  EXPECT_THAT(notes.class_names, ElementsAre("cat", "dog", "owl"));
}

TEST(ModelNotesFile, MayBeEmptyOrNumberItsClasses) {
  const ModelNotes empty = parse_notes("", "m.toml");
  EXPECT_FALSE(empty.scale || empty.mean || empty.std || empty.input.known());
  EXPECT_EQ(empty.classes, 0U);
  const ModelNotes number = parse_notes("classes = 1000", "m.toml");
  EXPECT_EQ(number.classes, 1000U);
  EXPECT_TRUE(number.class_names.empty());
}

TEST(ModelNotesFile, RefusesWhatMakesNoSense) {
  const auto message = [](const std::string& text) {
    return message_of([&] { (void)parse_notes(text, "m.toml"); });
  };
  EXPECT_THAT(message("\nmeans = [1]"),
              Says("m.toml: line 2, column 1: ... found 'means'; did you mean mean?"));
  EXPECT_THAT(message("[model]\narch = 'linear'"), HasSubstr("found '[model] arch'"));
  for (const char* const text :
       {"arch = ['a']", "scale = [1]", "scale = 'x'", "scale = inf", "mean = 1", "mean = []", "std = ['a']",
        "input = []", "input = [1, 2, 3, 4]", "input = [1, 2, 0]", "input = [1, 2, 2.5]",
        "input = [1, 2, 1e9]", "input = 3", "classes = 1", "classes = ['a']", "classes = true",
        "classes = -4", "classes = 1e300"})
    EXPECT_THAT(message(text), HasSubstr("m.toml: line 1, column 1: expected ")) << text;
  EXPECT_THAT(message("mean = [nan]"), HasSubstr("m.toml: line 1"));
}

TEST(ModelNotesFile, LiesBesideTheModelUnderItsWholeName) {
  const TemporaryFolder folder;
  EXPECT_TRUE(notes_beside(folder / "m.th").path.empty());
  std::ofstream(folder / "m.th.toml") << "scale = 2\n";
  EXPECT_EQ(notes_beside(folder / "m.th").scale, 2);
  EXPECT_EQ(notes_beside(folder / "m.th").path, (folder / "m.th.toml").string());
  EXPECT_TRUE(notes_beside(folder / "m").path.empty());
}

}  // namespace leeway::nn::checkpoint_test
