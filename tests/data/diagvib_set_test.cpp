#include "leeway/data/diagvib_set.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

#include "leeway/data/training_data.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"
#include "tests/at_threads.h"
#include "tests/core/files.h"
#include "tests/data/digits.h"
#include "tests/stopping.h"

namespace leeway::data::diagvib_set_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t side = 32, each = 3 * side * side;
const std::vector<std::size_t> two_classes = {0, 1};

DiagvibSet empty_set(DiagvibSplit split, std::span<const std::size_t> classes = two_classes,
                     std::size_t n = 60) {
  return {pool_of(diagvib_digits(made_up_digits(n, classes.size()), classes), split),
          diagvib_textures(),
          split,
          3,
          {},
          {}};
}

DiagvibSet set_of(const std::string& experiment, const std::string& part, const DiagvibRows& rows) {
  const DiagvibPart& chosen = diagvib_experiment(experiment).part(part);
  DiagvibSet set = empty_set(split_of(part));
  std::vector<std::size_t> all(chosen.environments.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  add_rows(set, chosen.environments, all, rows);
  return set;
}

std::vector<std::uint8_t> drawn(const DiagvibSet& set, std::size_t row) {
  std::vector<std::uint8_t> out(each);
  set.draw(set.rows[row], side, out);
  return out;
}

class DiagvibFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const TemporaryFolder folder_;
};

std::string table_of(const DiagvibPart& part) {
  std::string text;
  for (const DiagvibEnvironment& one : part.environments) {
    text += std::to_string(one.number);
    for (const std::string& name : one.classes) text += " " + name;
    text += "\n";
  }
  return text;
}

TEST(DiagvibExperiments, AreTables2And3) {
  EXPECT_EQ(
      table_of(diagvib_experiment("discriminability").part("test")),
      "0 red dark centre normal blank\n1 blue dark centre normal blank\n2 blue bright centre normal blank\n"
      "3 blue bright lower-centre normal blank\n4 blue bright lower-centre large blank\n"
      "5 blue bright lower-centre large tiles\n");
  for (const char* part : {"train", "val"})
    EXPECT_EQ(table_of(diagvib_experiment("discriminability").part(part)),
              "0 red dark centre normal blank\n1 blue dark centre normal blank\n");
  const DiagvibExperiment& selection = diagvib_experiment("selection");
  EXPECT_THAT(selection.digits, ElementsAre(1, 4, 7, 9));
  EXPECT_EQ(table_of(selection.part("train")),
            "0 red dark centre large blank\n1 blue dark centre large blank\n");
  EXPECT_EQ(table_of(selection.part("val-sd")),
            "0 red dark centre large blank\n1 red dark centre large blank\n");
  EXPECT_EQ(table_of(selection.part("val-1f-md")),
            "0 red dark centre large blank\n1 magenta dark centre large blank\n");
  EXPECT_EQ(table_of(selection.part("val-5f-md")),
            "0 red dark centre large blank\n1 green bright upper-left small tiles\n");
  EXPECT_EQ(table_of(selection.part("val-ood")),
            "0 yellow dark centre large blank\n1 magenta dark centre large blank\n");
  EXPECT_EQ(
      table_of(selection.part("test")),
      "0 red dark centre large blank\n1 green dark centre large blank\n2 green bright centre large blank\n"
      "3 green bright centre large tiles\n4 green bright upper-left large tiles\n5 green bright upper-left "
      "small tiles\n");
}

TEST(DiagvibExperiments, UnknownNamesListThoseThereAre) {
  EXPECT_REFUSED(diagvib_experiment("x"), "environment: expected one of discriminability, selection, zgo...");
  EXPECT_REFUSED(diagvib_experiment("selection").part("val"), "expected one of train, val-sd, val-id...");
}

TEST(DiagvibPairs, CountsAreExactByLargestRemainder) {
  const auto counts = [](const std::vector<double>& weights, std::size_t n) {
    return largest_remainder(weights, n);
  };
  EXPECT_THAT(counts({1, 1, 1}, 11), ElementsAre(4, 4, 3));
  EXPECT_THAT(counts({2, 1, 1}, 10), ElementsAre(5, 3, 2));        // 5, 2.5, 2.5
  EXPECT_THAT(counts({.05, .9, .05}, 30), ElementsAre(2, 27, 1));  // 1.5, 27, 1.5
  EXPECT_THAT(counts({.8, 0, .2}, 10000), ElementsAre(8000, 0, 2000));
  EXPECT_THAT(counts({1, 0, 1}, 1), ElementsAre(1, 0, 0));
}

