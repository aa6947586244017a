// Tasks on sets of outputs in memory: agreement, selection, distances, alignment, bounds. What they compute: tests of analyses.
#include <gmock/gmock.h>

#include <cmath>
#include <span>
#include <utility>

#include "leeway/agreement/distance.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/align/align.h"
#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/distances/distances.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/mvn_cdf/mvn_cdf.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/select/select.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks::outputs_tasks_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Three pairs with their maximum at beta = log(2 + sqrt 3), where the rows agree by 3/4, 3/4 and 1/3
// (worked out in tests/agreement/maximum_test.cpp). Predictions: 0 0 0 clean, 0 0 1 shifted.
NamedOutputs clean(Labels labels = {}) { return outputs("clean", 2, {2, 0, 2, 0, 1, 0}, std::move(labels)); }
NamedOutputs shifted(Labels labels = {}, std::vector<double> norms = {}) {
  return outputs("shifted", 2, {1.5, .5, 1.5, .5, .5, 1.5}, std::move(labels), std::move(norms));
}

TEST(PaTask, IsThatOfTheAnalysis) {
  PaTask task{.models = {{"cnn", clean({0, 1, 1}), {shifted()}}}, .seed = 5};
  task.options.summaries = true;
  const Pa record = pa(task);
  ASSERT_THAT(record.results, SizeIs(1));
  const PaSet& set = record.results[0];
  EXPECT_EQ(set.model, "");  // one model needs no name
  EXPECT_EQ(set.shifted, "shifted");
  EXPECT_NEAR(set.agreement.beta, std::log(2 + std::sqrt(3)), 1e-6);
  EXPECT_EQ(set.agreement.afr_true, 2. / 3);  // shifted predictions 0 0 1, labels 0 1 1
  EXPECT_EQ(set.decomposition->groups[3].n, 1u);
  EXPECT_EQ(set.entropy->samples, 1u);
  EXPECT_EQ(set.confidence->moved.n, 1u);
  EXPECT_EQ(set.decomposition->initial->beta, 1);
  EXPECT_EQ(set.decomposition->optimal->beta, set.agreement.beta);
  EXPECT_EQ(set.decomposition->optimal->moved.n, 1u);
  EXPECT_FALSE(set.pairing->pairs());  // three rows show nothing,
  EXPECT_EQ(set.doubt, "");            // and too few rows speak against nothing
  EXPECT_TRUE(record.ar_gap.empty());
  EXPECT_THAT(record.envelope.findings, IsEmpty());
  expect_envelope(record);
}

// Two of three labels are 1 where the clean set is sure of 0; the third row changes and agrees least.
TEST(PaTask, ListsRowsWhoseLabelMayBeWrong) {
  PaTask task{.models = {{"cnn", clean({1, 0, 1}), {shifted()}}}};
  EXPECT_FALSE(pa(task).results[0].suspects);
  task.options.suspects = 2;
  const PaSuspects given = *pa(task).results[0].suspects;
  EXPECT_TRUE(given.of_clean);
  EXPECT_THAT(given.by_margin,
              ElementsAre(::testing::Field(&SuspectRow::row, 0u), ::testing::Field(&SuspectRow::row, 2u)));
  EXPECT_NEAR(given.by_margin[0].margin, -std::tanh(1), 1e-15);
  EXPECT_EQ(given.by_agreement[0].row, 2u);
  EXPECT_NEAR(given.by_agreement[0].agreement, std::log(1. / 3), 1e-6);
  task.models[0].shifted = {shifted({0, 1, 1})};
  task.options.pairing = "label";  // pairs (1, 0), (0, 1), (2, 2): shifted rows 0 and 1 agree, row 2 does not
  const PaSuspects paired = *pa(task).results[0].suspects;
  EXPECT_FALSE(paired.of_clean);
  EXPECT_EQ(paired.by_margin[0].row, 1u);  // of class 1 with probability 1 / (1 + e)
  EXPECT_EQ(paired.by_agreement[0].row, 2u);
}

// Accuracy uses the rows that have a label; pairs lend each other theirs.
TEST(PaTask, RowsWithoutALabel) {
  PaTask task{.models = {{"cnn", clean({0, no_label, 1}), {shifted()}}}};
  task.options.summaries = true;
  const PaSet set = pa(task).results[0];
  EXPECT_EQ(set.agreement.afr_true, 1);  // shifted predictions 0 0 1
  EXPECT_EQ(set.agreement.n, 3u);
  std::size_t grouped = 0;
  for (const auto& group : set.decomposition->groups) grouped += group.n;
  EXPECT_EQ(grouped, 2u);
  task.models[0].shifted = {shifted({no_label, 1, no_label})};
  EXPECT_EQ(pa(task).results[0].agreement.afr_true, 2. / 3);
  EXPECT_THAT(pa(task).envelope.warnings, IsEmpty());
}

