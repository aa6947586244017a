#include "leeway/agreement/pairing.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <limits>
#include <ostream>
#include <string>

#include "leeway/core/file.h"
#include "tests/agreement/cases.h"
#include "tests/agreement/reference_cases.h"
#include "tests/at_threads.h"
#include "tests/files.h"
#include "tests/message_of.h"

namespace leeway::agreement {

void PrintTo(const RowPair& pair, std::ostream* out) { *out << pair.clean << "-" << pair.shifted; }

namespace {

using ::testing::HasSubstr;

Sample sample(std::string name, std::size_t d, std::vector<double> features,
              std::vector<std::int64_t> labels = {}) {
  Sample result{std::move(name), {}, make_array<double>({features.size() / d, d}, features), {}};
  if (!labels.empty()) result.labels = std::move(labels);
  return result;
}

std::vector<RowPair> pairs_of(std::string_view method, const Sample& clean, const Sample& shifted) {
  return pairing(method).pair(clean, shifted, 1);
}

std::string refusal(std::string_view method, const Sample& clean, const Sample& shifted) {
  return message_of([&] { (void)pairs_of(method, clean, shifted); });
}

// 3,000 shifted rows of one label, three clean ones: each is drawn a thousand times, within five standard deviations.
TEST(Pairing, ResampledRowsOfALabel) {
  const std::vector<std::int64_t> many(3000, 4);
  const Sample clean = sample("c", 1, {0, 0, 0, 0}, {4, 9, 4, 4}),
               shifted = sample("s", 1, std::vector<double>(3000), many);
  const auto pairs = pairing("label-resample").pair(clean, shifted, 7);
  ASSERT_EQ(pairs.size(), 3000);
  std::size_t drawn[4] = {};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].shifted, i);
    ++drawn[pairs[i].clean];
  }
  EXPECT_EQ(drawn[1], 0);
  for (const std::size_t row : {0, 2, 3}) EXPECT_NEAR(static_cast<double>(drawn[row]), 1000, 130);
  EXPECT_EQ(pairs, pairing("label-resample").pair(clean, shifted, 7));
  EXPECT_NE(pairs, pairing("label-resample").pair(clean, shifted, 8));
  // A draw depends on the seed and its own row: rows of a label that the clean set lacks change no other.
  Sample some = shifted;
  (*some.labels)[0] = 1;
  const auto rest = pairing("label-resample").pair(clean, some, 7);
  EXPECT_EQ(rest, std::vector<RowPair>(pairs.begin() + 1, pairs.end()));
}

TEST(Pairing, EqualsOtherPrograms) {
  std::size_t compared = 0;
  for (const auto& example : reference_cases())
    for (const auto& [method, expected] : example.json["pairs"].items()) {
      SCOPED_TRACE(example.name + ", " + method);
      std::vector<RowPair> wanted;
      for (const auto& pair : expected) wanted.push_back({pair[0], pair[1]});
      EXPECT_EQ(pairs_of(method, example.clean, example.shifted), wanted);
      ++compared;
    }
  EXPECT_GE(compared, 41u);
}

TEST(Pairing, NearestEqualsANaiveLoopAtAnyNumberOfThreads) {
  Draws draws(2);
  std::vector<double> x(3 * 203), y(3 * 157);
  for (double& value : x) value = static_cast<double>(draws.below(4));  // a grid: many ties
  for (double& value : y) value = static_cast<double>(draws.below(4));
  std::vector<RowPair> expected;
  for (std::size_t j = 0; j < 157; ++j) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 203; ++i) {
      double s = 0;
      for (std::size_t c = 0; c < 3; ++c) s += (x[3 * i + c] - y[3 * j + c]) * (x[3 * i + c] - y[3 * j + c]);
      if (s < least) least = s, best = i;
    }
    expected.push_back({best, j});
  }
  const auto found = [&] { return pairs_of("nearest", sample("c", 3, x), sample("s", 3, y)); };
  for (const int count : {1, 2, 5}) EXPECT_EQ(at_threads(count, found), expected) << count;
}

