// What the estimators and bounds refuse.
#include "leeway/error_bound/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

Sample source_of(std::vector<double> logits, std::vector<std::int64_t> labels) {
  return sample_of(2, std::move(logits), std::move(labels), "s.npz");
}

Sample target_of(std::size_t k, std::vector<double> logits, std::vector<std::int64_t> labels = {}) {
  return sample_of(k, std::move(logits), std::move(labels), "t.npy");
}

Sample with_features(Sample sample, std::vector<std::size_t> shape, std::vector<double> values) {
  sample.features = make_array<double>(std::move(shape), std::move(values));
  return sample;
}

const Sample sound = source_of({1, 0, 0, 1, 2, 1}, {0, 1, 0}), sound_target = target_of(2, {1, 0, 0, 1});

// What the message must say of the target, or of the source, beside its name.
using Parts = std::vector<std::string>;

void expect_refused(const Sample& source, const Sample& target, const std::string& name, const Parts& parts) {
  const std::string message = message_of([&] { check(source, target); });
  EXPECT_THAT(message, testing::StartsWith(name + ": "));
  for (const std::string& part : parts) EXPECT_THAT(message, testing::HasSubstr(part));
}

TEST(SampleCheck, NamesTheTarget) {
  EXPECT_EQ(message_of([] { check(sound, sound_target); }), "no error");
  const auto made = [](Array logits) { return Sample{"t.npy", std::move(logits), {}, {}}; };
  const std::pair<Sample, Parts> bad[] = {
      {target_of(2, {1, 0, nan, 1}), {"finite logits", "nan at row 1, class 0"}},
      {target_of(2, {1e141, 0}), {"below 1e140", "1e+141 at row 0, class 0"}},
      {made(make_array<float>({1, 2}, {0, static_cast<float>(inf)})), {"inf at row 0, class 1"}},
      {target_of(3, {1, 0, 0}), {"2 classes, as in s.npz", "found 3"}},
      {target_of(1, {1, 0}), {"at least 2 classes", "found 1"}},
      {target_of(2, {}), {"at least 1 row", "none"}},
      {made(make_array<double>({2}, {1, 2})), {"matrix", "float64 (2)"}},
      {made(make_array<std::int64_t>({1, 2}, {1, 2})), {"matrix of floats", "int64 (1, 2)"}},
      {target_of(2, {1, 0, 0, 1}, {0, 5}), {"labels 0 to 1", "5 at row 1"}},
  };
  for (const auto& [target, parts] : bad) expect_refused(sound, target, "t.npy", parts);
  expect_refused(with_features(sound, {3, 1}, {1, 2, 3}), with_features(sound_target, {2, 2}, {1, 2, 3, 4}),
                 "t.npy", {"1 features, as in s.npz", "found 2"});
  expect_refused(with_features(sound, {3, 2}, {1, 2, 3, 4, 5, 6}),
                 with_features(sound_target, {2, 2}, {1, 2, 3, inf}), "t.npy",
                 {"finite features", "inf at row 1, column 1"});
}

TEST(SampleCheck, NamesTheSource) {
  const std::vector<double> logits = {1, 0, 0, 1, 2, 1};
  const std::pair<Sample, Parts> bad[] = {
      {source_of({1, 0, 0, -inf, 2, 1}, {0, 1, 0}), {"finite logits", "-inf at row 1, class 1"}},
      {source_of(logits, {}), {"labels", "none"}},
      {source_of(logits, {0, 2, 0}), {"labels 0 to 1", "2 at row 1"}},
      {source_of(logits, {0, -1, 0}), {"labels 0 to 1", "-1 at row 1"}},
      {source_of(logits, {0, 1}), {"3 labels", "found 2"}},
      {with_features(sound, {2, 2}, {1, 2, 3, 4}), {"features of 3 rows", "found 2"}},
  };
  for (const auto& [source, parts] : bad) expect_refused(source, sound_target, "s.npz", parts);
}

}  // namespace
}  // namespace leeway::error_bound