PairWeights weights_of(const char* name, double share = .9) {
  return diagvib_experiment(name).weights(share);
}

TEST(DiagvibPairs, InformationIsThatOfTheSetting) {
  const double log2 = std::log(2), log3 = std::log(3);
  EXPECT_NEAR(mutual_information(weights_of("zgo")), log3, 1e-12);
  EXPECT_NEAR(mutual_information(weights_of("zso")), 0, 1e-12);
  EXPECT_NEAR(mutual_information(weights_of("3-cgo")), log3 - log2, 1e-12);
  EXPECT_NEAR(mutual_information(weights_of("fgo", 1)), log3, 1e-12);
  EXPECT_NEAR(mutual_information(weights_of("fgo", 1. / 3)), 0, 1e-12);
  // r log r + (1 - r) log((1 - r) / 2) + log 3
  EXPECT_NEAR(mutual_information(weights_of("fgo", .9)), log3 + .9 * std::log(.9) + .1 * std::log(.05),
              1e-12);
  const auto digits = [](const char* name) {
    const PairWeights weights = weights_of(name);
    std::vector<double> sums;
    double all = 0;
    for (const auto& row : weights) sums.push_back(row[0] + row[1] + row[2]), all += sums.back();
    for (double& sum : sums) sum /= all;
    return sums;
  };
  EXPECT_THAT(digits("1-cgo"), ElementsAre(.5, .25, .25));
  EXPECT_THAT(digits("2-cgo"), ElementsAre(.4, .4, .2));
  const PairWeights unseen = tested_pairs(weights_of("2-cgo"), SeenPairs::unseen);
  EXPECT_EQ(unseen, (PairWeights{{{0, 0, 1}, {1, 0, 0}, {1, 1, 0}}}));
  EXPECT_EQ(tested_pairs(weights_of("zgo"), SeenPairs::all), weights_of("zso"));
  EXPECT_REFUSED(tested_pairs(weights_of("zso"), SeenPairs::unseen), "training has all nine...");
}

TEST(DiagvibPairs, SetsHaveThem) {
  const std::vector<std::size_t> classes = {2, 0, 1};
  DiagvibSet set = empty_set(DiagvibSplit::train, classes);
  add_co_occurrence(set, weights_of("1-cgo"), DiagvibFactor::lightness, {{DiagvibFactor::texture, "blank"}},
                    102);
  std::map<std::string, std::size_t> pairs;
  std::set<std::string> hues;
  for (const DiagvibRow& row : set.rows) {
    ++pairs[std::to_string(row.label) + set.class_of(row, DiagvibFactor::lightness)];
    hues.insert(set.class_of(row, DiagvibFactor::hue));
    EXPECT_EQ(set.class_of(row, DiagvibFactor::texture), "blank");
  }
  EXPECT_EQ(pairs, (std::map<std::string, std::size_t>{
                       {"0dark", 26}, {"0darker", 26}, {"1darker", 25}, {"2brighter", 25}}));
  EXPECT_THAT(hues, ElementsAre("blue", "green", "red"));
  EXPECT_THAT(set.groups, ElementsAre("digit", "lightness"));
  EXPECT_NE(set.rows.front().label * 10 + set.rows[1].label, 0);  // in random order
  const auto refused = [&](std::span<const std::size_t> digits,
                           const std::map<DiagvibFactor, std::string>& fixed) {
    return message_of([&] {
      DiagvibSet other = empty_set(DiagvibSplit::train, digits);
      add_co_occurrence(other, weights_of("zgo"), DiagvibFactor::hue, fixed, 9);
    });
  };
  EXPECT_THAT(refused(two_classes, {}), HasSubstr("classes: expected 3 digits"));
  EXPECT_THAT(refused(classes, {{DiagvibFactor::hue, "red"}}), HasSubstr("the learning factor, found hue"));
  EXPECT_THAT(refused(classes, {{DiagvibFactor::scale, "tiny"}}),
              HasSubstr("scale: expected one of small, smaller"));
}

