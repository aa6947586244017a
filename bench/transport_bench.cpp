// Times the exact transport, for bench/peers/transport.py.
//
//   transport_bench GAINS.npy MASSES.npy [REPEATS [THREADS]]      gains (n,k) float64, masses (k)
//   -> {"n","k","threads","repeats","cost","gap","moves","seconds" (median),"least"}
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

#include "leeway/core/npy.h"
#include "leeway/core/parallel.h"
#include "leeway/core/result.h"
#include "leeway/error_bound/transport.h"

namespace {

using namespace leeway;

Json run(const char* gains_path, const char* masses_path, std::size_t repeats) {
  const Array gains = read_npy(gains_path), masses = read_npy(masses_path);
  const auto p = gains.view<double>(), m = masses.view<double>();
  const std::size_t k = m.size();
  error_bound::Transport found = error_bound::optimal_transport(p, k, m);  // pages and threads are there now
  std::vector<double> seconds(repeats);
  for (double& spent : seconds) {
    const auto start = std::chrono::steady_clock::now();
    found = error_bound::optimal_transport(p, k, m);
    spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return {{"n", p.size() / k},       {"k", k},
          {"threads", threads()},    {"repeats", repeats},
          {"cost", found.cost},      {"gap", found.gap},
          {"moves", found.moves},    {"seconds", seconds[repeats / 2]},
          {"least", seconds.front()}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fputs("usage: transport_bench GAINS.npy MASSES.npy [REPEATS [THREADS]]\n", stderr);
    return 2;
  }
  try {
    const std::size_t repeats = argc > 3 ? std::max<std::size_t>(1, std::strtoull(argv[3], nullptr, 10)) : 21;
    if (argc > 4) set_threads(std::atoi(argv[4]));
    std::cout << run(argv[1], argv[2], repeats).dump() << '\n';
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
