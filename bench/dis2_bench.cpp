// Dis2 on logits in .npy files, for bench/peers/dis2.py: RESTARTS critics from SEED, found by leeway's search
// or by the papers' recipe (reference).
#include <sys/resource.h>

#include <numeric>

#include "bench/bench.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/io/npy.h"

namespace {

using namespace leeway;

Json run(const bench::Arguments& arguments) {
  error_bound::Dis2Options options;
  options.restarts = arguments.number(3, options.restarts);
  options.seed = arguments.number(4, options.seed);
  if (arguments.count() > 5 && arguments[5] == "reference") options.search = error_bound::Search::reference;
  error_bound::Dis2 found;
  const double spent = bench::seconds([&] {
    const error_bound::Sample source{
        arguments[0], read_npy(arguments[0]), to_i64(read_npy(arguments[1]), arguments[1]), {}};
    const error_bound::Sample target{arguments[2], read_npy(arguments[2]), {}, {}};
    found = error_bound::dis2_bound(source, target, options);
  });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Json terms = Json::array();
  for (const auto& concentration : found.concentrations) terms.push_back(concentration.term);
  return {{"seconds", spent},
          {"average", std::accumulate(found.restarts.begin(), found.restarts.end(), 0.) /
                          static_cast<double>(found.restarts.size())},
          {"largest", found.discrepancy},
          {"bound", found.bound},
          {"terms", terms},
          {"validity_score", *found.validity_score},
          {"peak_mib", usage.ru_maxrss / 1024}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of({argc, argv}, 3, 6,
                        "dis2_bench SOURCE.npy LABELS.npy TARGET.npy [RESTARTS [SEED [maximum|reference]]]",
                        run);
}