TEST(DiagvibPools, AreDisjointAndWhole) {
  const DiagvibDigits digits = diagvib_digits(made_up_digits(53, 2), two_classes);  // 27 and 26
  const auto rows = [](const DiagvibDigits& pool, std::size_t label) {
    std::vector<std::size_t> found;
    for (const DiagvibDigit& digit : pool.of_class[label]) found.push_back(digit.row);
    return found;
  };
  for (std::size_t label = 0; label < 2; ++label) {
    auto train = rows(pool_of(digits, DiagvibSplit::train), label);
    const auto val = rows(pool_of(digits, DiagvibSplit::val), label), all = rows(digits, label);
    EXPECT_EQ(train.size(), label == 0 ? 21 : 20);  // floor(.8 27), floor(.8 26)
    train.insert(train.end(), val.begin(), val.end());
    EXPECT_EQ(train, all);
    EXPECT_EQ(rows(pool_of(digits, DiagvibSplit::test), label), all);
  }
}

TEST(DiagvibRowsOf, PairedEnvironmentsDifferInTheirFactorsAlone) {
  const DiagvibSet set = set_of("discriminability", "test", {.n = 30});
  ASSERT_EQ(set.rows.size(), 180);
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < 30; ++i) {
    const DiagvibRow& first = set.rows[i];
    EXPECT_EQ(first.label, i % 2);
    EXPECT_EQ(first.digit, i / 2);  // one after the other
    for (std::size_t e = 1; e < 6; ++e) {
      const DiagvibRow& row = set.rows[30 * e + i];
      EXPECT_EQ(row.environment, e);
      EXPECT_EQ(std::tie(row.label, row.digit, row.sample), std::tie(first.label, first.digit, first.sample));
    }
    const DiagvibLook a = set.look(set.rows[i]), b = set.look(set.rows[30 + i]);
    EXPECT_NEAR(b.hue - a.hue, 240, 1e-9);
    EXPECT_EQ(std::tie(a.row, a.column, a.scale, a.lightness1),
              std::tie(b.row, b.column, b.scale, b.lightness1));
    seen.insert(set.digit_row(first));
  }
  EXPECT_EQ(seen.size(), 30);
  const DiagvibSet round = set_of("discriminability", "test", {.n = 130});
  EXPECT_EQ(round.rows[60 + 7].digit, round.rows[7].digit);  // 30 digits of each of two classes
  EXPECT_NE(drawn(round, 60 + 7), drawn(round, 7));          // with other random numbers
}

TEST(DiagvibRowsOf, UnpairedEnvironmentsShareNoDigitAndNoRandomNumber) {
  const DiagvibSet set = set_of("discriminability", "train", {.n = 200, .pairing = DiagvibPairing::unpaired});
  std::array<std::set<std::size_t>, 2> digits;
  for (std::size_t i = 0; i < 400; ++i) digits[i / 200].insert(set.digit_row(set.rows[i]));
  for (const std::size_t one : digits[0]) EXPECT_FALSE(digits[1].contains(one));
  EXPECT_EQ(digits[0].size(), 24);  // halves of pools of 24 of two classes: all are drawn
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(set.rows[i].label, set.rows[200 + i].label);
    EXPECT_NE(set.look(set.rows[i]).scale, set.look(set.rows[200 + i]).scale);
  }
}

TEST(DiagvibRowsOf, ARatioShiftsTheLastRows) {
  for (const auto& [ratio, shifted] : {std::pair(.8, 80), {0., 0}, {1., 100}, {.005, 1}, {.29, 29}}) {
    const DiagvibSet set = set_of("discriminability", "test", {.n = 100, .shift_ratio = ratio}),
                     whole = set_of("discriminability", "test", {.n = 100});
    for (std::size_t i = 0; i < 100; ++i) {
      const bool moved = i >= 100 - static_cast<std::size_t>(shifted);
      EXPECT_EQ(set.rows[300 + i].environment, moved ? 3 : 0);
      if (i % 20 == 0) {
        EXPECT_EQ(drawn(set, 300 + i), drawn(whole, moved ? 300 + i : i));
      }
    }
  }
  EXPECT_REFUSED(set_of("selection", "test", {.n = 2, .shift_ratio = 1.5}), "shift_ratio: ... found 1.5");
}

TEST(DiagvibRowsOf, ALargerSetBeginsWithASmallerOne) {
  const DiagvibSet small = set_of("selection", "train", {.n = 10}),
                   large = set_of("selection", "train", {.n = 20});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(drawn(small, i), drawn(large, i));
    EXPECT_EQ(drawn(small, 10 + i), drawn(large, 20 + i));
  }
}

