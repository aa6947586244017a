// What the estimators and bounds refuse, and in which words.
#include "leeway/error_bound/sample.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound {
namespace {

std::string refusal(const Sample& source, const Sample& target) {
  return message_of([&] { check(source, target); });
}

class SampleCheck : public ::testing::Test {
 protected:
  const Sample source_ = sample_of(2, {1, 0, 0, 1, 2, 1}, {0, 1, 0}, "s.npz");
  const Sample target_ = sample_of(2, {1, 0, 0, 1}, {}, "t.npy");
};

TEST_F(SampleCheck, WhatIsSoundPasses) { EXPECT_EQ(refusal(source_, target_), "no error"); }

TEST_F(SampleCheck, ValuesMustBeFiniteAndNotHuge) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(source_, sample_of(2, {1, 0, nan, 1}, {}, "t.npy")),
            "t.npy: expected finite logits below 1e140, found nan at row 1, class 0");
  EXPECT_EQ(refusal(sample_of(2, {1, 0, 0, -inf}, {0, 0}, "s.npz"), target_),
            "s.npz: expected finite logits below 1e140, found -inf at row 1, class 1");
  EXPECT_EQ(refusal(source_, sample_of(2, {1e141, 0}, {}, "t.npy")),
            "t.npy: expected finite logits below 1e140, found 1e+141 at row 0, class 0");
  Sample single = target_;
  single.logits = make_array<float>({1, 2}, {0, std::numeric_limits<float>::infinity()});
  EXPECT_EQ(refusal(source_, single),
            "t.npy: expected finite logits below 1e140, found inf at row 0, class 1");
}

TEST_F(SampleCheck, ShapesMustFit) {
  EXPECT_EQ(refusal(source_, sample_of(3, {1, 0, 0}, {}, "t.npy")),
            "t.npy: expected 2 classes, as in s.npz, found 3");
  EXPECT_EQ(refusal(source_, sample_of(1, {1, 0}, {}, "t.npy")),
            "t.npy: expected at least 2 classes, found 1");
  EXPECT_EQ(refusal(source_, sample_of(2, {}, {}, "t.npy")), "t.npy: expected at least 1 row, found none");
  Sample vector = target_;
  vector.logits = make_array<double>({2}, {1, 2});
  EXPECT_EQ(refusal(source_, vector), "t.npy: expected logits as a matrix of floats, found float64 (2)");
  vector.logits = make_array<std::int64_t>({1, 2}, {1, 2});
  EXPECT_EQ(refusal(source_, vector), "t.npy: expected logits as a matrix of floats, found int64 (1, 2)");
}

TEST_F(SampleCheck, LabelsMustBeThereAndWithinTheClasses) {
  EXPECT_EQ(refusal(target_, target_), "t.npy: expected labels, which the source must have, found none");
  EXPECT_EQ(refusal(sample_of(2, {1, 0, 0, 1}, {0, 2}, "s.npz"), target_),
            "s.npz: expected labels 0 to 1, found 2 at row 1");
  EXPECT_EQ(refusal(sample_of(2, {1, 0, 0, 1}, {0, -1}, "s.npz"), target_),
            "s.npz: expected labels 0 to 1, found -1 at row 1");
  EXPECT_EQ(refusal(sample_of(2, {1, 0, 0, 1}, {0}, "s.npz"), target_),
            "s.npz: expected 2 labels, one for each row, found 1");
  EXPECT_EQ(refusal(source_, sample_of(2, {1, 0, 0, 1}, {0, 5}, "t.npy")),
            "t.npy: expected labels 0 to 1, found 5 at row 1");
}

TEST_F(SampleCheck, FeaturesMustFit) {
  Sample source = source_, target = target_;
  source.features = make_array<double>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(refusal(source, target), "s.npz: expected features of 3 rows, as many as logits, found 2");
  source.features = make_array<double>({3, 1}, {1, 2, 3});
  target.features = make_array<double>({2, 2}, {1, 2, 3, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(refusal(source, target),
            "t.npy: expected finite features below 1e140, found inf at row 1, column 1");
  target.features = make_array<double>({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(refusal(source, target), "t.npy: expected 1 features, as in s.npz, found 2");
}

}  // namespace
}  // namespace leeway::error_bound
