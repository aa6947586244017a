// Times the multivariate normal distribution function, for bench/peers/mvn_cdf.py.
//
//   mvn_cdf_bench UPPER.npy COVARIANCE.npy TOLERANCE [REPEATS [THREADS [MAX_POINTS [LOG_TOLERANCE [SEED]]]]]
//   upper (m,d), covariance (m,d,d), float64
//   -> {"m","d","threads","seconds" (median, of the whole batch),"probability","log_probability","error",
//       "points","converged","method"}   (the last six: lists, one entry a point)
#include "bench/bench.h"
#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/parallel.h"
#include "leeway/io/npy.h"

namespace {

using namespace leeway;
using namespace leeway::average_case;

Json run(const bench::Arguments& arguments) {
  const Array upper = read_npy(arguments[0]), covariance = read_npy(arguments[1]);
  const std::size_t d = upper.shape.back(), repeats = std::max<std::size_t>(1, arguments.number(3, 5));
  set_threads(static_cast<int>(arguments.number(4, 1)));
  MvnOptions options;
  options.tolerance = std::strtod(arguments[2].c_str(), nullptr);
  options.max_points = arguments.number(5, options.max_points);
  if (arguments.count() > 6) options.log_tolerance = std::strtod(arguments[6].c_str(), nullptr);
  options.seed = arguments.number(7, 0);
  std::vector<MvnProbability> found;
  std::vector<double> spent(repeats);
  for (double& one : spent)
    one = bench::seconds(
        [&] { found = mvn_cdf_batch(upper.view<double>(), d, covariance.view<double>(), options); });
  Json record = {{"m", found.size()}, {"d", d}, {"threads", threads()}, {"seconds", bench::median(spent)}};
  for (const char* key : {"probability", "log_probability", "error", "points", "converged", "method"})
    record[key] = Json::array();
  for (const MvnProbability& one : found) {
    record["probability"].push_back(one.probability);
    record["log_probability"].push_back(json_number(one.log_probability));
    record["error"].push_back(one.error);
    record["points"].push_back(one.points);
    record["converged"].push_back(one.converged);
    record["method"].push_back(name_of(one.method));
  }
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of({argc, argv}, 3, 8,
                        "mvn_cdf_bench UPPER.npy COVARIANCE.npy TOLERANCE [REPEATS [THREADS [MAX_POINTS "
                        "[LOG_TOLERANCE [SEED]]]]]",
                        run);
}
