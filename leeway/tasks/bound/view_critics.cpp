// Of the page of leeway bound: bounds by number of components, divergences, losses.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using error_bound::ComponentBound;

Cell verdict_cell(const std::optional<error_bound::Verdict>& verdict) {
  if (!verdict) return dash_cell("no labels of the target, or no held-out rows");
  return text_cell(verdict->holds ? "proved" : "not proved", verdict->holds ? Mark::right : Mark::none);
}

// Source agreement by epoch: the slower it rises, the harder critics are to train.
Blocks agreement_chart(const error_bound::ComponentRange& range) {
  std::vector<Line> lines;
  std::size_t epochs = 0;
  for (const ComponentBound& one : range.bounds) {
    Line line{count(one.components), lines.size() % series, {}};
    for (const double agreement : one.agreements) {
      const std::string at = fmt::format("epoch {}", line.points.size() + 1);
      line.points.push_back({static_cast<double>(line.points.size() + 1),
                             {agreement, {}, {}},
                             at,
                             at + "\nagreement " + percent(agreement, 1)});
    }
    epochs = std::max(epochs, line.points.size());
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  LineAxes axes = counted_axes(epochs, "epoch");
  axes.percent = true;
  return line_charts("Agreement on the source", "of the critics of the papers' recipe, by components", lines,
                     fit_y(axes, lines, 0, 1));
}

}  // namespace

Blocks range_table(const error_bound::ComponentRange& range, const std::optional<double>& truth) {
  using One = ComponentBound;
  const std::vector<ColumnOf<One>> columns = {
      {number_column("Components", "Number of leading principal components"), &One::components},
      {number_column("Validity score",
                     "Low if critics are hard to train: too few components for the true labels"),
       [](const One& one) { return fixed_cell(one.validity_score, 2); }},
      {number_column("Estimate", "Without the concentration term"),
       [](const One& one) {
         return share_cell({one.dis2.estimate, {}, {}});
       }},
      {number_column("Error at most", "At this bound's share of delta"),
       [](const One& one) {
         return share_cell({one.dis2.bound, {}, {}});
       }},
      {number_column("Too high by", "Bound less true error, in points; negative if the bound fails"),
       [&](const One& one) {
         return truth
                    ? number_cell(100 * (one.dis2.bound - *truth), fixed(100 * (one.dis2.bound - *truth), 1))
                    : dash_cell("the target has no labels");
       }},
      {text_column("Assumption", "By Corollary E.2 and the target's labels"),
       [](const One& one) { return verdict_cell(one.dis2.corollary); }},
      {text_column("Kept", "The validity score is high enough; the lowest of the kept bounds counts"),
       [](const One& one) { return text_cell(one.kept ? "yes" : "no"); }}};
  return in_both(table_of("The bound by number of principal components", columns, range.bounds).block()) +
         agreement_chart(range);
}

Blocks divergence_table(const std::optional<error_bound::Divergences>& found) {
  if (!found) return {};
  Table table(fmt::format("Divergences on all {} source and {} target rows, by enumeration of half-planes",
                          found->n_source, found->n_target),
              {text_column("Measure"), number_column("Value"), text_column("Meaning")});
  const auto add = [&](const char* name, double value, const char* meaning) {
    table.add({text_cell(name), percent_cell(value, 1), text_cell(meaning)});
  };
  add("H-divergence", found->h, "how well a half-plane tells source from target");
  add("HΔH-divergence", found->h_delta_h, "how much more any two half-planes differ on one of the sets");
  add("Discrepancy", found->discrepancy,
      "how much more a half-plane differs from the classifier on the target");
  return in_both(table.block());
}

Section loss_section(const std::optional<error_bound::LossComparison>& compared, double level) {
  using error_bound::LossResult;
  using error_bound::LossTest;
  if (!compared) return {};
  const auto share = [](double value, const std::optional<Interval>& interval) {
    return share_cell(measured(value, interval));
  };
  const std::vector<ColumnOf<LossResult>> losses = {
      {text_column("Loss"), &LossResult::loss},
      {number_column("On training rows", "Discrepancy of the critic that trains best"),
       [](const LossResult& one) {
         return percent_cell(one.training_discrepancy, 1, "compared over several targets");
       }},
      {interval_column("Discrepancy", "On held-out rows; the mean over several targets"),
       [&](const LossResult& one) { return share(one.discrepancy, one.interval); }}};
  const std::vector<ColumnOf<LossTest>> tests = {
      {text_column("Loss"), &LossTest::loss},
      {text_column("Other"), &LossTest::other},
      {interval_column("Difference", "Discrepancy of the first less that of the second, in points"),
       [](const LossTest& one) { return change_cell(measured(one.difference, one.interval)); }},
      {number_column("p", "Two-sided, adjusted by Holm's method"), [](const LossTest& one) {
         return one.p_adjusted ? number_cell(*one.p_adjusted, p_words(*one.p_adjusted))
                               : dash_cell("too few pairs, or differences that are all the same");
       }}};
  const LossResult& most = *std::ranges::max_element(compared->losses, {}, &LossResult::discrepancy);
  return {
      "losses", "Losses",
      fmt::format("The {} loss finds the largest discrepancy, {}", most.loss, percent(most.discrepancy, 1)),
      in_both(
          table_of("Discrepancy by disagreement loss", losses, compared->losses).block() +
          table_of(fmt::format("Paired tests on {} pairs, {:g}% intervals", count(compared->n), 100 * level),
                   tests, compared->tests)
              .block(2))};
}

}  // namespace leeway::tasks
