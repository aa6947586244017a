// What the estimators and bounds refuse.
#include "leeway/error_bound/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound {
namespace {

std::string refusal(const Sample& source, const Sample& target) {
  return message_of([&] { check(source, target); });
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

// A sound pair of samples with one thing changed, and what the message must name: set, expectation, finding.
struct Bad {
  void (*change)(Sample& source, Sample& target);
  std::vector<std::string> parts;
};

Sample of(std::size_t k, std::vector<double> logits, std::vector<std::int64_t> labels = {}) {
  return sample_of(k, std::move(logits), std::move(labels), "t.npy");
}

const Bad bad[] = {
    {[](Sample&, Sample& t) {
       t = of(2, {1, 0, nan, 1});
     },
     {"t.npy: ", "finite logits", "nan at row 1, class 0"}},
    {[](Sample& s, Sample&) {
       s.logits = make_array<double>({3, 2}, {1, 0, 0, -inf, 2, 1});
     },
     {"s.npz: ", "finite logits", "-inf at row 1, class 1"}},
    {[](Sample&, Sample& t) {
       t = of(2, {1e141, 0});
     },
     {"t.npy: ", "below 1e140", "1e+141 at row 0, class 0"}},
    {[](Sample&, Sample& t) {
       t.logits = make_array<float>({1, 2}, {0, static_cast<float>(inf)});
     },
     {"t.npy: ", "inf at row 0, class 1"}},
    {[](Sample&, Sample& t) {
       t = of(3, {1, 0, 0});
     },
     {"t.npy: ", "2 classes, as in s.npz", "found 3"}},
    {[](Sample&, Sample& t) {
       t = of(1, {1, 0});
     },
     {"t.npy: ", "at least 2 classes", "found 1"}},
    {[](Sample&, Sample& t) { t = of(2, {}); }, {"t.npy: ", "at least 1 row", "none"}},
    {[](Sample&, Sample& t) {
       t.logits = make_array<double>({2}, {1, 2});
     },
     {"t.npy: ", "matrix", "float64 (2)"}},
    {[](Sample&, Sample& t) {
       t.logits = make_array<std::int64_t>({1, 2}, {1, 2});
     },
     {"t.npy: ", "matrix of floats", "int64 (1, 2)"}},
    {[](Sample& s, Sample&) { s.labels.clear(); }, {"s.npz: ", "labels", "none"}},
    {[](Sample& s, Sample&) { s.labels[1] = 2; }, {"s.npz: ", "labels 0 to 1", "2 at row 1"}},
    {[](Sample& s, Sample&) { s.labels[1] = -1; }, {"s.npz: ", "labels 0 to 1", "-1 at row 1"}},
    {[](Sample& s, Sample&) { s.labels.pop_back(); }, {"s.npz: ", "3 labels", "found 2"}},
    {[](Sample&, Sample& t) {
       t.labels = {0, 5};
     },
     {"t.npy: ", "labels 0 to 1", "5 at row 1"}},
    {[](Sample& s, Sample&) {
       s.features = make_array<double>({2, 2}, {1, 2, 3, 4});
     },
     {"s.npz: ", "features of 3 rows", "found 2"}},
    {[](Sample& s, Sample& t) {
       s.features = make_array<double>({3, 1}, {1, 2, 3});
       t.features = make_array<double>({2, 2}, {1, 2, 3, 4});
     },
     {"t.npy: ", "1 features, as in s.npz", "found 2"}},
    {[](Sample& s, Sample& t) {
       s.features = make_array<double>({3, 2}, {1, 2, 3, 4, 5, 6});
       t.features = make_array<double>({2, 2}, {1, 2, 3, inf});
     },
     {"t.npy: ", "finite features", "inf at row 1, column 1"}},
};

TEST(SampleCheck, NamesTheSetTheExpectationAndTheFinding) {
  const Sample sound = sample_of(2, {1, 0, 0, 1, 2, 1}, {0, 1, 0}, "s.npz");
  EXPECT_EQ(refusal(sound, of(2, {1, 0, 0, 1})), "no error");
  for (const Bad& one : bad) {
    Sample source = sound, target = of(2, {1, 0, 0, 1});
    one.change(source, target);
    const std::string message = refusal(source, target);
    for (const std::string& part : one.parts) EXPECT_THAT(message, testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace leeway::error_bound
