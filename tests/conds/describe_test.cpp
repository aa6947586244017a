#include "leeway/conds/describe.h"

#include <gmock/gmock.h>

#include <cmath>

#include "leeway/core/statistics.h"
#include "tests/at_threads.h"
#include "tests/conds/planted_shifts.h"
#include "tests/message_of.h"

namespace leeway::conds::describe_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// counts[label][value] rows of each.
AttributeTable table_of(const std::string& name, const std::vector<std::vector<int>>& counts) {
  AttributeTable table{name,
                       column_of_codes("label", counts.size(), {}),
                       {column_of_codes("color", counts.front().size(), {})},
                       {}};
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = 0; j < counts[i].size(); ++j)
      for (int k = 0; k < counts[i][j]; ++k) {
        table.label.codes.push_back(static_cast<std::uint16_t>(i));
        table.attributes[0].codes.push_back(static_cast<std::uint16_t>(j));
      }
  return table;
}

TEST(Describe, FindsEachKindAndSaysItInWords) {
  const AttributeTable source = table_of("s", {{90, 10, 0}, {10, 90, 0}}),
                       target = table_of("t", {{30, 30, 40}, {30, 30, 40}});
  const Description said = describe(source, &target);
  ASSERT_EQ(said.columns.size(), 2u);
  const ColumnShift& color = said.columns[1];
  EXPECT_NEAR(color.sc->source.v.value, .8, .01);
  EXPECT_NEAR(color.sc->source.information.value, std::log(2) + .9 * std::log(.9) + .1 * std::log(.1), .01);
  EXPECT_EQ(color.sc->target->v.value, 0);
  EXPECT_GT(color.sc->change->interval.low, .6);
  EXPECT_LT(color.sc->change->interval.high, 1);
  EXPECT_DOUBLE_EQ(color.drift->distance.value, 0);
  EXPECT_DOUBLE_EQ(color.drift->source_imbalance, 0);
  EXPECT_DOUBLE_EQ(color.unseen->mass.value, .4);
  EXPECT_THAT(color.unseen->values, ElementsAre("2"));
  EXPECT_DOUBLE_EQ(color.unseen->test.p, 1. / 5000);
  EXPECT_DOUBLE_EQ(said.unseen_cells->value, .4);
  EXPECT_EQ(said.tests, 5u);  // independence, 2 of shares, 2 of unseen values
  ASSERT_EQ(said.findings.size(), 2u);
  EXPECT_EQ(said.findings[0].kind, ShiftKind::sc);
  EXPECT_THAT(said.findings[0].text,
              HasSubstr("label and color are correlated in the source (Cramer's V 0.80 ["));
  EXPECT_EQ(said.findings[1].text,
            "unseen data: 40% (33–47) of the target has color = 2, which the source never has");
}

// The attributes' own numbers do not hang on the label: a test of a column draws by its name.
TEST(Describe, WithoutALabelSharesAndUnseenValuesAreLeft) {
  AttributeTable source = table_of("s", {{90, 10, 0}, {10, 90, 0}}),
                 target = table_of("t", {{30, 30, 40}, {30, 90, 40}});
  const Description labelled = describe(source, &target);
  source.label = {};
  EXPECT_REFUSED(describe(source, &target), "t: expected no label, as in s, found one");
  target.label = {};
  const Description said = describe(source, &target);
  ASSERT_EQ(said.columns.size(), 1u);
  EXPECT_FALSE(said.has_label());
  const ColumnShift &color = said.columns[0], &before = labelled.columns[1];
  EXPECT_FALSE(color.sc);
  EXPECT_DOUBLE_EQ(color.drift->distance.value, .5 - 60. / 180);
  EXPECT_EQ(color.drift->test.p, before.drift->test.p);
  EXPECT_EQ(color.unseen->mass.interval.low, before.unseen->mass.interval.low);
  EXPECT_DOUBLE_EQ(said.unseen_cells->value, 80. / 260);
  EXPECT_EQ(said.tests, 2u);
  ASSERT_EQ(said.findings.size(), 2u);
  EXPECT_EQ(said.findings[0].text,
            "unseen data: 31% (25–37) of the target has color = 2, which the source never has");
  EXPECT_THAT(said.findings[1].text,
              HasSubstr("low data drift: color = 0 is 50.0% of the source, 33.3% of the target, among values "
                        "that the source has (distance"));
  source.attributes.clear();
  EXPECT_REFUSED(describe(source, nullptr), "s: expected a label or an attribute, found neither");
}

TEST(Describe, RareValuesAreADrift) {
  const AttributeTable source = table_of("s", {{60, 60, 10}, {60, 60, 10}}),
                       target = table_of("t", {{50, 50, 50}, {50, 50, 50}});
  const Description said = describe(source, &target);
  ASSERT_EQ(said.findings.size(), 1u);
  EXPECT_THAT(said.findings[0].text,
              HasSubstr("low data drift: color = 2 is 7.7% of the source, 33.3% of the "
                        "target (distance between the shares 26% ("));
  const Drift& drift = *said.columns[1].drift;
  EXPECT_NEAR(drift.distance.value, 1. / 3 - 20. / 260, 1e-12);
  EXPECT_GT(drift.source_imbalance, .1);
  EXPECT_NEAR(*drift.target_imbalance, 0, 1e-12);
}

TEST(Describe, WithoutATargetUniformSharesAreTheReference) {
  const AttributeTable source = table_of("s", {{60, 60, 10}, {60, 60, 10}});
  const Description said = describe(source, nullptr);
  EXPECT_FALSE(said.n_target);
  EXPECT_FALSE(said.columns[1].unseen);
  ASSERT_EQ(said.findings.size(), 1u);
  EXPECT_THAT(said.findings[0].text,
              HasSubstr("color = 2 is 7.7% of the rows, 33.3% if all values were equally frequent"));
}

