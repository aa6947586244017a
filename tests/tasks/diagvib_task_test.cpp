// DiagViB environments written without a command.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "leeway/core/error.h"
#include "leeway/core/result.h"
#include "leeway/data/diagvib_environments.h"
#include "leeway/data/training_data.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"
#include "leeway/tasks/diagvib/diagvib.h"
#include "tests/core/files.h"
#include "tests/data/digits.h"
#include "tests/message_of.h"

namespace leeway::tasks::diagvib_task_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DiagvibTask : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Digits 0 to 9, 8 each in training and 5 in tests.
  [[nodiscard]] DataDiagvibTask task(const std::string& environment, const std::string& part) const {
    DataDiagvibTask task{
        .digits = "train",
        .test_digits = "test",
        .out = {path("a.npz"), "", "", true},
        .seed = 4,
        .open = [](const std::string& name) { return made_up_digits(name == "train" ? 80 : 50, 10); }};
    task.options.environment = environment;
    task.options.part = part;
    task.options.n = 12;
    task.options.size = 28;
    return task;
  }

  const TemporaryFolder folder_;
};

TEST_F(DiagvibTask, TrainingHasBothEnvironments) {
  const DataDiagvib record = data_diagvib(task("discriminability", "train"));
  ASSERT_THAT(record.results, SizeIs(1));
  const DiagvibFile& file = record.results[0];
  EXPECT_EQ(file.n, 24);
  EXPECT_THAT(file.shape, ElementsAre(24, 3, 28, 28));
  EXPECT_EQ(file.pairing, "unpaired");
  EXPECT_THAT(file.pool, ElementsAre(6, 6));  // floor(.8 8)
  ASSERT_THAT(file.environments, SizeIs(2));
  EXPECT_EQ(file.environments[1].hue, "blue");
  EXPECT_EQ(file.environments[1].n, 12);
  EXPECT_NEAR(file.mean[0], (file.environments[0].mean[0] + file.environments[1].mean[0]) / 2, 1e-12);
  EXPECT_GT(file.environments[0].mean[0], file.environments[1].mean[0]);  // red is lighter in red
  EXPECT_THAT(record.classes, ElementsAre("4", "9"));
  EXPECT_EQ(file.out->bytes, std::filesystem::file_size(path("a.npz")));
  EXPECT_THAT(record.envelope.headline, HasSubstr("24 images of 4, 9 have 28 x 28 pixels; --mean 0."));
  EXPECT_THAT(record.envelope.findings, IsEmpty());
  const data::TrainingData data = data::read_training_data(path("a.npz"), {});
  EXPECT_EQ(data.environment->codes.back(), 1);
  const Json json = to_json(record);
  EXPECT_TRUE(json["results"][0]["mutual_information"].is_null());
}

TEST_F(DiagvibTask, APartOfAPartIsItsRows) {
  DataDiagvibTask whole = task("discriminability", "train"), second = task("discriminability", "train:1");
  (void)data_diagvib(whole);
  second.out.images = path("b.npz");
  const DataDiagvib record = data_diagvib(second);
  EXPECT_EQ(record.results[0].environments.at(0).number, 1);
  const auto all = read_npz(path("a.npz")), one = read_npz(path("b.npz"));
  EXPECT_TRUE(std::ranges::equal(all.at("x").view<std::uint8_t>().last(12 * 3 * 784),
                                 one.at("x").view<std::uint8_t>()));
}

TEST_F(DiagvibTask, AllPartsGoToAFolder) {
  DataDiagvibTask all = task("selection", "all");
  all.options.n = 16;
  all.out.images = path("all");
  all.out.sheet = path("all.png");
  const DataDiagvib record = data_diagvib(all);
  std::vector<std::string> parts;
  for (const DiagvibFile& file : record.results) parts.push_back(file.part);
  EXPECT_THAT(parts, ElementsAre("train", "val-sd:0", "val-sd:1", "val-id:0", "val-id:1", "val-1f-md:0",
                                 "val-1f-md:1", "val-5f-md:0", "val-5f-md:1", "val-ood:0", "val-ood:1",
                                 "test:0", "test:1", "test:2", "test:3", "test:4", "test:5"));
  EXPECT_EQ(record.results[0].n, 32);
  EXPECT_EQ(record.results[1].n, 8);   // a half of the training environment, as in the paper
  EXPECT_EQ(record.results[16].n, 4);  // a quarter
  EXPECT_EQ(record.results[16].environments.at(0).texture, "tiles*");
  EXPECT_THAT(record.envelope.findings, SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "all/val-5f-md-1.npz"));
  EXPECT_TRUE(record.sheet);
  EXPECT_THAT(record.envelope.headline, HasSubstr(" in 17 files; --mean "));
}