// 1 and 2 of two classes in one set say how 1 alone is meant in the other, whichever comes first.
TEST(PaTask, LabelsAreNumberedAlike) {
  const auto coded = [](NamedOutputs set, Labels labels, LabelCoding coding) {
    return NamedOutputs{set.name, [=] {
                          OutputsShards shards = set.open();
                          shards.rest.labels = labels, shards.rest.coding = coding;
                          return shards;
                        }};
  };
  const NamedOutputs open = coded(clean(), {1, 1, 1}, LabelCoding::either),
                     one = coded(shifted(), {0, 0, 0}, LabelCoding::from_one);
  for (const auto& [first, second] : {std::pair(open, one), std::pair(one, open)}) {
    const Pa record = pa({.models = {{"cnn", first, {second}}}});
    EXPECT_THAT(record.envelope.warnings, IsEmpty());
    EXPECT_GT(*record.results[0].agreement.afr_true, .6);
    EXPECT_THAT(distances({.clean = first, .shifted = {second}}).envelope.warnings, IsEmpty());
  }
}

TEST(PaTask, GivenLabelsAndPairsAreTaken) {
  PaTask task{.models = {{"cnn", clean({0, 0, 0}), {shifted({0, 0, 0})}}}};
  EXPECT_NEAR(*pa(task).results[0].agreement.afr_true, 2. / 3, 1e-15);
  task.labels = given({0, 0, 1}, 3);
  const Pa record = pa(task);
  EXPECT_EQ(record.results[0].agreement.afr_true, 1);
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre(HasSubstr("shifted: its labels differ from the labels used")));
  EXPECT_THAT(record.results[0].doubt, HasSubstr("rows of shifted are compared with rows of clean"));
  EXPECT_THAT(record.envelope.findings, ElementsAre(record.results[0].doubt));
  task = {.models = {{"cnn", clean(), {shifted()}}}};
  task.pairs = [](std::size_t, std::size_t) { return std::vector<agreement::RowPair>{{2, 0}, {1, 1}}; };
  std::size_t saved = 0;
  task.save_pairs = [&](std::span<const agreement::RowPair> pairs) { saved = pairs.size(); };
  const PaSet set = pa(task).results[0];
  EXPECT_EQ(set.agreement.n, 2u);
  EXPECT_EQ(set.agreement.afr_pred, 1);
  EXPECT_FALSE(set.pairing);
  EXPECT_EQ(saved, 2u);
}

TEST(PaTask, ModelsAreComparedUnderEachShift) {
  PaTask task{.models = {{"cnn", clean(), {shifted({}, {3, 2, 1})}}, {"robust", clean(), {clean()}}}};
  task.options.ratios = {0, 1};
  const Pa record = pa(task);
  EXPECT_EQ(record.results[0].model, "cnn");
  EXPECT_EQ(record.results[0].shift, "shifted / clean");
  ASSERT_THAT(record.ar_gap, SizeIs(1));
  EXPECT_EQ(record.ar_gap[0].model_plus, "robust");
  EXPECT_EQ(record.ar_gap[0].points[1].gap, 0);  // robust never falls: both are at its level from the start
  EXPECT_THAT(record.envelope.findings, ElementsAre(HasSubstr("cnn has the PA of robust at 0%")));
  EXPECT_THAT(record.envelope.warnings, ElementsAre(StartsWith("clean: no norms")));
  // Of another number of classes PA is not compared.
  task.models[1] = {"wide", outputs("w", 3, {4, 0, 0}), {outputs("w", 3, {4, 0, 0})}};
  const Pa apart = pa(task);
  EXPECT_EQ(apart.results[1].agreement.k, 3u);
  EXPECT_TRUE(apart.ar_gap.empty());
  EXPECT_THAT(apart.envelope.warnings, ::testing::Contains(HasSubstr("2 and 3 classes")));
}

