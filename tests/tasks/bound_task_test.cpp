// The error on a target without labels, of sets in memory, without a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/tasks/bound.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Odds 3:1, 3:1, 7:1 and 1:1 in the source, 7:1, 3:1, 1:3, 1:1 in the target
// (worked out in tests/error_bound/estimator_test.cpp).
BoundTask task_of(std::vector<std::int64_t> labels = {0, 0, 1, 0},
                  std::vector<std::int64_t> target_labels = {}) {
  const double a = std::log(3), b = std::log(7);
  BoundTask task{.source = outputs("source", 2, {a, 0, a, 0, b, 0, 0, 0}, std::move(labels)),
                 .target = outputs("target", 2, {b, 0, a, 0, 0, a, 0, 0}, std::move(target_labels)),
                 .seed = 3};
  task.options.temperature = "off";
  task.options.bootstrap = 20;
  task.options.dis2.restarts = 2;
  return task;
}

TEST(BoundTask, IsThatOfTheAnalyses) {
  const record::Bound record = bound(task_of());
  std::vector<std::string> methods;
  for (const record::MethodError& one : record.results) methods.push_back(one.method.method);
  EXPECT_THAT(methods, ElementsAre("dis2", "dis2-estimate", "ac", "doc", "atc-conf", "atc-ne", "cot",
                                   "cot-corrected"));
  EXPECT_NEAR(record.results[2].error, 9. / 32, 1e-12);
  EXPECT_LE(record.results[2].interval->low, record.results[2].error);
  EXPECT_TRUE(record.results[0].is_bound);
  EXPECT_EQ(record.results[0].error, record.dis2->dis2.bound);
  EXPECT_EQ(record.dis2->representation, "logits");
  EXPECT_EQ(record.source.error, .25);
  EXPECT_EQ(record.source.n, 4u);
  EXPECT_EQ(record.inverse_temperature, 1);
  EXPECT_FALSE(record.target.error || record.dis2->dis2.corollary);
  EXPECT_EQ(record.envelope.seed, 3u);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
}

TEST(BoundTask, LabelsThatAreGivenComeBeforeThoseOfTheOutputs) {
  BoundTask task = task_of({}, {0, 0, 1, 1});
  task.options.methods = {"cot", "ac"};
  task.labels = [](std::size_t n, std::size_t k) {
    EXPECT_EQ(std::pair(n, k), std::pair(std::size_t{4}, std::size_t{2}));
    return std::vector<std::int64_t>{1, 1, 1, 1};
  };
  const record::Bound record = bound(task);
  EXPECT_EQ(record.source.error, 1);
  EXPECT_EQ(record.target.error, .25);
  EXPECT_FALSE(record.dis2);
  ASSERT_EQ(record.results.size(), 2u);
  EXPECT_EQ(record.results[0].method.method, "cot");
}

TEST(BoundTask, RefusesWhatItCannotUse) {
  const auto complaint = [](const auto& change) {
    BoundTask task = task_of();
    change(task);
    return message_of([&] { (void)bound(task); });
  };
  EXPECT_EQ(complaint([](BoundTask& task) { task.options.dis2.representation = "pca:0"; }),
            "bound: representation: expected logits, features, pca:COMPONENTS, pca:1/F or pca:range, found "
            "'pca:0'");
  EXPECT_EQ(complaint([](BoundTask& task) { task.options.dis2.loss = "none"; }),
            "bound: loss: expected one of disagreement, d-bat, chuang, found 'none'");
  EXPECT_THAT(complaint([](BoundTask& task) {
                task.target = outputs("wide", 3, {1, 2, 3});
              }),
              HasSubstr("2 classes"));
  EXPECT_THAT(complaint([](BoundTask& task) {
                task.source = outputs("bare", 2, {1, 2});
              }),
              HasSubstr("bare: expected labels"));
}

TEST(Representation, IsOfOneOfItsForms) {
  EXPECT_EQ(representation_of("pca:1/6")->fraction, 6u);
  EXPECT_EQ(representation_of("pca:3")->components, 3u);
  EXPECT_EQ(representation_of("pca:range")->fraction, 1u);
  for (const char* text : {"", "pca", "pca:", "pca:0", "pca:-1", "pca:1.5", "pca:1/0", "pca:1/", "pca:2/3",
                           "PCA:3", "pca: 3", "pca:99999999999999999999"})
    EXPECT_FALSE(representation_of(text)) << text;
}

}  // namespace
}  // namespace leeway::tasks
