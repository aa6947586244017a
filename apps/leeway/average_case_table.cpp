#include "apps/leeway/average_case_table.h"

#include <fmt/format.h>

#include "leeway/core/text.h"

namespace leeway::app {
namespace {

std::string error_text(const record::Robustness& found, const record::Survival& result) {
  for (const record::MonteCarloError& one : found.against_monte_carlo)
    if (one.method == result.method && one.sigma == result.sigma)
      return fmt::format("{:.4f}", one.error.mean_absolute);
  return "-";
}

}  // namespace

std::string average_case_text(const record::AverageCase& record) {
  const record::Robustness& found = record.found;
  std::string text;
  for (const std::string& warning : record.envelope.warnings) text += "warning: " + warning + "\n";
  text += wrapped(record.envelope.headline);
  text += fmt::format("\n{:<11} {:>6}  {:>6}  {:<18} {:>7} {:>7}  {:>9}  {:>8}\n", "method", "sigma", "mean",
                      fmt::format("[{:g}% interval]", 100 * found.options.level), "5%", "median", "MC error",
                      "seconds");
  for (const record::Survival& result : found.results) {
    const average_case::Distribution& all = result.p;
    text += fmt::format(
        "{:<11} {:>6g}  {:>6.4f}  {:<18} {:>7.4f} {:>7.4f}  {:>9}  {:>8.2f}{}\n", result.method, result.sigma,
        all.mean, all.interval ? fmt::format("[{:.4f}, {:.4f}]", all.interval->low, all.interval->high) : "-",
        all.quantiles[1], all.quantiles[3], error_text(found, result), result.seconds,
        result.probability ? "" : "  (score)");
  }
  text += fmt::format(
      "\nMean over {} samples of the probability that the prediction survives noise of that sigma. 5%: one "
      "in twenty\n"
      "samples is less robust. MC error: mean distance from Monte Carlo, its own chance included. Scores "
      "rank samples\n"
      "and are no probabilities.\n",
      found.n);
  if (found.options.copies_as_published)
    text += "mmse: copies drawn independently, as published; a linear model's p is then off by chance.\n";
  for (const record::Survival& result : found.results)
    if (result.not_converged.value_or(0) > 0)
      text += fmt::format("{} at sigma {:g}: {} of {} samples not within the tolerance\n", result.method,
                          result.sigma, *result.not_converged, result.p.n);
  if (!record.envelope.findings.empty()) text += '\n';
  for (const std::string& finding : record.envelope.findings) text += wrapped(finding);
  return text;
}

}  // namespace leeway::app
