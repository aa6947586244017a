#include "apps/leeway/bound_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "leeway/core/text.h"

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
  const auto line = [](std::string_view method, double error, std::string_view interval,
                       std::string_view what) {
    return fmt::format("{:<15} {:>7.4f}  {:<16}  {}\n", method, error, interval, what);
  };
  const auto range = [](const Interval& ends) {
    return fmt::format("[{:.4f}, {:.4f}]", ends.low, ends.high);
  };
  std::string text = fmt::format("{:<15} {:>7}  {:<16}\n", "method", "error",
                                 fmt::format("[{:g}% interval]", 100 * record.options.level));
  for (const MethodError& row : record.results)
    text += line(row.method.method, row.error,
                 row.is_bound   ? "upper bound"
                 : row.interval ? range(*row.interval)
                                : "-",
                 row.method.summary);
  text += line("source", record.source.error, range(record.source.interval),
               "error on the source, by its labels");
  if (record.target.error)
    text += line("target", *record.target.error, "-", "error by the target's labels, which no method saw");
  return text;
}

std::string range_table(const error_bound::ComponentRange& range, double least_validity) {
  std::string text =
      fmt::format("  {:>10}  {:>8}  {:>6}  {:>8}\n", "components", "validity", "bound", "estimate");
  for (const auto& one : range.bounds)
    text += fmt::format("  {:>10}  {:>8.4f}  {:.4f}  {:>8.4f}  {}\n", one.components, one.validity_score,
                        one.dis2.bound, one.dis2.estimate,
                        &one == &range.best() ? "chosen"
                        : one.kept            ? ""
                                              : "not kept");
  text += range.best().kept
              ? fmt::format("  The least bound with a validity score of {:g} or more; ", least_validity)
              : fmt::format("  None has a validity score of {:g}, so all components count; ", least_validity);
  return text +
         fmt::format("each of the {} holds at delta / {}.\n", range.bounds.size(), range.bounds.size());
}

// The terms of the bound, and what each concentration makes of it.
std::string terms(const record::Dis2Bound& bound, const record::Dis2Settings& settings) {
  const error_bound::Dis2& dis2 = bound.dis2;
  const double sum = dis2.source_error + dis2.discrepancy + dis2.concentration;
  std::string text = fmt::format(
      "\ndis2 (critics on {}, trained on {} source and {} target rows, measured on {} and {}):\n"
      "  {:.4f} error on the source + {:.4f} discrepancy + {:.4f} concentration = {:.4f}{}\n",
      bound.representation, dis2.training_source, dis2.training_target, dis2.n_source, dis2.n_target,
      dis2.source_error, dis2.discrepancy, dis2.concentration, sum,
      sum <= 1 ? "" : fmt::format(", clipped {:.4f}", dis2.bound));
  for (const auto& one : dis2.concentrations)
    text += fmt::format("  with {:<20} {:.4f}   bound {:.4f}\n", one.name, one.term, one.bound);
  if (bound.range) text += range_table(*bound.range, settings.least_validity);
  if (settings.holdout == 0)
    text += "  --holdout 0: critics were chosen on the rows they are measured on; this proves nothing.\n";
  return text;
}

}  // namespace

std::string bound_text(const record::Bound& record) {
  std::string text = wrapped(record.envelope.headline);
  for (const std::string& finding : record.envelope.findings) text += wrapped(finding);
  text +=
      "\n" + method_table(record) + "\n" + assumptions(record.results) +
      "An estimate is no bound. Its interval tells how far the rows there are settle it, not whether what "
      "it assumes is true.\n";
  return record.dis2 ? text + terms(*record.dis2, record.options.dis2) : text;
}

}  // namespace leeway::app
