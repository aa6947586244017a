// Distances of sets in memory, without a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/agreement/distance.h"
#include "leeway/tasks/distances.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Probabilities (3/4, 1/4) and (1/4, 3/4).
const double x = std::log(3);
NamedOutputs clean() { return outputs("clean", 2, {x, 0}); }

TEST(DistancesTask, IsThatOfTheAnalysis) {
  const record::Distances record =
      distances({clean(), {outputs("moved", 2, {0, x}), outputs("longer", 2, {x, 0, x, 0})}, {}, 5});
  ASSERT_EQ(record.results.size(), 2u);
  const record::DistancesSet &moved = record.results[0], &longer = record.results[1];
  EXPECT_EQ(moved.shifted, "moved");
  EXPECT_EQ(moved.n_clean, 1u);
  EXPECT_EQ(moved.k, 2u);
  EXPECT_EQ(moved.distances.size(), agreement::distances().size());
  EXPECT_NEAR(*moved.distances.at("kl"), .5 * x, 1e-15);  // 3/4 log 3 - 1/4 log 3
  EXPECT_NEAR(*moved.distances.at("wasserstein"), .5, 1e-15);
  EXPECT_EQ(moved.not_computed.at("mmd"), "clean has no features");
  EXPECT_TRUE(moved.pairing);  // of kl
  EXPECT_EQ(moved.doubt, "");  // one row speaks against nothing
  EXPECT_EQ(longer.n_shifted, 2u);
  EXPECT_EQ(longer.distances.at("kl"), std::nullopt);
  EXPECT_EQ(longer.not_computed.at("kl"), "rows are not paired: 1 and 2");
  EXPECT_FALSE(longer.pairing);
  EXPECT_EQ(record.envelope.seed, 5u);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
}

TEST(DistancesTask, DoubtsNameTheDistancesThatTakePairs) {
  const auto labelled = [](const char* name, std::int64_t label) {
    return outputs(name, 2, {x, 0}, {label});
  };
  DistancesTask task{labelled("clean", 0), {labelled("other", 1)}, {}, 0};
  const record::Distances record = distances(task);
  EXPECT_THAT(record.results[0].doubt,
              ::testing::StartsWith("kl: rows of other need not be those of clean, with which they are"));
  EXPECT_THAT(record.envelope.findings, ElementsAre(record.results[0].doubt));
  EXPECT_THAT(record.envelope.warnings, ElementsAre(record.results[0].doubt));
  task.options.only = {"wasserstein"};
  EXPECT_EQ(distances(task).results[0].doubt, "");
  EXPECT_EQ(distances(task).results[0].distances.size(), 1u);
}

TEST(DistancesTask, RefusesSetsThatCannotBeCompared) {
  const auto complaint = [](DistancesTask task) { return message_of([&] { (void)distances(task); }); };
  EXPECT_EQ(complaint({clean(), {}, {}, 0}), "distances: expected at least one shifted set, found none");
  EXPECT_EQ(complaint({clean(), {outputs("wide", 3, {1, 2, 3})}, {}, 0}),
            "wide: expected 2 classes, as in clean, found 3");
  DistancesTask unknown{clean(), {clean()}, {}, 0};
  unknown.options.only = {"hope"};
  EXPECT_THAT(complaint(unknown), ::testing::HasSubstr("found 'hope'"));
}

}  // namespace
}  // namespace leeway::tasks