TEST(Describe, WhatGoesTogetherEverywhereIsNoShift) {
  const AttributeTable source = table_of("s", {{90, 10}, {10, 90}}),
                       target = table_of("t", {{45, 5}, {5, 45}});
  const Description said = describe(source, &target);
  EXPECT_LT(said.columns[1].sc->source.p, .01);
  EXPECT_TRUE(said.findings.empty());
}

TEST(Describe, OneValueOrNoSeenValueLeavesGaps) {
  const AttributeTable source = table_of("s", {{20, 0}, {20, 0}}), target = table_of("t", {{0, 20}, {0, 20}});
  const Description said = describe(source, &target);
  EXPECT_FALSE(said.columns[1].sc || said.columns[1].drift);
  EXPECT_DOUBLE_EQ(said.columns[1].unseen->mass.value, 1);
  EXPECT_REFUSED(describe(table_of("s", {{5, 5, 0}, {5, 5, 0}}), &target), "t: expected ... found others");
}

TEST(Describe, SameBitsForAnyThreadsAndOrderOfRows) {
  const PlantedTables made({.sc = .3, .ldd = .3, .uds = .1}, 500, 300, 3);
  const auto numbers = [&](const AttributeTable& source) {
    const Description said = describe(source, &made.target, {.permutations = 499, .bootstrap = 199});
    std::vector<double> all;
    for (const ColumnShift& column : said.columns) {
      if (const auto& sc = column.sc)
        for (const double x : {sc->source.v.interval.low, sc->source.information.interval.high, sc->source.p,
                               sc->change->interval.low})
          all.push_back(x);
      for (const double x :
           {column.drift->distance.interval.low, column.drift->test.adjusted, column.unseen->test.p})
        all.push_back(x);
    }
    return all;
  };
  const auto once = at_threads(1, [&] { return numbers(made.source); });
  EXPECT_EQ(at_threads(2, [&] { return numbers(made.source); }), once);
  EXPECT_EQ(numbers(take(made.source, random_order(500, 1))), once);
}

#ifdef LEEWAY_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// At most the level's share and four binomial deviations.
TEST(DescribeTier2, FalseAlarmsStayBelowTheirLevel) {
  constexpr std::size_t tables = sanitized ? 20 : 150;
  constexpr double mean = .05 * tables;
  for (const Planted& planted : {Planted{}, Planted{.common = .5}})
    for (const bool labelled : {true, false})
      EXPECT_LE(static_cast<double>(search(planted, tables, 300, 1, 499, 499, labelled).elsewhere),
                mean + 4 * std::sqrt(.95 * mean));
}

TEST(Describe, FindsWhatWasPlanted) {
  constexpr std::size_t tables = sanitized ? 10 : 20, most = tables * 19 / 20;
  const Found all = search({.sc = .5, .ldd = .8, .uds = .1}, tables, 1000, 3, 499, 199);
  EXPECT_GE(all.sc, most);
  EXPECT_GE(all.ldd, most);
  EXPECT_GE(all.uds, most);
  const Found weak = search({.sc = .2}, tables, 1000, 4, 499, 199),
              weaker = search({.sc = .05}, tables, 1000, 4, 499, 199);
  EXPECT_GT(weak.sc, weaker.sc);
  EXPECT_GE(weak.sc, tables * 2 / 3);
}

// An interval of V covers the V of a large table of the same kind.
TEST(DescribeTier2, IntervalsOfVCover) {
  for (const double strength : {0., .1, .5}) {
    std::size_t covered = 0;
    constexpr std::size_t tables = 200;
    for (std::size_t i = 0; i < tables; ++i) {
      // Two labels and values, equal shares: V is the strength.
      Random random(i, stream("coverage"));
      std::vector<std::vector<int>> counts(2, std::vector<int>(2));
      for (int row = 0; row < 400; ++row) {
        const auto label = random.below(2);
        ++counts[label][random.uniform() < strength ? label : random.below(2)];
      }
      const Estimate v =
          describe(table_of("s", counts), nullptr, {.permutations = 1, .bootstrap = 299, .seed = i})
              .columns[1]
              .sc->source.v;
      covered += v.interval.low <= strength && strength <= v.interval.high;
    }
    EXPECT_GE(covered, 178u) << strength;  // 190, and four deviations
  }
}

TEST(Describe, AccuracyOfCellsWorstFirst) {
  const AttributeTable table = table_of("t", {{40, 10}, {0, 50}});
  const Cells cells(table);
  std::vector<std::uint8_t> correct(100, 1);
  for (std::size_t i = 0; i < 10; ++i) correct[40 + i] = i < 2;  // the cell (0, 1): 2 of 10
  const AccuracyOfCells said = accuracy_of_cells(table, cells, correct);
  ASSERT_EQ(said.cells.size(), 3u);  // that of (1, 0) has no rows
  EXPECT_EQ(cells.text(said.cells[0].cell), "label=0, color=1");
  EXPECT_DOUBLE_EQ(said.cells[0].accuracy, .2);
  EXPECT_DOUBLE_EQ(said.cells[0].interval.high, clopper_pearson(2, 10).high);
  EXPECT_EQ(said.cells[1].n, 50u);
  EXPECT_LT(said.p, .001);
  EXPECT_REFUSED(accuracy_of_cells(table, cells, std::vector<std::uint8_t>(3)), "t: expected ... found 3");
  EXPECT_REFUSED(accuracy_of_cells(table, cells, correct, {.level = 1.5}), "level...found 1.5...");
}

}  // namespace leeway::conds::describe_test
