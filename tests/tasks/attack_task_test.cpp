// The record of an attack from its result, and the arrays of attacked rows.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/io/safetensors.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/attack/endpoint.h"
#include "tests/attack/toy_classifiers.h"
#include "tests/files.h"
#include "tests/message_of.h"
#include "tests/stopping.h"
#include "tests/tasks/stub_model.h"

namespace leeway::tasks::attack_task_test {

const Classifier four_values{4, 2};
const attack::Target pictures{four_values, {}};

// Ten rows: two misjudged before, six found at 1 to 6, two that withstood.
attack::AttackResult nearest() {
  attack::AttackResult found;
  found.options = {.attack = "fmn", .norm = attack::Norm::l1, .loss = attack::Loss::difference};
  found.norms = {3, 0, 1, HUGE_VAL, 2, 6, 0, 5, HUGE_VAL, 4};
  for (const double norm : found.norms) found.success.push_back(std::isfinite(norm));
  found.classes.assign(10, 0);
  found.labelled = true;
  found.clean_accuracy = .8, found.robust_accuracy = .2;
  return found;
}

TEST(AttackTask, SaysHowFarRowsMoved) {
  const Attack record = record_of(nearest(), pictures);
  EXPECT_EQ(record.options.norm, attack::Norm::l1);
  EXPECT_EQ(record.options.loss, attack::Loss::difference);
  const AttackedSet& set = record.results.at(0);
  EXPECT_EQ(set.target, "label");
  EXPECT_EQ(set.success, .8);
  EXPECT_EQ(set.robust_accuracy, .2);
  const NearestNorms& norms = set.norms.value();
  EXPECT_EQ(norms.median, 3.5);  // of 0 0 1 2 3 4 5 6 inf inf
  EXPECT_EQ(norms.lower_quartile, 1.25);
  EXPECT_EQ(norms.upper_quartile, 5.75);
  EXPECT_EQ(norms.median_interval.low, 0);  // ranks 2 and 9
  EXPECT_EQ(norms.median_interval.high, HUGE_VAL);
  ASSERT_EQ(norms.curve.size(), 21U);
  EXPECT_EQ(norms.curve.front().robust_accuracy, .8);
  EXPECT_EQ(norms.curve[10].radius, 3);
  EXPECT_EQ(norms.curve[10].robust_accuracy, .5);
  EXPECT_EQ(norms.curve.back().radius, 6);
  EXPECT_EQ(norms.curve.back().robust_accuracy, .2);
}

// The largest number of requests, printed before an attack on an endpoint. Equal images take one request.
TEST(AttackTask, MostPassesBoundThoseOfAnAttack) {
  Classifier classifier = attack::toy::random_linear(12, 2, 1).classifier();
  std::set<std::vector<float>> seen;
  classifier.logits = [&seen, logits = classifier.logits](std::span<const float> x) {
    for (std::size_t at = 0; at < x.size(); at += 12) seen.insert({x.begin() + at, x.begin() + at + 12});
    return logits(x);
  };
  const std::vector<float> x = attack::toy::random_rows(1, 12, 2);
  const std::map<std::string, double> few = {
      {"steps", 9}, {"first-evaluations", 7}, {"most-evaluations", 15}, {"start-draws", 100}};
  for (const attack::Norm norm : {attack::Norm::l2, attack::Norm::linf})
    for (const attack::AttackOptions& one :
         {attack::AttackOptions{
              .attack = "square", .norm = norm, .eps = 1e-5, .parameters = {{"queries", 9}, {"restarts", 3}}},
          attack::AttackOptions{.attack = "hopskipjump", .norm = norm, .parameters = few}}) {
      seen.clear();
      (void)attack::run({classifier, x}, one);
      const std::size_t most = most_passes(attack::complete(one), 12);
      EXPECT_LE(seen.size(), most) << one.attack;
      EXPECT_GE(seen.size(), most / 4) << one.attack;
    }
}

TEST(AttackTask, HasACurveOfOnePointWhereNothingWasFound) {
  attack::AttackResult found = nearest();
  found.norms.assign(10, HUGE_VAL);
  found.success.assign(10, 0);
  const Attack record = record_of(found, pictures);
  const NearestNorms& norms = record.results.at(0).norms.value();
  EXPECT_EQ(norms.median, HUGE_VAL);
  ASSERT_EQ(norms.curve.size(), 1U);
  EXPECT_EQ(norms.curve[0].robust_accuracy, 1);
}

TEST(AttackTask, WithARadiusThereAreNoNorms) {
  attack::AttackResult found = nearest();
  found.options.eps = .1;
  found.options.targets.assign(10, 1);
  found.zero_gradient = .5;
  found.beside_noise = attack::BesideNoise{.9, .3};
  const Attack record = record_of(found, pictures);
  const AttackedSet& set = record.results.at(0);
  EXPECT_FALSE(set.norms.has_value());
  EXPECT_EQ(set.target, "given");
  EXPECT_EQ(set.beside_noise->noise_accuracy, .3);
  ASSERT_EQ(record.envelope.warnings.size(), 1U);
  EXPECT_THAT(record.envelope.warnings[0],
              ::testing::StartsWith(
                  "the gradient of 50.0% of 10 rows is exactly 0 (typical of sign, rounding or quantized "
                  "layers), so fmn cannot attack them. A noise attack of the same radius ran as well"));
}

TEST(AttackTask, WarnsOfUnreliableGradientsAndOfARadiusAroundEveryImage) {
  attack::AttackResult found = nearest();
  found.options = {.attack = "pgd", .eps = 8};
  found.unreliable_gradient = .9;
  const auto warnings = [&] { return record_of(found, pictures).envelope.warnings; };
  EXPECT_THAT(warnings(),
              ::testing::ElementsAre(::testing::HasSubstr("use 8/255"),
                                     ::testing::StartsWith("for 90.0% of 10 rows, a short step")));
  found.options.norm = attack::Norm::l2, found.options.eps = 1.9, found.unreliable_gradient = .2;
  EXPECT_TRUE(warnings().empty());
  found.options.eps = 2;
  EXPECT_EQ(warnings().size(), 1U);
}

TEST(AttackTask, EveryAttackMeetsEveryRadius) {
  attack::AttackOptions given;
  given.attack = "fgsm,fmn,pgd";
  const auto names = [](const std::vector<attack::AttackOptions>& all) {
    std::vector<std::pair<std::string, double>> texts;
    for (const attack::AttackOptions& one : all) texts.emplace_back(one.attack, one.eps.value_or(-1));
    return texts;
  };
  using Names = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(names(attacks_of(given, {.1, .2})),
            (Names{{"fgsm", .1}, {"fgsm", .2}, {"fmn", -1}, {"pgd", .1}, {"pgd", .2}}));
  const double usual = attack::default_eps;
  EXPECT_EQ(names(attacks_of(given, {})), (Names{{"fgsm", usual}, {"fmn", -1}, {"pgd", usual}}));
  given.attack = "fmn";
  EXPECT_REFUSED(attacks_of(given, {.1}), "attack fmn: expected no radius...");
}

TEST(AttackTask, SetsOfOneRecordKeepTheirWarningsByFile) {
  Attack all;
  for (const char* const out : {"a.npz", "b.npz"}) {
    Attack one = record_of(nearest(), pictures);
    one.results[0].out = out;
    one.envelope.warnings = {"look"};
    add_set(all, std::move(one));
  }
  EXPECT_EQ(all.results.size(), 2U);
  EXPECT_EQ(all.results[1].attack, "fmn");
  EXPECT_THAT(all.envelope.warnings, ::testing::ElementsAre("a.npz: look", "b.npz: look"));
  EXPECT_THAT(all.envelope.headline, ::testing::StartsWith("Of 2 attacked sets"));
}

// Of four rows of one value, those with a finite norm are broken; row 3 was wrong before.
attack::AttackResult broken(const char* attack, std::optional<double> eps, std::vector<double> norms) {
  attack::AttackResult found;
  found.options = {.attack = attack, .eps = eps};
  for (const double norm : norms) {
    found.success.push_back(std::isfinite(norm)), found.right_after.push_back(!std::isfinite(norm));
    found.x.push_back(static_cast<float>(norm));
  }
  found.norms = std::move(norms), found.right_before = {1, 1, 1, 0}, found.clean_accuracy = .75;
  return found;
}

TEST(AttackTask, TheWorstCaseOfEachRowIsJoined) {
  const double inf = HUGE_VAL;
  const std::vector<attack::AttackResult> results{
      broken("fmn", {}, {.7, .2, inf, 0}), broken("pgd", .3, {inf, .3, inf, .3}),
      broken("square", .3, {inf, inf, .25, .3}), broken("pgd", .9, {.9, .9, .9, .9})};
  EXPECT_THAT(worst_of(results, .3).norms, ::testing::ElementsAre(inf, .2, .25, 0));
  EXPECT_THAT(worst_of(results, .3).x, ::testing::ElementsAre(inf, .2f, .25f, 0));
  EXPECT_THAT(worst_of(results, .3).success, ::testing::ElementsAre(0, 1, 1, 1));
  Attack record;
  for (const attack::AttackResult& one : results) add_set(record, record_of(one, pictures));
  add_worst_cases(record, results);
  ASSERT_EQ(record.worst_cases.size(), 2U);
  const WorstCase& worst = record.worst_cases[0];
  EXPECT_EQ(worst.eps, .3);
  EXPECT_THAT(worst.attacks, ::testing::ElementsAre("fmn", "pgd", "square"));
  EXPECT_EQ(worst.robust_accuracy, .25);
  EXPECT_EQ(worst.success, .75);
  EXPECT_EQ(worst.success_of_right->value, 2. / 3);
  EXPECT_THAT(record.worst_cases[1].attacks, ::testing::ElementsAre("fmn", "pgd"));
  EXPECT_THAT(record.envelope.headline,
              ::testing::HasSubstr("the worst of fmn and pgd in linf of radius 0.9"));
}

// Nor is it above the accuracy under any of the attacks, where passes differ.
TEST(AttackTask, TheWorstCaseOfSeveralDrawsHasTheLeastShares) {
  std::vector<attack::AttackResult> results{broken("pgd", .3, {HUGE_VAL, HUGE_VAL, .3, .3}),
                                            broken("square", .3, {HUGE_VAL, .2, HUGE_VAL, .3})};
  results[0].right_after = {.9, .6, .4, 0}, results[1].right_after = {.7, .2, .8, .1};
  results[0].repeats = {.5, .45};
  const attack::AttackResult worst = worst_of(results, .3);
  EXPECT_THAT(worst.success, ::testing::ElementsAre(0, 1, 1, 1));
  EXPECT_DOUBLE_EQ(worst.robust_accuracy, (.7 + .2 + .4) / 4);
  EXPECT_THAT(worst.repeats, ::testing::IsEmpty());
}

struct StopsInChecks : Stopping {
  using Stopping::Stopping;
  [[nodiscard]] bool stop_requested() const override { return tasks.contains("noise"); }
};

TEST(AttackTask, StoppedGoesOnToTheSameBits) {
  const TemporaryFolder folder;
  Classifier classifier = attack::toy::random_linear(16, 3, 4).classifier();
  classifier.rows_at_once = 8;
  const std::vector<float> x = attack::toy::random_rows(30, 16, 5);
  AttackTask task{{classifier, x, std::vector<std::int64_t>(30, 1)}, {.eps = .05}};
  const attack::AttackResult whole = attack(task).result;
  task.state = folder / "state", task.made_of = {"model"};
  std::vector<std::size_t> resumed;
  task.resumed = [&](std::size_t blocks) { resumed.push_back(blocks); };
  const auto stopped = [&](Stopping progress) { return message_of([&] { (void)attack(task, &progress); }); };
  EXPECT_EQ(stopped(Stopping(8)),
            "attack: stopped after 1 block of rows, saved; the same command resumes from there");
  for (const auto& change : std::vector<std::function<void(AttackTask&)>>{
           [](AttackTask& other) { other.options.eps = .06; },
           [](AttackTask& other) { other.options.draws = 2; },
           [](AttackTask& other) { other.options.seed = 1; },
           [](AttackTask& other) {
             other.options.targets.swap(*other.target.labels), other.target.labels = {};
           },
           [](AttackTask& other) { other.target.changeable.assign(16, 1); },
           [](AttackTask& other) { other.target.box.high = 2; },
           [](AttackTask& other) { other.made_of = {"another model"}; }}) {
    AttackTask other = task;
    other.state = folder / "other";
    std::filesystem::copy_file(task.state, other.state, std::filesystem::copy_options::overwrite_existing);
    change(other);
    (void)attack(other);
    EXPECT_THAT(resumed, ::testing::IsEmpty());
  }
  const auto warnings = [&] {
    const AttackFound rest = attack(task);
    EXPECT_EQ(rest.result.x, whole.x);
    EXPECT_EQ(rest.result.norms, whole.norms);
    return rest.record.envelope.warnings;
  };
  EXPECT_THAT(warnings(), ::testing::IsEmpty());
  EXPECT_THAT(resumed, ::testing::ElementsAre(1));
  std::filesystem::resize_file(task.state, 20);
  EXPECT_THAT(warnings(), ::testing::ElementsAre(damaged_state(task.state)));
  std::filesystem::remove(task.state);
  EXPECT_THAT(warnings(), ::testing::IsEmpty());
  task.checks = true;
  StopsInChecks checks(1);
  EXPECT_EQ(message_of([&] { (void)attack(task, &checks); }),
            "attack: stopped after 4 blocks of rows, saved; the same command resumes from there");
}

// F(x) = (x_0, x_1), of tables of two columns.
class Table : public StubModel {
 public:
  [[nodiscard]] Classifier classifier(const nn::InputShape& input) const override {
    EXPECT_EQ(input, (nn::InputShape{2, 1, 1, 2}));
    return attack::toy::Linear{2, 2, {1, 0, 0, 1}, {0, 0}}.classifier();
  }
};

// Of rows of any range: one too far from the boundary, one near it, one misclassified.
TEST(AttackTask, AttacksTheModelAndKeepsTheFormOfItsInputs) {
  Images rows{"t.npz", make_array({3, 2, 1, 1}, std::vector<float>{9, 1, 7, 5, 5, 7}), {{0, 0, 0}}};
  rows.rank = 2;
  const auto attacked = [&](std::vector<std::int64_t> targets) {
    const Table table;
    const ModelUnderAttack model(table, rows);
    return attack({model.target(), {.attack = "fgsm", .eps = 2, .targets = std::move(targets), .seed = 5}});
  };
  const auto written = [&](const AttackFound& found) {
    return attacked_arrays(found.result, rows.own_shape());
  };
  const AttackFound found = attacked({});
  EXPECT_EQ(found.record.results.at(0).n, 3U);
  EXPECT_EQ(found.record.results.at(0).clean_accuracy, 2. / 3);
  EXPECT_EQ(found.record.results.at(0).robust_accuracy, 1. / 3);
  EXPECT_EQ(found.record.results.at(0).success, 2. / 3);
  EXPECT_EQ(found.record.results.at(0).success_of_right->value, 1. / 2);
  EXPECT_EQ(found.record.envelope.seed, 5U);
  EXPECT_THAT(found.record.envelope.headline, ::testing::StartsWith("Under fgsm in linf of radius 2"));
  EXPECT_THAT(found.record.envelope.warnings, ::testing::IsEmpty());
  ArrayMap file = written(found);
  EXPECT_EQ(file.at("x").shape, (std::vector<std::size_t>{3, 2}));
  EXPECT_THAT(file.at("x").view<float>(), ::testing::ElementsAre(7, 3, 5, 7, 3, 9));
  EXPECT_THAT(file.at("success").view<std::uint8_t>(), ::testing::ElementsAre(0, 1, 1));
  EXPECT_THAT(file.at("norms").view<double>(), ::testing::ElementsAre(HUGE_VAL, 2, 2));
  EXPECT_THAT(file.at("y").view<std::int64_t>(), ::testing::ElementsAre(0, 0, 0));
  EXPECT_FALSE(file.contains("targets"));
  EXPECT_THAT(written(attacked({1, 0, 1})).at("targets").view<std::int64_t>(),
              ::testing::ElementsAre(1, 0, 1));
  rows.labels.reset();
  file = written(attacked({}));
  EXPECT_THAT(file.at("targets").view<std::int64_t>(), ::testing::ElementsAre(0, 0, 1)) << "the predictions";
  EXPECT_FALSE(file.contains("y"));
  rows.labels = std::vector<std::int64_t>{0, -1, 0};
  EXPECT_REFUSED(attacked({}), "t.npz: labels: expected one for every row...");
}

}  // namespace leeway::tasks::attack_task_test
