// PCA feature alignment of sets in memory, and its record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/result.h"
#include "leeway/tasks/align.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// n rows of two features along (1, 0), or along (0, 1); the class is the sign.
NamedOutputs along(const std::string& name, std::size_t n, bool first) {
  Outputs set;
  std::vector<double> logits, features;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = i % 2 == 0 ? 2 : -2;
    logits.insert(logits.end(), {at, 0});
    features.insert(features.end(), {first ? at : .01 * static_cast<double>(i), first ? 0 : at});
    labels.push_back(static_cast<std::int64_t>(i % 2));
  }
  set.logits = make_array(std::vector<std::size_t>{n, 2}, logits);
  set.features = make_array(std::vector<std::size_t>{n, 2}, features);
  set.labels = labels;
  set.class_names = {"four", "nine"};
  return in_memory(name, set);
}

TEST(AlignTask, IsThatOfTheAnalysis) {
  const record::Align record =
      align({along("clean", 40, true), {along("same", 40, true), along("turned", 40, false)}, {}, 3});
  ASSERT_THAT(record.results, SizeIs(2));
  const record::AlignSet &same = record.results[0], &turned = record.results[1];
  EXPECT_EQ(same.n, 40);
  EXPECT_EQ(same.d, 2);
  EXPECT_EQ(same.cross_domain_error, 0);
  EXPECT_NEAR(same.explained_variance_clean, 1, 1e-12);
  EXPECT_NEAR(*same.class_variance_shifted, 0, 1e-12);
  EXPECT_NEAR(turned.angle, 90, 1);
  EXPECT_THAT(turned.projections_clean, SizeIs(40));
  EXPECT_EQ(turned.projection_labels[1], "nine");
  EXPECT_TRUE(turned.pairing);
  EXPECT_THAT(record.envelope.headline, HasSubstr("Least aligned is turned: "));
  const Json json = to_json(record);
  EXPECT_EQ(to_json(record::read_align(json, "r.json")), json);
  Json broken = json;
  broken["results"][0]["projections_clean"].push_back(0);
  EXPECT_THAT(message_of([&] { (void)record::read_align(broken, "r.json"); }),
              HasSubstr("as many projections"));
}

TEST(AlignTask, TakesASampleOfPairs) {
  AlignTask task{along("clean", 3000, true), {along("same", 3000, true)}, {}, 3};
  EXPECT_THAT(align(task).results[0].projections_clean, SizeIs(1000));
  task.options.sample = 128;
  const record::AlignSet set = align(task).results[0];
  EXPECT_EQ(set.n, 128);
  EXPECT_EQ(set.cross_domain_error, 0);
  EXPECT_EQ(align(task).results[0].projection_labels, set.projection_labels);
  task.seed = 4;
  EXPECT_NE(align(task).results[0].projection_labels, set.projection_labels);
}

TEST(AlignTask, SaysWhatIsWrong) {
  const auto refused = [](NamedOutputs clean, std::vector<NamedOutputs> shifted) {
    return message_of([&] { (void)align({std::move(clean), std::move(shifted), {}, 0}); });
  };
  EXPECT_EQ(refused(along("clean", 4, true), {}), "align: expected at least one shifted set, found none");
  EXPECT_EQ(refused(along("clean", 4, true), {along("short", 2, true)}),
            "short: expected 4 rows, as in clean, found 2");
  EXPECT_EQ(refused(along("clean", 2, true), {outputs("bare", 2, {1, 0, 1, 0})}),
            "bare: expected features, for their alignment, found none");
}

}  // namespace
}  // namespace leeway::tasks
