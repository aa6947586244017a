// Times the exact transport, for bench/peers/transport.py.
//
//   transport_bench GAINS.npy MASSES.npy [REPEATS [THREADS]]      gains (n,k) float64, masses (k)
//   -> {"n","k","threads","repeats","cost","gap","moves","seconds" (median),"least"}
#include "bench/bench.h"
#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/transport.h"
#include "leeway/io/npy.h"

namespace {

using namespace leeway;

Json run(const bench::Arguments& arguments) {
  const std::size_t repeats = std::max<std::size_t>(1, arguments.number(2, 21));
  set_threads(static_cast<int>(arguments.number(3, 0)));
  const Array gains = read_npy(arguments[0]), masses = read_npy(arguments[1]);
  const auto p = gains.view<double>(), m = masses.view<double>();
  const std::size_t k = m.size();
  error_bound::Transport found = error_bound::optimal_transport(p, k, m);  // pages and threads are there now
  std::vector<double> spent(repeats);
  for (double& one : spent) one = bench::seconds([&] { found = error_bound::optimal_transport(p, k, m); });
  return {{"n", p.size() / k},           {"k", k},
          {"threads", threads()},        {"repeats", repeats},
          {"cost", found.cost},          {"gap", found.gap},
          {"moves", found.moves},        {"seconds", bench::median(spent)},
          {"least", bench::least(spent)}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of({argc, argv}, 2, 4, "transport_bench GAINS.npy MASSES.npy [REPEATS [THREADS]]", run);
}