TEST(PaTask, ASharedBetaIsThatOfTheFirstSet) {
  PaTask task{.models = {{"cnn", clean(), {shifted(), outputs("half", 2, {1, 0, 1, 0, .5, 0})}}}};
  task.options.shared_beta = true;
  const Pa record = pa(task);
  EXPECT_TRUE(record.results[0].agreement.fitted);
  EXPECT_FALSE(record.results[1].agreement.fitted);
  EXPECT_EQ(record.results[1].agreement.beta, record.results[0].agreement.beta);
  EXPECT_THAT(unproved_maxima(record), IsEmpty());
}

TEST(PaTask, APriorOfLabelsIsTheirShares) {
  PaTask task{.models = {{"cnn", clean({0, 0, 1}), {shifted()}}}};
  task.options.prior = "labels";
  const Pa record = pa(task);
  EXPECT_DOUBLE_EQ(*record.results[0].agreement.pa_most, std::log(3));
  EXPECT_FALSE(record.results[0].decomposition);
  task.models[0].clean = clean({0, 0, 0});
  EXPECT_THAT(message_of([&] { (void)pa(task); }), HasSubstr("none of class 1"));
}

TEST(PaTask, AMaximumThatIsNotProvedIsALine) {
  Pa record;
  PaSet set;
  set.shifted = "x.npz";
  set.agreement.gap = .25;
  set.agreement.evaluations = 400;
  set.ratios = {{.5, 1, set.agreement}};
  record.results = {set};
  EXPECT_THAT(unproved_maxima(record),
              ElementsAre(StartsWith("x.npz: the maximum is certified to 0.25, not to 1e-09, after 400"),
                          StartsWith("x.npz at ratio 0.5: ")));
}

TEST(PaTask, RefusesModelsThatCannotBeCompared) {
  for (const auto& [models, words] : std::vector<std::pair<std::vector<PaModel>, std::string>>{
           {{}, "at least one model"},
           {{{"a", clean(), {}}}, "at least one shifted set of 'a'"},
           {{{"a", clean(), {shifted()}}, {"a", clean(), {shifted()}}}, "found 'a' twice"},
           {{{"a", clean(), {shifted()}}, {"b", clean(), {shifted(), shifted()}}},
            "for 'b' as for 'a' (1), found 2"},
           {{{"a", clean(), {outputs("wide", 3, {1, 2, 3})}}}, "2 classes"}})
    EXPECT_THAT(message_of([&, &models = models] { (void)pa({.models = models}); }), HasSubstr(words));
}

TEST(ShiftNames, AreWhatFilesHaveInCommon) {
  EXPECT_THAT(shift_names(std::vector<ModelPath>{{"cnn", "cnn/pgd8.npz"}, {"robust", "robust-pgd8.npz"}}, 1),
              ElementsAre("pgd8"));
  EXPECT_THAT(
      shift_names(std::vector<ModelPath>{{"a", "blur.npz"}, {"b", "noise.npz"}, {"c", "noise.npz"}}, 1),
      ElementsAre("blur / noise"));
  EXPECT_THAT(shift_names(std::vector<ModelPath>{{"a", "x/s.npz"}, {"a", "y/s.npz"}}, 2),
              ElementsAre("x/s.npz", "y/s.npz"));
}

// Two samples of class 0. `steady` is wrong about the second, but says the same when shifted: PA = log 2. `right` is right
// about both until the shift moves the second: PA = 0 (tests/agreement/selection_test.cpp).
NamedOutputs steady() { return outputs("steady", 2, {1.5, .5, .5, 1.5}); }
NamedOutputs right(Labels labels = {}) { return outputs("right", 2, {1.5, .5, 1.5, .5}, std::move(labels)); }

SelectTask early_and_late() {
  return {.checkpoints = {{"early", right(), steady()}, {"late", steady(), steady()}}, .seed = 5};
}

TEST(SelectTask, IsThatOfTheAnalysis) {
  SelectTask task = early_and_late();
  task.labels_name = "y.npy";
  task.labels = given({0, 0}, 2);
  const Select record = select(task);
  ASSERT_THAT(record.results, SizeIs(2));
  EXPECT_EQ(record.results[0].checkpoint, "early");
  EXPECT_NEAR(record.results[0].measured.agreement.pa, 0, 1e-12);
  EXPECT_NEAR(record.results[1].measured.agreement.pa, std::log(2.), 1e-12);
  EXPECT_EQ(record.results[0].measured.accuracy->value, 1);
  EXPECT_EQ(record.results[0].measured.accuracy_shifted->value, .5);
  EXPECT_EQ(record.selected.pa.index, 1u);
  EXPECT_EQ(record.selected.accuracy->checkpoint, "early");
  EXPECT_EQ(record.selected.accuracy_shifted->index, 0u);  // both .5: the earliest
  EXPECT_NEAR(record.selected.pa_difference->value, std::log(2.), 1e-12);
  EXPECT_FALSE(record.results[0].pairing.pairs());
  EXPECT_EQ(record.results[0].doubt, "");
  EXPECT_THAT(record.envelope.findings, ElementsAre(difference_words(record)));
  expect_envelope(record);
}

