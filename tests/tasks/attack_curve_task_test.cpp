// Curves of attacks against a loop over rows and against leeway pa; what the page shows of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "leeway/core/random.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/attack_curve/attack_curve.h"
#include "leeway/tasks/pa/pa.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/tasks/outputs_in_memory.h"

namespace leeway::tasks::attack_curve_task_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t n = 60, k = 3;

std::vector<double> random_logits(std::size_t seed) {
  std::vector<double> logits(n * k);
  Random random(seed, stream("attack curve test"), 0);
  for (double& logit : logits) logit = 6 * random.uniform();
  return logits;
}

std::vector<std::int64_t> random_labels() {
  std::vector<std::int64_t> labels;
  Random random(9, stream("attack curve test"), 1);
  for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<std::int64_t>(random.below(k)));
  return labels;
}

std::vector<double> random_norms() {
  std::vector<double> norms;
  Random random(9, stream("attack curve test"), 2);
  for (std::size_t i = 0; i < n; ++i) norms.push_back(i % 5 == 0 ? HUGE_VAL : .05 * random.uniform());
  return norms;
}

CurveModel model(const std::string& name, std::size_t seed) {
  const auto set = [&](std::size_t s) { return outputs("set", k, random_logits(s), {}, random_norms()); };
  return {name,
          outputs("clean", k, random_logits(seed), random_labels()),
          {{"pgd", "2/255", set(seed + 1)}, {"pgd", "4/255", set(seed + 2)}, {"fmn", "", set(seed + 3)}}};
}

AttackCurveTask curve_task(std::vector<double> shares) {
  AttackCurveTask task{{model("a", 10), model("b", 20)}, {}, 5};
  task.options.attacks = {"pgd", "fmn"}, task.options.strengths = {"2/255", "4/255"};
  task.options.shares = std::move(shares);
  return task;
}

const CurveResult& result_of(const AttackCurve& record, const std::string& attack,
                             const std::string& strength, double share) {
  return *std::ranges::find_if(record.results, [&](const CurveResult& r) {
    return r.attack == attack && r.strength == strength && r.share == share;
  });
}

struct ByHand {
  double right = 0, unchanged = 0;
  std::array<double, 3> n{}, confidence{}, second{};  // of rows that stay right, stay wrong, change
};

// The rows with the smallest norms, as many as the share says and none beyond `limit`, are attacked.
ByHand by_hand(std::size_t clean_seed, std::size_t seed, double share, double limit) {
  const auto clean = random_logits(clean_seed), attacked = random_logits(seed), norms = random_norms();
  const auto labels = random_labels();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return norms[row]; });
  ByHand found;
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t row = order[place];
    const bool is_attacked = place < static_cast<std::size_t>(std::lround(share * n)) && norms[row] <= limit;
    const double* const first = clean.data() + row * k;
    const double* const last = (is_attacked ? attacked : clean).data() + row * k;
    const auto before = std::max_element(first, first + k) - first,
               after = std::max_element(last, last + k) - last;
    found.right += after == labels[row], found.unchanged += after == before;
    const std::size_t group = after != before ? 2 : before == labels[row] ? 0 : 1;
    std::vector<double> p(after != before ? last : first, (after != before ? last : first) + k);
    double sum = 0;
    for (double& logit : p) sum += logit = std::exp(logit);
    std::ranges::sort(p, std::greater<>());
    ++found.n[group], found.confidence[group] += p[0] / sum, found.second[group] += p[1] / sum;
  }
  return found;
}

void expect_like(const CurveResult& result, const ByHand& hand) {
  EXPECT_EQ(result.afr_true, hand.right / n);
  EXPECT_EQ(result.afr_pred, hand.unchanged / n);
  EXPECT_EQ(result.afr_true_interval->low, clopper_pearson(static_cast<std::size_t>(hand.right), n).low);
  const agreement::Responses& groups = result.initial;
  const std::array<const agreement::Response*, 3> all{&*groups.right, &*groups.wrong, &groups.moved};
  for (std::size_t g = 0; g < all.size(); ++g) {
    EXPECT_EQ(all[g]->n, hand.n[g]);
    if (all[g]->n == 0) continue;
    EXPECT_NEAR(*all[g]->confidence, hand.confidence[g] / hand.n[g], 1e-12);
    EXPECT_NEAR(all[g]->by_rank[0], *all[g]->confidence, 1e-12);
    EXPECT_NEAR(all[g]->by_rank[1], hand.second[g] / hand.n[g], 1e-12);
    EXPECT_LT(all[g]->confidence_interval->low, *all[g]->confidence);
    EXPECT_GT(all[g]->confidence_interval->high, *all[g]->confidence);
  }
}

TEST(AttackCurve, IsThatOfALoopOverRows) {
  const AttackCurve record = attack_curve(curve_task({.3, 1}));
  EXPECT_EQ(record.results.size(), 2u * (1 + 2 * 2 + 1 + 3 * 2));
  for (const double share : {.3, 1.}) {
    expect_like(result_of(record, "pgd", "2/255", share), by_hand(10, 11, share, HUGE_VAL));
    expect_like(result_of(record, "pgd", "4/255", share), by_hand(10, 12, share, HUGE_VAL));
    expect_like(result_of(record, "fmn", "2/255", share), by_hand(10, 13, share, 2. / 255));
    expect_like(result_of(record, "fmn", "nearest", share), by_hand(10, 13, share, HUGE_VAL));
  }
  const CurveResult& clean = record.results[0];
  expect_like(clean, by_hand(10, 10, 0, 0));
  EXPECT_EQ(clean.strength, "0");
  EXPECT_EQ(clean.attacked, 0u);
  EXPECT_EQ(clean.pa, std::log(3.));
  EXPECT_EQ(result_of(record, "fmn", "0", 0).afr_true, clean.afr_true);
  EXPECT_EQ(result_of(record, "fmn", "4/255", 1).clean_accuracy, clean.afr_true);
}

