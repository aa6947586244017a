// leeway mvn-cdf: the multivariate normal distribution function.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/npy.h"
#include "leeway/core/text.h"
#include "leeway/tasks/mvn_cdf.h"

namespace leeway::app {
namespace {

struct MvnFlags {
  std::string upper, covariance;
  average_case::MvnOptions options;
};

// The first points, one a line.
std::string mvn_cdf_text(const record::MvnCdf& record) {
  constexpr std::size_t shown = 20;
  const auto& found = record.results;
  std::string text = wrapped(record.envelope.headline);
  for (const std::string& finding : record.envelope.findings) text += wrapped(finding);
  text += fmt::format("\n{:>6}  {:>12}  {:>9}  {:>12}  {:>8}  {}\n", "point", "probability", "+- (99%)",
                      "log", "points", "method");
  for (std::size_t i = 0; i < std::min(shown, found.size()); ++i) {
    const average_case::MvnProbability& one = found[i];
    text += fmt::format("{:>6}  {:>12.6g}  {:>9.2g}  {:>12.6g}  {:>8}  {}{}\n", i, one.probability, one.error,
                        one.log_probability, one.points, name_of(one.method),
                        one.converged ? "" : " (not converged)");
  }
  if (found.size() > shown) text += fmt::format("... {} more: --json or --out\n", found.size() - shown);
  return text;
}

int run_mvn_cdf(Context& context, const MvnFlags& flags) {
  const auto named = [&](const std::string& path) {
    return tasks::NamedArray{path, [&context, path] {
                               Array array = read_npy(path);
                               context.add_input(path, array.shape);
                               return array;
                             }};
  };
  tasks::MvnCdfTask task{named(flags.upper), named(flags.covariance), flags.options};
  task.options.seed = context.seed;
  const record::MvnCdf result = tasks::mvn_cdf(task, context.progress());
  const Json record = context.complete(result);
  context.write_record(record);
  context.print(record, mvn_cdf_text(result));
  return result.missed() == 0 ? exit_ok : exit_incomplete;
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
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
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