TEST_F(DiagvibTask, CoOccurrenceCountsItsPairs) {
  DataDiagvibTask pairs = task("3-cgo", "train");
  pairs.options.factors = {"texture=tiles", "scale=normal"};
  const DiagvibFile file = data_diagvib(pairs).results.at(0);
  EXPECT_THAT(file.pairs, ElementsAre(ElementsAre(4, 4, 0), ElementsAre(0, 4, 4), ElementsAre(4, 0, 4)));
  EXPECT_EQ(data::read_training_data(path("a.npz"), {}).environment->codes.back(), 1);
  EXPECT_NEAR(*file.mutual_information, std::log(1.5), 1e-12);  // log 3 - log 2
  EXPECT_THAT(file.learning_classes, ElementsAre("red", "green", "blue"));
  EXPECT_THAT(file.environments, IsEmpty());
  pairs.options.part = "test:unseen";
  EXPECT_THAT(data_diagvib(pairs).results.at(0).pairs,
              ElementsAre(ElementsAre(0, 0, 4), ElementsAre(4, 0, 0), ElementsAre(0, 4, 0)));
  pairs.options.learning_factor = "texture";
  pairs.options.factors.clear();
  EXPECT_THAT(data_diagvib(pairs).results.at(0).learning_classes, ElementsAre("tiles*", "wood*", "carpet*"));
  EXPECT_THAT(diagvib_parts(pairs.options), ElementsAre("test:unseen"));
  pairs.options.part = "all";
  EXPECT_THAT(diagvib_parts(pairs.options),
              ElementsAre("train", "val:0", "val:1", "test:1", "test:2", "test:3", "test:4", "test:5"));
}

// Test i shifts the pairs and i - 1 other factors, the learning factor excepted.
TEST_F(DiagvibTask, CoOccurrenceTestsShiftOneMoreFactorEach) {
  DataDiagvibTask tests = task("zgo", "test:1");
  tests.out.attributes = path("a.csv");
  tests.options.n = 90;
  const auto classes = [&](std::size_t number, const std::string& learning) {
    tests.options.part = "test:" + std::to_string(number), tests.options.learning_factor = learning;
    EXPECT_EQ(*data_diagvib(tests).results.at(0).mutual_information, 0);
    const CsvTable table = read_csv(path("a.csv"));
    std::string text;
    for (const std::string name : {"hue", "lightness", "texture", "position", "scale"}) {
      const auto& column = table.columns[table.find(name).value()];
      const std::set<std::string> found(column.begin(), column.end());
      text += found.size() == 3 ? "3 " : found.size() == 1 ? *found.begin() + " " : "? ";
    }
    return text;
  };
  EXPECT_EQ(classes(1, "hue"), "3 3 3 3 3 ");
  EXPECT_EQ(classes(3, "hue"), "3 bright bricks* 3 3 ");
  EXPECT_EQ(classes(5, "hue"), "3 bright bricks* upper-right smaller ");
  EXPECT_EQ(classes(5, "position"), "magenta bright bricks* 3 smaller ");
}