TEST(AttackCurve, HasThePosteriorAgreementOfPa) {
  const AttackCurve record = attack_curve(curve_task({.2, .6, 1}));
  PaTask task;
  task.models = {{"a",
                  outputs("clean", k, random_logits(10), random_labels()),
                  {outputs("set", k, random_logits(12), {}, random_norms())}}};
  task.options.ratios = record.options.shares;
  const Pa pa = tasks::pa(task);
  for (const agreement::RatioPoint& point : pa.results[0].ratios) {
    const CurveResult& result = result_of(record, "pgd", "4/255", point.ratio);
    EXPECT_EQ(result.attacked, point.shifted);
    EXPECT_EQ(result.pa, point.agreement.pa);
    EXPECT_EQ(result.pa_interval.value_or(Interval()).low,
              point.shifted > 0 ? point.agreement.pa_interval.low : 0);
    EXPECT_EQ(result.beta, point.agreement.beta);
  }
  EXPECT_FALSE(pa.results[0].decomposition->initial);  // without summaries
  const CurveResult& whole = result_of(record, "pgd", "4/255", 1);
  ASSERT_TRUE(whole.decomposition && pa.results[0].decomposition);
  for (std::size_t g = 0; g < 4; ++g) {
    EXPECT_EQ(whole.decomposition->groups[g].sum, pa.results[0].decomposition->groups[g].sum);
    const auto delta = whole.decomposition->groups[g].delta;
    const agreement::Responses& groups = whole.optimal;
    if (delta) {
      EXPECT_NEAR(1 - *delta,
                  *(g == 0   ? *groups.right
                    : g == 1 ? *groups.wrong
                             : groups.moved)
                       .confidence,
                  1e-12);
    }
  }
  EXPECT_LT(whole.beta_interval->low, whole.beta);
  EXPECT_GT(whole.beta_interval->high, whole.beta);
}

TEST(AttackCurve, IsReadAsItWasWrittenAtAnyNumberOfThreads) {
  const auto json = [] {
    Json record = to_json(attack_curve(curve_task({.5, 1})));
    record["seconds"] = 0;
    return record;
  };
  const Json one = at_threads(1, json);
  EXPECT_TRUE(at_threads(3, json) == one);
  EXPECT_TRUE(to_json(record_from<AttackCurve>(one, "r.json")) == one);
}

TEST(AttackCurve, WithoutLabelsCountsUnchangedPredictions) {
  AttackCurveTask task = curve_task({1});
  for (CurveModel& one : task.models) one.clean = outputs("clean", k, random_logits(10));
  const AttackCurve record = attack_curve(task);
  EXPECT_FALSE(record.results[1].afr_true || record.results[1].decomposition);
  EXPECT_THAT(record.envelope.headline, HasSubstr("of the predictions of"));
  EXPECT_FALSE(view(record).lead.empty());
}

TEST(AttackCurve, RefusesWhatItCannotCompare) {
  const auto refused = [](auto change, const char* message) {
    AttackCurveTask task = curve_task({1});
    change(task);
    EXPECT_REFUSED(attack_curve(task), message);
  };
  refused([](auto& t) { t.options.strengths[0] = "0"; },
          "strengths: expected numbers above 0 such as 2/255, found '0'");
  refused([](auto& t) { t.options.strengths[0] = "4/255"; }, "strengths: expected different strengths...");
  refused([](auto& t) { t.models[1].name = "a"; }, "attack curve: expected models with different names...");
  refused([](auto& t) { t.models.clear(); }, "attack curve: expected at least one model...");
  refused([](auto& t) { t.options.shares.clear(); }, "shares: expected at least one share...");
  refused([](auto& t) { t.models[0].attacked[2].outputs = outputs("near", k, random_logits(1)); },
          "near: expected norms of the attacked rows, found none");
}

const Charts& first_charts(const Blocks& blocks) {
  return std::get<Charts>(std::ranges::find_if(blocks.list, [](const Block& block) {
                            return std::holds_alternative<Charts>(block.content);
                          })->content);
}

TEST(AttackCurvePage, DrawsAnAttackAChartAndAModelALine) {
  const AttackCurve record = attack_curve(curve_task({.5, 1}));
  const View page = view(record);
  const Charts& charts = first_charts(page.lead);
  ASSERT_EQ(charts.choices.size(), 11u);
  ASSERT_EQ(charts.choices[0].charts.size(), 2u);
  const Chart& pgd = charts.choices[0].charts[0];
  EXPECT_EQ(pgd.title, "pgd");
  const auto signal = [&](const char* name) {
    return std::ranges::find(pgd.signals, name, [](const auto& one) { return one.first; })->second;
  };
  EXPECT_EQ(signal("x_names"), (Json{"0", "2/255", "4/255"}));
  EXPECT_EQ(signal("x_low"), 0);
  const Json& points = pgd.data[0].second;
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[0]["at"], "0");
  EXPECT_EQ(points[5]["line"], "b");
  const Charts& shares = first_charts(page.sections[0].body);
  EXPECT_EQ(shares.choices[0].charts[0].title, "pgd 4/255");
  EXPECT_EQ(shares.choices[0].charts[1].title, "fmn nearest");
  const auto& table = std::get<Table>(page.sections[1].body.list[0].content);
  std::vector<std::string> heads;
  for (const Column& column : table.columns) heads.push_back(column.title);
  EXPECT_THAT(heads, ElementsAre("Model", "Attack", "0", "2/255", "4/255", "nearest"));
  EXPECT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0][5].missing, "not attacked at this strength");
}

}  // namespace leeway::tasks::attack_curve_task_test