TEST(Pairing, Errors) {
  const Sample one = sample("c", 1, {1, 2, 3}, {0, 1, 0}), two = sample("s", 2, {1, 2, 3, 4}, {5, 5});
  Sample bare = two;
  bare.features.reset(), bare.labels.reset(), bare.logits = two.features;
  EXPECT_EQ(refusal("given", one, two),
            "s: expected 3 rows, as in c, because rows are paired in the given order, found 2");
  EXPECT_EQ(refusal("label", one, two), "s: expected rows with a label of c, found none in common");
  EXPECT_EQ(refusal("label", one, bare), "s: expected labels, to pair rows by, found none");
  EXPECT_EQ(refusal("nearest", one, bare), "s: expected features, to pair rows by, found none");
  EXPECT_EQ(refusal("nearest", one, two), "s: expected features of 1 columns, as in c, found 2");
  EXPECT_EQ(refusal("label-nearest", one, two), "s: expected features of 1 columns, as in c, found 2");
  Sample unlabelled = two;
  unlabelled.labels.reset();
  EXPECT_THAT(refusal("cca", one, unlabelled), ::testing::HasSubstr("correlate features, found 2 rows"));
  EXPECT_THAT(refusal("cca", sample("c", 1, {1, -1, 1, -1}), sample("s", 1, {1, 1, -1, -1})),
              ::testing::HasSubstr("found none"));
  Sample short_labels = one;
  short_labels.labels->pop_back();
  EXPECT_EQ(refusal("label", short_labels, one), "c: expected 3 labels, found 2");
  Sample other_rows = one;
  other_rows.logits = make_array<double>({2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(refusal("nearest", other_rows, one), "c: expected features of 2 rows, found 3");
  EXPECT_REFUSED(pairing("random"), "pairing: expected one of " + names_of(pairings()) + ", found 'random'");
}

TEST(Pairing, TheTableSaysWhatIsNeeded) {
  const Sample full = sample("c", 1, {1, 2, 4}, {0, 1, 0});
  Sample without_labels = full, without_features = full;
  without_labels.labels.reset(), without_features.features.reset();
  without_features.logits = make_array<double>({3, 2}, std::vector<double>(6));
  for (const auto& method : pairings()) {
    EXPECT_EQ(refusal(method.name, without_labels, without_labels) == "no error", !method.needs_labels);
    EXPECT_EQ(refusal(method.name, without_features, without_features) == "no error", !method.needs_features);
  }
}

class PairsFile : public ::testing::Test {
 protected:
  std::string refusal_of(std::string_view text) {
    write_text(path_, text);
    return message_of([&] { (void)read_pairs(path_, 10, 20); });
  }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "pairs.csv";
};

TEST_F(PairsFile, IsReadBack) {
  const std::vector<RowPair> pairs = {{3, 0}, {3, 7}, {9, 19}};
  write_pairs(path_, pairs);
  EXPECT_EQ(read_pairs(path_, 10, 20), pairs);
  EXPECT_EQ(read_bytes(path_), "clean,shifted\n3,0\n3,7\n9,19\n");
}

TEST_F(PairsFile, ErrorsNameTheFileAndTheRow) {
  const std::string name = path_.string();
  EXPECT_EQ(refusal_of("clean,shifted\n"), name + ": expected pairs of rows, found none");
  EXPECT_EQ(refusal_of("shifted,clean\n1,2\n"),
            name + ": expected the columns clean,shifted, found shifted,clean");
  EXPECT_EQ(refusal_of("clean,shifted\n0,0\n10,0\n"),
            name + ": expected integers from 0 to 9 in column clean, found '10' at row 1");
  EXPECT_EQ(refusal_of("clean,shifted\n0,0\n1,20\n"),
            name + ": expected integers from 0 to 19 in column shifted, found '20' at row 1");
  for (const char* field : {"-1", "1.5", "nan", "x", "", "1e400"})
    EXPECT_THAT(refusal_of(std::string("clean,shifted\n") + field + ",0\n"), HasSubstr("at row 0")) << field;
  EXPECT_THAT(refusal_of("clean,shifted\n1\n"), HasSubstr(name + ": expected 2 fields"));
}

}  // namespace
}  // namespace leeway::agreement