TEST_F(DiagvibTask, SaysWhatIsWrong) {
  const auto refused = [&](const std::string& environment, const std::string& part, const auto& change) {
    DataDiagvibTask wrong = task(environment, part);
    change(wrong);
    return message_of([&] { (void)data_diagvib(wrong); });
  };
  const auto option = [&](const std::string& environment, const auto& change) {
    DataDiagvibTask wrong = task(environment, "train");
    change(wrong);
    EXPECT_THROW((void)data_diagvib(wrong), OptionError) << environment;
  };
  const auto nothing = [](DataDiagvibTask&) {};
  EXPECT_THAT(refused("selection", "test:6", nothing),
              HasSubstr("part test of selection: expected an environment from 0 to 5, found '6'"));
  EXPECT_THAT(refused("zgo", "train:2", nothing),
              HasSubstr("part train of zgo: expected an environment from 0 to 1, found '2'"));
  EXPECT_THAT(refused("zgo", "test:6", nothing),
              HasSubstr("test:1 to test:5, test:seen, test:unseen or test:all, found 'test:6'"));
  EXPECT_THAT(refused("zso", "test:unseen", nothing), HasSubstr("pairs that are not in training"));
  EXPECT_THAT(refused("selection", "train", [](DataDiagvibTask& t) { t.options.factors = {"hue=pink"}; }),
              HasSubstr("hue: expected one of red, yellow, green, cyan, blue, magenta, found 'pink'"));
  EXPECT_THAT(refused("selection", "test", [](DataDiagvibTask& t) { t.test_digits = ""; }),
              HasSubstr("--test-digits is required"));
  EXPECT_THAT(refused("selection", "test", [](DataDiagvibTask& t) { t.test_digits = "train"; }),
              HasSubstr("--test-digits: expected a file other than --digits"));
  EXPECT_THAT(refused("selection", "all", [](DataDiagvibTask& t) { t.out.attributes = "a.csv"; }),
              HasSubstr("--attributes: expected a single part"));
  option("selection", [](DataDiagvibTask& t) { t.options.factors = {"shape=1"}; });
  option("zgo", [](DataDiagvibTask& t) { t.options.factors = {"hue=red"}; });
  option("selection", [](DataDiagvibTask& t) { t.options.part = "test:"; });
  option("selection", [](DataDiagvibTask& t) { t.options.classes = {1, 1}; });
  option("selection", [](DataDiagvibTask& t) { t.options.classes = {1}; });
  option("selection", [](DataDiagvibTask& t) { t.options.share = .5; });
  option("selection", [](DataDiagvibTask& t) { t.options.learning_factor = "scale"; });
  option("zgo", [](DataDiagvibTask& t) { t.options.pairing = "paired"; });
  option("zgo", [](DataDiagvibTask& t) { t.options.shift_ratio = .5; });
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST(DiagvibTestDigits, AreBesideTheTrainingFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(test_digits_beside("fashion-mnist:train"), "fashion-mnist:test");
  const std::string train = (folder / "train-images-idx3-ubyte.gz").string();
  EXPECT_EQ(test_digits_beside(train), "");
  std::ofstream(folder / "t10k-images-idx3-ubyte");
  EXPECT_EQ(test_digits_beside(train), (folder / "t10k-images-idx3-ubyte").string());
  EXPECT_EQ(test_digits_beside((folder / "digits.npz").string()), "");
}

TEST(DiagvibRecord, FindingsNameTexturesThatLeewayDraws) {
  DataDiagvib record;
  record.results.resize(1);
  DiagvibFile& file = record.results[0];
  const auto textures = [&](std::vector<std::string> names) {
    file.environments.clear();
    for (const std::string& name : names) file.environments.emplace_back().texture = name;
    return findings_of(record);
  };
  EXPECT_THAT(textures({"wood", "tiles"}), IsEmpty());
  for (const auto& names : {std::vector<std::string>{"wood*", "tiles"}, {"wood", "tiles*"}})
    EXPECT_THAT(textures(names), ElementsAre(HasSubstr("star")));
  EXPECT_THAT(textures({}), IsEmpty());
  file.learning_classes = {"tiles", "wood*", "carpet"};
  record.left_out = 3;
  EXPECT_THAT(findings_of(record), ElementsAre(HasSubstr("3 images"), HasSubstr("star")));
}

// docs/guides/environments.md says of each environment what the list says.
TEST(DiagvibDocument, HasTheTables) {
  std::ifstream file(std::string(LEEWAY_REFERENCE) + "/../../docs/guides/environments.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const data::DiagvibExperiment& experiment : data::diagvib_experiments())
    for (const data::DiagvibPart& part : experiment.parts) {
      std::string line = "| `" + std::string(experiment.name) + "` | " + part.name + " |";
      if (part.environments.empty() || experiment.weights != nullptr) continue;
      for (const data::DiagvibEnvironment& one : part.environments) {
        std::string row = line + " " + std::to_string(one.number) + " |";
        for (const std::string& name : one.classes) row += " " + name + " |";
        EXPECT_THAT(text, HasSubstr(row + "\n"));
      }
    }
  for (const data::DiagvibExperiment& experiment : data::diagvib_experiments())
    EXPECT_THAT(text, HasSubstr("`" + std::string(experiment.name) + "`"));
}

}  // namespace leeway::tasks::diagvib_task_test
