// Posterior agreement of sets in memory, without a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "leeway/core/result.h"
#include "leeway/tasks/pa.h"
#include "leeway/tasks/shift_names.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Three pairs with their maximum at beta = log(2 + sqrt 3), where the rows agree by 3/4, 3/4 and 1/3
// (worked out in tests/agreement/maximum_test.cpp). Predictions: 0 0 0 clean, 0 0 1 shifted.
NamedOutputs clean(std::vector<std::int64_t> labels = {}) {
  return outputs("clean", 2, {2, 0, 2, 0, 1, 0}, std::move(labels));
}
NamedOutputs shifted(std::vector<std::int64_t> labels = {}, std::vector<double> norms = {}) {
  return outputs("shifted", 2, {1.5, .5, 1.5, .5, .5, 1.5}, std::move(labels), std::move(norms));
}
const double beta = std::log(2 + std::sqrt(3)), mean = (2 * std::log(.75) + std::log(1. / 3)) / 3;

TEST(PaTask, IsThatOfTheAnalysis) {
  PaTask task{.models = {{"cnn", clean({0, 1, 1}), {shifted()}}}, .seed = 5};
  task.options.summaries = true;
  const record::Pa record = pa(task);
  ASSERT_EQ(record.results.size(), 1u);
  const record::PaSet& set = record.results[0];
  EXPECT_EQ(set.model, "");  // one model needs no name
  EXPECT_EQ(set.shifted, "shifted");
  EXPECT_NEAR(set.agreement.beta, beta, 1e-6);
  EXPECT_NEAR(set.agreement.value, mean, 1e-9);
  EXPECT_EQ(set.agreement.afr_true, 2. / 3);  // shifted predictions 0 0 1, labels 0 1 1
  EXPECT_EQ(set.decomposition->groups[3].n, 1u);
  EXPECT_EQ(set.entropy->samples, 1u);
  EXPECT_EQ(set.confidence->moved.n, 1u);
  EXPECT_FALSE(set.pairing->pairs());  // three rows show nothing,
  EXPECT_EQ(set.doubt, "");            // and too few rows speak against nothing
  EXPECT_EQ(record.envelope.seed, 5u);
  EXPECT_EQ(record.envelope.version, version);
  EXPECT_GT(record.envelope.seconds, 0);
  EXPECT_EQ(record.envelope.headline, record::headline_of(record));
  EXPECT_THAT(record.envelope.findings, IsEmpty());
  EXPECT_THAT(record.envelope.warnings, IsEmpty());
  EXPECT_TRUE(record.ar_gap.empty());
}

TEST(PaTask, LabelsThatAreGivenComeBeforeThoseOfTheOutputs) {
  PaTask task{.models = {{"cnn", clean({0, 0, 0}), {shifted({0, 0, 0})}}}};
  EXPECT_NEAR(*pa(task).results[0].agreement.afr_true, 2. / 3, 1e-15);
  task.labels = [](std::size_t n, std::size_t k) {
    EXPECT_EQ(std::pair(n, k), std::pair(std::size_t{3}, std::size_t{2}));
    return std::vector<std::int64_t>{0, 0, 1};
  };
  const record::Pa record = pa(task);
  EXPECT_EQ(record.results[0].agreement.afr_true, 1);
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre("shifted: its labels differ from those used: are its rows in the order of clean?"));
  EXPECT_THAT(record.results[0].doubt, HasSubstr("rows of shifted need not be those of clean"));
  EXPECT_THAT(record.envelope.findings, ElementsAre(record.results[0].doubt));
}

TEST(PaTask, PairsThatAreGivenAreTaken) {
  PaTask task{.models = {{"cnn", clean(), {shifted()}}}};
  task.pairs = [](std::size_t, std::size_t) { return std::vector<agreement::RowPair>{{2, 0}, {1, 1}}; };
  std::vector<agreement::RowPair> saved;
  task.save_pairs = [&](std::span<const agreement::RowPair> pairs) {
    saved.assign(pairs.begin(), pairs.end());
  };
  const record::PaSet set = pa(task).results[0];
  EXPECT_EQ(set.agreement.n, 2u);
  EXPECT_EQ(set.agreement.afr_pred, 1);
  EXPECT_FALSE(set.pairing);
  EXPECT_EQ(saved.size(), 2u);
}

