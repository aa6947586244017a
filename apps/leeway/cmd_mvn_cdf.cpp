// leeway mvn-cdf: the multivariate normal distribution function.

#include "apps/leeway/command.h"
#include "leeway/io/npy.h"
#include "leeway/tasks/mvn_cdf/mvn_cdf.h"

namespace leeway::app {
namespace {

struct MvnFlags {
  std::string upper, covariance;
  average_case::MvnOptions options;
};

int run_mvn_cdf(Context& context, const MvnFlags& flags) {
  const auto named = [&](const std::string& path) {
    Array array = read_npy(path);
    context.add_input(path, array.shape);
    return tasks::NamedArray{path, std::move(array)};
  };
  tasks::MvnCdfTask task{named(flags.upper), named(flags.covariance), flags.options};
  task.options.seed = context.seed;
  const tasks::MvnCdf result = tasks::mvn_cdf(task, context.progress());
  return context.finish(result, tasks::missed(result) == 0 ? exit_ok : exit_incomplete);
}

}  // namespace

void add_mvn_cdf(const Command& root, Context& context) {
  const Command command = root.add("mvn-cdf", "P(Z <= z) of a multivariate normal Z, with an error bound");
  auto& flags = command.keep<MvnFlags>();
  command.option("--upper", flags.upper, "Upper bounds z: .npy of shape (m,d), or (d) for one point")
      .required();
  command
      .option("--covariance", flags.covariance,
              "Covariance of Z: .npy of shape (d,d) for all points or (m,d,d); may be singular")
      .required();
  add_option_flags(command, flags.options);
  command.reads({"--upper", "--covariance"});
  context.add_common_flags(command);
  command.footer(
      "Bounds may be inf or -inf. The error of small probabilities is relative: the logarithm of 1e-100 is "
      "as accurate as the logarithm of 0.1.\n\n"
      "  leeway mvn-cdf --upper z.npy --covariance R.npy\n"
      "  leeway mvn-cdf --upper z.npy --covariance R.npy --tolerance 1e-6 --json");
  command.runs([&context, &flags] { return run_mvn_cdf(context, flags); });
}

}  // namespace leeway::app
