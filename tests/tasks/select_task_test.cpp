// Selection among sets in memory, without a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "leeway/tasks/select.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two samples of class 0. `steady` is wrong about the second, but says the same when shifted: PA = log 2. `right` is right
// about both until the shift moves the second: PA = 0 (tests/agreement/selection_test.cpp).
NamedOutputs steady() { return outputs("steady", 2, {1.5, .5, .5, 1.5}); }
NamedOutputs right(std::vector<std::int64_t> labels = {}) {
  return outputs("right", 2, {1.5, .5, 1.5, .5}, std::move(labels));
}

SelectTask early_and_late() {
  return {.checkpoints = {{"early", right(), steady()}, {"late", steady(), steady()}}, .seed = 5};
}

TEST(SelectTask, IsThatOfTheAnalysis) {
  SelectTask task = early_and_late();
  task.labels_name = "y.npy";
  task.labels = [](std::size_t n, std::size_t k) {
    EXPECT_EQ(std::pair(n, k), std::pair(std::size_t{2}, std::size_t{2}));
    return std::vector<std::int64_t>{0, 0};
  };
  const record::Select record = select(task);
  ASSERT_EQ(record.results.size(), 2u);
  EXPECT_EQ(record.results[0].checkpoint, "early");
  EXPECT_NEAR(record.results[0].measured.agreement.pa, 0, 1e-12);
  EXPECT_NEAR(record.results[1].measured.agreement.pa, std::log(2.), 1e-12);
  EXPECT_EQ(record.results[0].measured.accuracy->value, 1);
  EXPECT_EQ(record.results[0].measured.accuracy_shifted->value, .5);
  EXPECT_EQ(record.selected.pa.index, 1u);
  EXPECT_EQ(record.selected.accuracy->checkpoint, "early");
  EXPECT_EQ(record.selected.accuracy_shifted->index, 0u);  // both .5: the earliest
  EXPECT_NEAR(record.selected.pa_difference->value, std::log(2.), 1e-12);
  EXPECT_FALSE(record.results[0].pairing.pairs());  // two rows show nothing,
  EXPECT_EQ(record.results[0].doubt, "");           // and too few rows speak against nothing
  EXPECT_EQ(record.envelope.seed, 5u);
  EXPECT_GT(record.envelope.seconds, 0);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_THAT(record.envelope.findings, ElementsAre(difference_words(record)));
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
}

TEST(SelectTask, LabelsOfOneSetServeAll) {
  const NamedOutputs labelled = right({0, 0}), others = outputs("others", 2, {1.5, .5, 1.5, .5}, {0, 1});
  const record::Select record = select(
      {.checkpoints = {{"a", steady(), steady()}, {"b", steady(), labelled}, {"c", steady(), others}}});
  EXPECT_EQ(record.results[0].measured.accuracy->value, .5);
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre("others: its labels differ from those used: are its rows in the order of right?"));
  EXPECT_THAT(record.results[2].doubt, HasSubstr("rows of others need not be those of steady"));
  EXPECT_EQ(record.envelope.findings[0], record.results[2].doubt);
}

TEST(SelectTask, WithoutLabelsGoesByAgreementAlone) {
  const record::Select record = select(early_and_late());
  EXPECT_EQ(record.selected.pa.checkpoint, "late");
  EXPECT_FALSE(record.results[0].measured.accuracy || record.selected.accuracy ||
               record.selected.pa_difference);
  EXPECT_THAT(record.envelope.findings, IsEmpty());
}

TEST(SelectTask, AMaximumThatIsNotProvedIsALine) {
  record::Select record = select(early_and_late());
  EXPECT_THAT(unproved_maxima(record), IsEmpty());
  record.results[1].measured.agreement.converged = false;
  EXPECT_THAT(unproved_maxima(record), ElementsAre(HasSubstr("late: its maximum is proved to")));
}

TEST(SelectTask, RefusesSetsThatCannotBeCompared) {
  const auto complaint = [](std::vector<NamedCheckpoint> checkpoints) {
    return message_of([&] { (void)select({.checkpoints = std::move(checkpoints)}); });
  };
  EXPECT_EQ(complaint({}), "select: expected at least one checkpoint, found none");
  EXPECT_EQ(complaint({{"a", right(), outputs("wide", 3, {1, 2, 3, 1, 2, 3})}}),
            "wide: expected 2 rows of 2 classes, as right has, found 2 of 3");
  EXPECT_EQ(complaint({{"a", right(), right()}, {"b", outputs("long", 2, {1, 2, 3, 4, 5, 6}), right()}}),
            "long: expected 2 rows of 2 classes, as right has, found 3 of 2");
}

}  // namespace
}  // namespace leeway::tasks
