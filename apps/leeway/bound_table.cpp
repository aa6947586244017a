#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"

namespace leeway::app {
namespace {

using record::MethodError;

// "atc-conf, atc-ne: right if ...", a line for each assumption.
std::string assumptions(const std::vector<MethodError>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = [&](const MethodError& row) {
      return row.method.assumes == rows[i].method.assumes && row.method.fails == rows[i].method.fails;
    };
    if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    std::vector<std::string> names;
    for (const MethodError& row : rows)
      if (same(row)) names.push_back(row.method.method);
    text += fmt::format("{}: right if {}.\n  It is too low if {}.\n", fmt::join(names, ", "),
                        rows[i].method.assumes, rows[i].method.fails);
  }
  return text;
}

std::string method_table(const record::Bound& record) {
  TextTable table(
      {left("method", 15), right("error %", 7), left(level_text(record.options.level), 16), left("")});
  for (const MethodError& row : record.results)
    table.add(row.method.method, percents(row.error), row.is_bound ? "upper bound" : percents(row.interval),
              row.method.summary);
  table.add("source", percents(record.source.error), percents(record.source.interval),
            "error on the source, by its labels");
  if (record.target.error)
    table.add("target", percents(record.target.error), "-",
              "error by the target's labels, which no method uses");
  return table.text();
}

std::string range_table(const error_bound::ComponentRange& range, double least_validity) {
  TextTable table(
      {right("components", 12), right("validity", 9), right("bound %", 7), right("estimate %", 9), left("")});
  for (const auto& one : range.bounds)
    table.add(one.components, four(one.validity_score), percents(one.dis2.bound), percents(one.dis2.estimate),
              &one == &range.best() ? "chosen"
              : one.kept            ? ""
                                    : "low score");
  return table.text() +
         fmt::format(fmt::runtime(range.best().kept
                                      ? "  The lowest bound with a validity score of {:g} or more; "
                                      : "  No score reaches {:g}, so the bound on all components counts; "),
                     least_validity) +
         fmt::format("each of the {} holds at delta / {}.\n", range.bounds.size(), range.bounds.size());
}

// The terms of the bound, and what each concentration makes of it.
std::string terms(const record::Dis2Bound& bound, const record::Dis2Settings& settings) {
  const error_bound::Dis2& dis2 = bound.dis2;
  const double sum = dis2.source_error + dis2.discrepancy + dis2.concentration;
  std::string text = fmt::format(
      "\ndis2 (critics on {}, trained on {} source and {} target rows, measured on {} and {}):\n"
      "  in %: {:.2f} error on the source + {:.2f} discrepancy + {:.2f} concentration = {:.2f}{}\n",
      bound.representation, dis2.training_source, dis2.training_target, dis2.n_source, dis2.n_target,
      100 * dis2.source_error, 100 * dis2.discrepancy, 100 * dis2.concentration, 100 * sum,
      sum <= 1 ? "" : fmt::format(", clipped {:.2f}", 100 * dis2.bound));
  for (const auto& one : dis2.concentrations)
    text += fmt::format("  with {:<20} {:5.2f}   bound {:.2f}\n", one.name, 100 * one.term, 100 * one.bound);
  if (bound.range) text += range_table(*bound.range, settings.least_validity);
  if (settings.holdout == 0)
    text += "  --holdout 0: critics were chosen on the rows they are measured on; the bound is not valid.\n";
  return text;
}

}  // namespace

std::string table_of(const record::Bound& record) {
  const std::string text = words_of(record.envelope) + "\n" + method_table(record) + "\n" +
                           assumptions(record.results) +
                           "An estimate is not a bound. Its interval shows its sampling error, not whether "
                           "its assumption holds.\n";
  return record.dis2 ? text + terms(*record.dis2, record.options.dis2) : text;
}

std::string table_of(const record::BoundEvaluation& record) {
  TextTable table({left("method", 6), left("adjusted", 11), right("MAE, points", 7), right("coverage %", 9),
                   left(level_text(record.options.level), 16), right("overest., points", 9)});
  const auto add = [&](const std::string& method, const std::string& adjustment,
                       const error_bound::Score& score) {
    table.add(method, adjustment, percents(score.mae), percents(score.coverage),
              percents(score.coverage_interval), percents(score.overestimation));
  };
  for (const record::EvaluatedMethod& one : record.results) {
    add(one.method, "-", one.score);
    for (const record::AdjustedScore& adjusted : one.adjusted)
      add("", fmt::format("{} {:g}", adjusted.adjustment, adjusted.level), adjusted.score);
    if (one.delta)
      table.add("", fmt::format("violation rate {:.2f}%, {} delta = {:g}%", 100 * one.violation_rate(),
                                *one.exceeds_delta() ? "significantly above" : "not significantly above",
                                100 * *one.delta));
  }
  return words_of(record.envelope) + "\n" + table.text() +
         fmt::format(
             "{} shifts of {} data set{}. Coverage: share of shifts whose accuracy is not overstated; "
             "overest.: mean overstatement\n"
             "on the other shifts. Adjusted: lowered as the other data sets require for this coverage.\n",
             record.results[0].score.n, record.data_sets, record.data_sets == 1 ? "" : "s");
}

}  // namespace leeway::app