TEST(PaTask, ModelsAreComparedUnderEachShift) {
  PaTask task{.models = {{"cnn", clean(), {shifted({}, {3, 2, 1})}}, {"robust", clean(), {clean()}}}};
  task.options.ratios = {0, 1};
  const record::Pa record = pa(task);
  EXPECT_EQ(record.results[0].model, "cnn");
  EXPECT_EQ(record.results[0].shift, "shifted / clean");
  ASSERT_EQ(record.ar_gap.size(), 1u);
  EXPECT_EQ(record.ar_gap[0].model_plus, "robust");
  EXPECT_EQ(record.ar_gap[0].points[1].gap, 1);
  EXPECT_THAT(
      record.envelope.findings,
      ElementsAre("shifted / clean: at 0% shifted samples, cnn is where robust is at 100% (PA 0.6931)"));
  EXPECT_THAT(record.envelope.warnings, ElementsAre("clean: no norms: its rows are shifted in their order"));
}

TEST(PaTask, ASharedBetaIsThatOfTheFirstSet) {
  PaTask task{.models = {{"cnn", clean(), {shifted(), outputs("half", 2, {1, 0, 1, 0, .5, 0})}}}};
  task.options.shared_beta = true;
  const record::Pa record = pa(task);
  EXPECT_TRUE(record.results[0].agreement.fitted);
  EXPECT_FALSE(record.results[1].agreement.fitted);
  EXPECT_EQ(record.results[1].agreement.beta, record.results[0].agreement.beta);
  EXPECT_THAT(unproved_maxima(record), IsEmpty());
}

TEST(PaTask, AMaximumThatIsNotProvedIsALine) {
  record::Pa record;
  record::PaSet set;
  set.shifted = "x.npz";
  set.agreement.gap = .25;
  set.agreement.evaluations = 400;
  set.ratios = {{.5, 1, set.agreement}};
  record.results = {set};
  const std::string said =
      "its maximum is proved to 0.25 only, not to 1e-09, after 400 evaluations: another beta may "
      "give that much more";
  EXPECT_THAT(unproved_maxima(record), ElementsAre("x.npz: " + said, "x.npz at ratio 0.5: " + said));
}

TEST(PaTask, RefusesModelsThatCannotBeCompared) {
  const auto complaint = [](std::vector<PaModel> models) {
    return message_of([&] { (void)pa({.models = std::move(models)}); });
  };
  EXPECT_EQ(complaint({}), "pa: expected at least one model, found none");
  EXPECT_EQ(complaint({{"a", clean(), {}}}), "pa: expected at least one shifted set of 'a', found none");
  EXPECT_EQ(complaint({{"a", clean(), {shifted()}}, {"a", clean(), {shifted()}}}),
            "pa: expected models of different names, found 'a' twice");
  EXPECT_EQ(complaint({{"a", clean(), {shifted()}}, {"b", clean(), {shifted(), shifted()}}}),
            "pa: expected as many shifted sets of 'b' as of 'a', 1, found 2");
  EXPECT_THAT(complaint({{"a", clean(), {outputs("wide", 3, {1, 2, 3})}}}), HasSubstr("2 classes"));
}

TEST(ShiftNames, AreWhatFilesHaveInCommon) {
  const auto names = [](const std::vector<ModelPath>& paths, std::size_t count) {
    return shift_names(paths, count);
  };
  EXPECT_THAT(names({{"cnn", "cnn/pgd8.npz"}, {"robust", "robust-pgd8.npz"}}, 1), ElementsAre("pgd8"));
  EXPECT_THAT(names({{"a", "blur.npz"}, {"b", "noise.npz"}, {"c", "noise.npz"}}, 1),
              ElementsAre("blur / noise"));
  EXPECT_THAT(names({{"a", "x/s.npz"}, {"a", "y/s.npz"}}, 2), ElementsAre("x/s.npz", "y/s.npz"));
}

}  // namespace
}  // namespace leeway::tasks