TEST(SelectTask, LabelsOfOneSetServeAllAndNoneIsAgreementAlone) {
  const NamedOutputs others = outputs("others", 2, {1.5, .5, 1.5, .5}, {0, 1});
  Select record = select(
      {.checkpoints = {{"a", steady(), steady()}, {"b", steady(), right({0, 0})}, {"c", steady(), others}}});
  EXPECT_EQ(record.results[0].measured.accuracy->value, .5);
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre(HasSubstr("others: its labels differ from the labels used")));
  EXPECT_THAT(record.results[2].doubt, HasSubstr("rows of others are compared with rows of steady"));
  EXPECT_EQ(record.envelope.findings[0], record.results[2].doubt);
  record = select(early_and_late());
  EXPECT_EQ(record.selected.pa.checkpoint, "late");
  EXPECT_FALSE(record.results[0].measured.accuracy || record.selected.accuracy ||
               record.selected.pa_difference);
  EXPECT_THAT(record.envelope.findings, IsEmpty());
  EXPECT_THAT(unproved_maxima(record), IsEmpty());
  record.results[1].measured.agreement.converged = false;
  EXPECT_THAT(unproved_maxima(record), ElementsAre(HasSubstr("late: the maximum is certified to")));
}

TEST(SelectTask, RefusesSetsThatCannotBeCompared) {
  const auto complaint = [](std::vector<NamedCheckpoint> checkpoints) {
    return message_of([&] { (void)select({.checkpoints = std::move(checkpoints)}); });
  };
  EXPECT_THAT(complaint({}), HasSubstr("at least one checkpoint"));
  EXPECT_EQ(complaint({{"a", right(), outputs("wide", 3, {1, 2, 3, 1, 2, 3})}}),
            "wide: expected 2 rows and 2 classes, as in right, found 2 rows and 3 classes");
  EXPECT_THAT(complaint({{"a", right(), right()}, {"b", outputs("long", 2, {1, 2, 3, 4, 5, 6}), right()}}),
              HasSubstr("found 3 rows and 2 classes"));
}

// Probabilities (3/4, 1/4) and (1/4, 3/4).
const double x = std::log(3);
NamedOutputs three_to_one(const std::string& name, Labels labels = {}) {
  return outputs(name, 2, {x, 0}, std::move(labels));
}

TEST(DistancesTask, IsThatOfTheAnalysis) {
  const Distances record = distances(
      {three_to_one("clean"), {outputs("moved", 2, {0, x}), outputs("longer", 2, {x, 0, x, 0})}, {}, 5});
  ASSERT_THAT(record.results, SizeIs(2));
  const DistancesSet &moved = record.results[0], &longer = record.results[1];
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
  expect_envelope(record);
}

TEST(DistancesTask, DoubtsNameTheDistancesThatTakePairs) {
  DistancesTask task{three_to_one("clean", {0}), {three_to_one("other", {1})}, {}, 0};
  const Distances record = distances(task);
  EXPECT_THAT(record.results[0].doubt, StartsWith("kl: rows of other are compared with rows of clean"));
  EXPECT_THAT(record.envelope.findings, ElementsAre(record.results[0].doubt));
  EXPECT_THAT(record.envelope.warnings, ElementsAre(record.results[0].doubt));
  task.options.only = {"wasserstein"};
  EXPECT_EQ(distances(task).results[0].doubt, "");
  EXPECT_THAT(distances(task).results[0].distances, SizeIs(1));
  for (const auto& [sets, words] : std::vector<std::pair<std::vector<NamedOutputs>, std::string>>{
           {{}, "at least one shifted set"}, {{outputs("wide", 3, {1, 2, 3})}, "2 classes, as in clean"}})
    EXPECT_THAT(message_of([&, &sets = sets] {
                  (void)distances({three_to_one("clean"), sets, {}, 0});
                }),
                HasSubstr(words));
}

