// leeway mvn-cdf: the multivariate normal distribution function.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/leeway/command.h"
#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/message.h"
#include "leeway/core/npy.h"

namespace leeway::app {
namespace {

using average_case::MvnOptions;
using average_case::MvnProbability;

struct MvnFlags {
  std::string upper, covariance;
  MvnOptions options;
};

// `points` problems of `d` bounds each, with one covariance for all or one for each.
struct Problems {
  std::vector<double> upper, covariance;
  std::size_t points = 0, d = 0;
};

Problems read_problems(Context& context, const MvnFlags& flags) {
  const Array upper = read_npy(flags.upper), covariance = read_npy(flags.covariance);
  const std::string name = display_name(flags.upper), matrix = display_name(flags.covariance);
  context.add_input(flags.upper, upper.shape);
  context.add_input(flags.covariance, covariance.shape);
  if (upper.shape.empty() || upper.shape.size() > 2 || upper.size() == 0)
    refuse(name, "bounds of shape (d) or (m, d)", upper.shape_text());
  const std::size_t d = upper.shape.back(), points = upper.size() / d;
  const std::vector<std::size_t> shared = {d, d}, each = {points, d, d};
  if (covariance.shape != shared && covariance.shape != each)
    refuse(matrix, fmt::format("shape ({}, {}) or ({}, {}, {})", d, d, points, d, d),
           covariance.shape_text());
  return {to_f64(upper, name), to_f64(covariance, matrix), points, d};
}

Json to_json(const std::vector<MvnProbability>& found) {
  Json results = Json::array();
  for (const MvnProbability& one : found)
    results.push_back({{"probability", one.probability},
                       {"log_probability", json_number(one.log_probability)},
                       {"error", one.error},
                       {"log_error", json_number(one.log_error)},
                       {"points", one.points},
                       {"converged", one.converged},
                       {"method", average_case::name_of(one.method)}});
  return results;
}

// The first of them, one a line; below, how many did not converge.
std::string table(const std::vector<MvnProbability>& found, double level) {
  constexpr std::size_t shown = 20;
  std::string text = fmt::format("{:>6}  {:>12}  {:>9}  {:>12}  {:>8}  {}\n", "point", "probability",
                                 fmt::format("+- ({:g}%)", 100 * level), "log", "points", "method");
  for (std::size_t i = 0; i < std::min(shown, found.size()); ++i) {
    const MvnProbability& one = found[i];
    text += fmt::format("{:>6}  {:>12.6g}  {:>9.2g}  {:>12.6g}  {:>8}  {}{}\n", i, one.probability, one.error,
                        one.log_probability, one.points, name_of(one.method),
                        one.converged ? "" : " (not converged)");
  }
  if (found.size() > shown) text += fmt::format("... {} more: --json or --out\n", found.size() - shown);
  const auto missed = std::ranges::count(found, false, &MvnProbability::converged);
  if (missed > 0)
    text += fmt::format("{} of {} not within the tolerance: raise --max-points or --tolerance\n", missed,
                        found.size());
  return text;
}

int run_mvn_cdf(Context& context, const MvnFlags& flags) {
  context.start_clock();
  const Problems problems = read_problems(context, flags);
  MvnOptions options = flags.options;
  options.seed = context.seed;
  const auto found = average_case::mvn_cdf_batch(problems.upper, problems.d, problems.covariance, options,
                                                 context.progress());
  context.stop_clock();
  const Json record = context.record("leeway.mvn-cdf/1", to_json(found));
  context.write_record(record);
  constexpr double level = .99;
  context.print(record, table(found, level));
  return std::ranges::all_of(found, &MvnProbability::converged) ? exit_ok : exit_incomplete;
}

}  // namespace

void add_mvn_cdf(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("mvn-cdf", "P(Z <= z) of a multivariate normal Z, with a bound on its error");
  auto flags = std::make_shared<MvnFlags>();
  command->add_option("--upper", flags->upper, "Upper bounds z: .npy of shape (m,d), or (d) for one point")
      ->required();
  command
      ->add_option("--covariance", flags->covariance,
                   "Covariance of Z: .npy of shape (d,d) for all points or (m,d,d); may be singular")
      ->required();
  command
      ->add_option("--tolerance", flags->options.tolerance,
                   "Stop when the error of the probability is at most this (with 99%)")
      ->check(CLI::Range(1e-9, 1.))
      ->capture_default_str();
  command
      ->add_option("--log-tolerance", flags->options.log_tolerance,
                   "... and that of its logarithm at most this; inf: whatever it is")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--max-points", flags->options.max_points,
                   "Stop at so many evaluations of the integrand a point, converged or not (exit code 5)")
      ->check(CLI::Range(1024, 1 << 24))
      ->capture_default_str();
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "Bounds may be inf or -inf. Deep tails have a relative error: the logarithm of 1e-100 is as good as "
      "any.\n\n"
      "  leeway mvn-cdf --upper z.npy --covariance R.npy\n"
      "  leeway mvn-cdf --upper z.npy --covariance R.npy --tolerance 1e-6 --json");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_mvn_cdf(context, *flags); }; });
}

}  // namespace leeway::app