TEST_F(DiagvibFiles, AreTrainingDataWithTheirStatistics) {
  const DiagvibSet set = set_of("discriminability", "train", {.n = 25, .pairing = DiagvibPairing::unpaired});
  const EnvironmentStatistics statistics = write_diagvib(path("a.npz"), set, side, nullptr);
  const TrainingData data = read_training_data(path("a.npz"), {});
  EXPECT_THAT(data.images.pixels.shape, ElementsAre(50, 3, side, side));
  EXPECT_THAT(data.environment->levels, ElementsAre("0", "1"));
  EXPECT_TRUE(data.groups.empty());
  const auto pixels = data.images.pixels.view<std::uint8_t>();
  std::array<double, 3> all{};
  for (std::size_t e = 0; e < 2; ++e)
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0, squares = 0;
      const double count = 25 * side * side;
      for (std::size_t i = 0; i < 25 * side * side; ++i) {
        const double v =
            pixels[(25 * e + i / (side * side)) * each + c * side * side + i % (side * side)] / 255.;
        sum += v, squares += v * v;
      }
      EXPECT_NEAR(statistics.at(e).mean[c], sum / count, 1e-12);
      EXPECT_NEAR(statistics.at(e).std[c], std::sqrt(squares / count - sum / count * sum / count), 1e-9);
      all[c] += sum / count / 2;
    }
  EXPECT_NEAR(pooled(statistics).mean[1], all[1], 1e-12);
  EXPECT_EQ(pooled(statistics).n, 50);
  for (const std::size_t row : {0, 24, 25, 49}) {
    EXPECT_EQ((*data.images.labels)[row], static_cast<std::int64_t>(set.rows[row].label));
    EXPECT_EQ(data.environment->codes[row], row < 25 ? 0 : 1);
    EXPECT_TRUE(std::ranges::equal(pixels.subspan(row * each, each), drawn(set, row)));
  }
}

// Row i of both environments has one digit class; pairs are counted alike, digits and random numbers differ.
TEST(DiagvibPairs, EnvironmentsAreUnpairedSamplesOfTheSameDigits) {
  const std::vector<std::size_t> classes = {2, 0, 1};
  DiagvibSet set = empty_set(DiagvibSplit::val, classes);
  for (const std::size_t e : {0U, 1U})
    add_co_occurrence(set, weights_of("3-cgo"), DiagvibFactor::hue, {}, 60, e, 2);
  std::map<std::string, std::size_t> pairs[2];
  std::size_t other_hues = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const DiagvibRow &first = set.rows[i], &second = set.rows[60 + i];
    EXPECT_EQ(first.label, second.label);
    EXPECT_EQ(second.environment, 1);
    EXPECT_NE(first.sample, second.sample);
    EXPECT_LT(first.digit, set.digits.of_class[first.label].size() / 2);
    EXPECT_GE(second.digit, set.digits.of_class[second.label].size() / 2);
    for (const DiagvibRow* const row : {&first, &second})
      ++pairs[row->environment][std::to_string(row->label) + set.class_of(*row, DiagvibFactor::hue)];
    other_hues += first.codes[0] != second.codes[0];
  }
  EXPECT_EQ(pairs[0].size(), 6);
  EXPECT_EQ(pairs[0], pairs[1]);
  EXPECT_GT(other_hues, 15);
}

TEST_F(DiagvibFiles, CoOccurrenceIsWrittenAsGroups) {
  const std::vector<std::size_t> classes = {2, 0, 1};
  DiagvibSet set = empty_set(DiagvibSplit::train, classes);
  add_co_occurrence(set, weights_of("zgo"), DiagvibFactor::hue, {}, 30);
  write_diagvib(path("a.npz"), set, side, nullptr);
  const TrainingData data = read_training_data(path("a.npz"), {});
  ASSERT_EQ(data.groups.size(), 2);
  EXPECT_EQ(data.groups[0].name, "digit");
  EXPECT_EQ(data.groups[1].name, "hue");
  EXPECT_THAT(data.groups[1].levels, ElementsAre("blue", "green", "red"));
  EXPECT_TRUE(data.environment);
  EXPECT_EQ(label_groups(data).levels.size(), 3);  // digit and hue are one
  write_diagvib_table(path("a.csv"), set);
  EXPECT_THAT(read_csv(path("a.csv")).header, ::testing::Contains("hue_degrees"));
}