TEST(AlignTask, IsThatOfTheAnalysis) {
  const Align record =
      align({along("clean", 40, true), {along("same", 40, true), along("turned", 40, false)}, {}, 3});
  ASSERT_THAT(record.results, SizeIs(2));
  const AlignSet &same = record.results[0], &turned = record.results[1];
  EXPECT_EQ(same.n, 40);
  EXPECT_EQ(same.d, 2);
  EXPECT_EQ(same.found.cross_domain_error, 0);
  EXPECT_NEAR(same.found.clean.explained, 1, 1e-12);
  EXPECT_NEAR(same.found.shifted.class_variance.value().value, 0, 1e-12);
  EXPECT_NEAR(turned.found.angle, 90, 1);
  EXPECT_THAT(turned.found.clean.projections, SizeIs(40));
  EXPECT_EQ(turned.projection_labels[1], "nine");
  EXPECT_TRUE(turned.pairing);
  EXPECT_THAT(record.envelope.headline, HasSubstr("turned: "));
  Json json = to_json(record);
  json["results"][0]["projections_clean"].push_back(0);
  EXPECT_REFUSED(record_from<Align>(json, "r.json"), "projections_clean (41), projections_shifted (40)...");
}

TEST(AlignTask, TakesASampleOfPairs) {
  AlignTask task{along("clean", 3000, true), {along("same", 3000, true)}, {}, 3};
  EXPECT_THAT(align(task).results[0].found.clean.projections, SizeIs(1000));
  task.options.sample = 128;
  const AlignSet set = align(task).results[0];
  EXPECT_EQ(set.n, 128);
  EXPECT_EQ(set.found.cross_domain_error, 0);
  EXPECT_EQ(align(task).results[0].projection_labels, set.projection_labels);
  task.seed = 4;
  EXPECT_NE(align(task).results[0].projection_labels, set.projection_labels);
  const auto refused = [](NamedOutputs first, std::vector<NamedOutputs> others) {
    return message_of([&] { (void)align({std::move(first), std::move(others), {}, 0}); });
  };
  EXPECT_THAT(refused(along("clean", 4, true), {}), HasSubstr("at least one shifted set"));
  EXPECT_EQ(refused(along("clean", 4, true), {along("short", 2, true)}),
            "short: expected 4 rows, as in clean, found 2");
  EXPECT_THAT(refused(along("clean", 2, true), {outputs("bare", 2, {1, 0, 1, 0})}),
              StartsWith("bare: expected features"));
}

TEST(NamedClasses, InAnotherOrderAreAligned) {
  const NamedOutputs clean = along("clean", 40, true), shifted = along("shifted", 40, false),
                     other = along("shifted", 40, false, 2, true);
  const auto results = [](const auto& record) { return to_json(record).at("results"); };
  EXPECT_EQ(results(pa({.models = {{"m", clean, {other}}}})),
            results(pa({.models = {{"m", clean, {shifted}}}})));
  EXPECT_EQ(results(distances({clean, {other}})), results(distances({clean, {shifted}})));
  EXPECT_EQ(results(align({clean, {other}})), results(align({clean, {shifted}})));
  EXPECT_EQ(results(bound({clean, other})), results(bound({clean, shifted})));
  EXPECT_EQ(results(select({.checkpoints = {{"1", clean, other}}})),
            results(select({.checkpoints = {{"1", clean, shifted}}})));
}

TEST(MvnCdfTask, IsThatOfEveryPoint) {
  const auto array = [](const std::string& name, std::vector<std::size_t> shape, std::vector<double> values) {
    return NamedArray{name, make_array<double>(shape, values)};
  };
  MvnCdfTask task{array("z", {2, 1}, {0, -1}), array("r", {2, 1, 1}, {1, 0})};
  task.options.seed = 5;
  const MvnCdf record = mvn_cdf(task);
  ASSERT_THAT(record.results, SizeIs(2));
  EXPECT_NEAR(record.results[0].probability, .5, 1e-12);
  EXPECT_EQ(record.results[1].probability, 0);  // variance 0, a bound below 0
  EXPECT_EQ(missed(record), 0u);
  expect_envelope(record);
  const auto complaint = [](const MvnCdfTask& wrong) { return message_of([&] { (void)mvn_cdf(wrong); }); };
  EXPECT_EQ(complaint({array("z", {1, 1, 1}, {0}), array("r", {1, 1}, {1})}),
            "z: expected bounds of shape (d) or (m, d), found (1, 1, 1)");
  EXPECT_EQ(complaint({array("z", {2}, {0, 0}), array("r", {3}, {1, 1, 1})}),
            "r: expected shape (2, 2) or (1, 2, 2), found (3)");
}

}  // namespace leeway::tasks::outputs_tasks_test
