// Dis2 on logits in .npy files: SOURCE.npy LABELS.npy TARGET.npy [RESTARTS [SEED [maximum|reference]]]. Prints one JSON line.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string>

#include "leeway/core/npy.h"
#include "leeway/error_bound/dis2.h"

int main(int argc, char** argv) {
  using namespace leeway;
  if (argc < 4) {
    fmt::print(stderr,
               "usage: dis2_bench SOURCE.npy LABELS.npy TARGET.npy [RESTARTS [SEED [maximum|reference]]]\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const error_bound::Sample source{argv[1], read_npy(argv[1]), to_i64(read_npy(argv[2]), argv[2]), {}};
  const error_bound::Sample target{argv[3], read_npy(argv[3]), {}, {}};
  error_bound::Dis2Options options;
  if (argc > 4) options.restarts = std::strtoull(argv[4], nullptr, 10);
  if (argc > 5) options.seed = std::strtoull(argv[5], nullptr, 10);
  if (argc > 6 && std::string(argv[6]) == "reference") options.search = error_bound::Search::reference;
  const error_bound::Dis2 result = error_bound::dis2_bound(source, target, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double mean = std::accumulate(result.restarts.begin(), result.restarts.end(), 0.) /
                      static_cast<double>(result.restarts.size());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"seconds\":{:.4f},\"average\":{:.6f},\"largest\":{:.6f},\"bound\":{:.6f},\"terms\":[{:.5f},{:.5f},{"
      ":.5f}],"
      "\"validity_score\":{:.4f},\"peak_mib\":{}}}\n",
      seconds, mean, result.discrepancy, result.bound, result.concentrations[0].term,
      result.concentrations[1].term, result.concentrations[2].term, *result.validity_score,
      usage.ru_maxrss / 1024);
  return 0;
}
