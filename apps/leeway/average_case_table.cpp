#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

std::string error_text(const record::Robustness& found, const record::Survival& result) {
  for (const record::MonteCarloError& one : found.against_monte_carlo)
    if (one.method == result.method && one.sigma == result.sigma) return percents(one.error.mean_absolute);
  return "-";
}

}  // namespace

std::string table_of(const record::AverageCase& record) {
  const record::Robustness& found = record.found;
  TextTable table({left("method", 11), right("sigma", 6), right("mean %", 7),
                   left(level_text(found.options.level), 18), right("1 in 20", 7), right("median", 7),
                   right("MC error", 10), right("seconds", 9), left("")});
  for (const record::Survival& result : found.results) {
    const average_case::Distribution& all = result.p;
    table.add(result.method, fmt::format("{:g}", result.sigma), percents(all.mean), percents(all.interval),
              percents(all.quantiles[1]), percents(all.quantiles[3]), error_text(found, result),
              fmt::format("{:.2f}", result.seconds), result.probability ? "" : "(score)");
  }
  std::string text = warnings_of(record.envelope) + wrapped(record.envelope.headline) + "\n" + table.text();
  text += fmt::format(
      "\nmean: over {} samples, of the probability in % that the prediction survives this noise. 1 in 20: 5% "
      "quantile.\n"
      "MC error: mean difference from Monte Carlo in points, including the sampling error of Monte Carlo.\n"
      "Scores rank samples; they are not probabilities.\n",
      found.n);
  if (found.options.copies_as_published)
    text += "mmse: copies drawn independently, as published: p has sampling error even for linear models.\n";
  for (const record::Survival& result : found.results)
    if (result.not_converged.value_or(0) > 0)
      text += fmt::format("{} at sigma {:g}: {} of {} samples exceed the tolerance\n", result.method,
                          result.sigma, *result.not_converged, result.p.n);
  return text + (record.envelope.findings.empty() ? "" : "\n") + findings_of(record.envelope);
}

// The first points, one a line.
std::string table_of(const record::MvnCdf& record) {
  constexpr std::size_t most = 20;
  const auto& found = record.results;
  TextTable table({right("point", 6), right("probability", 13), right("+- (99%)", 10), right("log", 13),
                   right("points", 9), left("method")});
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    const average_case::MvnProbability& one = found[i];
    table.add(i, fmt::format("{:.6g}", one.probability), fmt::format("{:.2g}", one.error),
              fmt::format("{:.6g}", one.log_probability), one.points,
              std::string(name_of(one.method)) + (one.converged ? "" : " (not converged)"));
  }
  return words_of(record.envelope) + "\n" + table.text() +
         (found.size() > most ? fmt::format("... {} more: --json or --out\n", found.size() - most) : "");
}

}  // namespace leeway::app