TEST_F(DiagvibFiles, AreTheSameBytesAtAnyNumberOfThreads) {
  const DiagvibSet set = set_of("selection", "test", {.n = 40});
  const auto bytes = [&](int threads) {
    at_threads(threads, [&] { return write_diagvib(path("a.npz"), set, side, nullptr); });
    const auto x = read_npz(path("a.npz")).at("x");
    return std::vector(x.bytes().begin(), x.bytes().end());
  };
  EXPECT_EQ(bytes(7), bytes(1));
}

TEST_F(DiagvibFiles, TablesSayWhatWasDrawn) {
  const DiagvibSet set = set_of("discriminability", "test", {.n = 4});
  write_diagvib_table(path("a.csv"), set);
  const CsvTable table = read_csv(path("a.csv"));
  ASSERT_EQ(table.rows(), 24);
  const auto cell = [&](const char* name, std::size_t row) {
    return std::string(table.columns[table.find(name).value()][row]);
  };
  EXPECT_EQ(cell("hue", 0), "red");
  EXPECT_EQ(cell("texture", 23), "tiles*");
  EXPECT_EQ(cell("environment", 23), "5");
  EXPECT_EQ(cell("digit_row", 3), cell("digit_row", 23));
  EXPECT_NEAR(std::stod(cell("hue_degrees", 4)) - std::stod(cell("hue_degrees", 0)), 240, 1e-3);
}

TEST_F(DiagvibFiles, AStopLeavesNoFile) {
  const DiagvibSet set = set_of("discriminability", "test", {.n = 1500});
  Stopping stop;
  EXPECT_THROW(write_diagvib(path("a.npz"), set, 28, &stop), Interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST(DiagvibSheet, HasTenPicturesOfEachEnvironment) {
  const DiagvibSet set = set_of("discriminability", "test", {.n = 4});
  const ShownSet shown{&set, 4};
  const Bitmap sheet = sheet_of({&shown, 1}, 64, 1);
  EXPECT_EQ(sheet.height, 6 * 66 + 2);
  EXPECT_EQ(sheet.width, 10 * 66 + 2);
}

TEST(DiagvibDigitsOf, SayWhatIsWrong) {
  const auto refused = [](const Images& pictures, std::vector<std::size_t> classes) {
    return message_of([&] { (void)diagvib_digits(pictures, classes); });
  };
  Images digits = made_up_digits(20, 2);
  EXPECT_EQ(refused(digits, {0, 7}), "digits: expected images of class 7, found none");
  digits.labels.reset();
  EXPECT_THAT(refused(digits, {0, 1}), HasSubstr("expected labels"));
  digits.pixels.shape = {5, 1, 56, 56};
  EXPECT_EQ(refused(digits, {0, 1}),
            "digits: expected grayscale images of 28 x 28 pixels, found 1 channels of 56 x 56");
  const DiagvibPart& train = diagvib_experiment("discriminability").part("train");
  DiagvibSet few = empty_set(DiagvibSplit::train, two_classes, 4);  // pools of one digit, halves of none
  const std::vector<std::size_t> both = {0, 1};
  EXPECT_REFUSED(add_rows(few, train.environments, both, {.n = 4, .pairing = DiagvibPairing::unpaired}),
                 "digits of class 0: expected at least 2 in the train pool, found 1");
}

TEST(DiagvibDigitsOf, LeaveOutWhatIsFaintAndTakeFloats) {
  Images digits = made_up_digits(10, 2);
  std::vector<float> values(10 * 784);
  for (std::size_t row = 0; row < 10; ++row) digits.copy_row(row, std::span(values).subspan(row * 784, 784));
  std::fill(values.begin() + 784, values.begin() + std::ptrdiff_t{2} * 784, .3F);
  Images floats{"digits", make_array(std::vector<std::size_t>{10, 1, 28, 28}, values), digits.labels};
  const DiagvibDigits bytes = diagvib_digits(digits, two_classes),
                      found = diagvib_digits(floats, two_classes);
  EXPECT_EQ(found.left_out, 1);
  EXPECT_EQ(found.of_class[1].size(), 4);
  EXPECT_EQ(found.of_class[0][2].glyph, bytes.of_class[0][2].glyph);
}

}  // namespace leeway::data::diagvib_set_test
