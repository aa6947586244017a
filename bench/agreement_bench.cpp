// agreement_bench CLEAN.npy SHIFTED.npy [REPEATS [THREADS]]
//
// Times, as one JSON object on stdout (medians over REPEATS; seconds):
//   solve       the certified maximum, both files opened and read each time
//   evaluation  one evaluation of A with all derivatives, on what is laid out in memory (file pages in the
//               cache)
//   floor       2 n k exponentials with the kernel's own exp and nothing else, on a block in the L1 cache, with
//               as many threads: no evaluation can be faster
// rss_anon is the peak of memory beyond the page cache (RssAnon of /proc/self/status), in bytes, sampled
// while solving.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench.h"
#include "leeway/agreement/agreement.h"
#include "leeway/agreement/detail/kernel.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/core/parallel.h"
#include "leeway/io/shards.h"

namespace {

using namespace leeway;
using bench::least, bench::median, bench::seconds;

double rss_anon() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return 1024 * std::strtod(line.c_str() + 8, nullptr);
  return 0;
}

// The peak of RssAnon while it lives, looked at every 2 ms.
class MemoryWatch {
 public:
  MemoryWatch()
      : watcher_([this] {
          while (!done_) {
            peak_ = std::max(peak_.load(), rss_anon());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  ~MemoryWatch() { stop(); }
  double stop() {
    done_ = true;
    if (watcher_.joinable()) watcher_.join();
    return std::max(peak_.load(), rss_anon());
  }

 private:
  std::atomic<bool> done_{false};
  std::atomic<double> peak_{0};
  std::thread watcher_;
};

// 2 n k exponentials, cut as the library cuts its rows, every block the same 4096 values.
double floor_once(std::size_t exponentials, const std::vector<double>& block) {
  const std::size_t blocks = std::max<std::size_t>(1, exponentials / block.size());
  const std::size_t tasks = std::min<std::size_t>(blocks, 64);
  std::vector<double> sums(tasks);
  const double spent = seconds([&] {
    parallel_for(tasks, [&](std::size_t task) {
      const std::size_t from = task * blocks / tasks, to = (task + 1) * blocks / tasks;
      for (std::size_t b = from; b < to; ++b)
        sums[task] +=
            agreement::sum_of_exponentials(block.data(), block.size(), 1 + 1e-9 * static_cast<double>(b));
    });
  });
  if (!(sums[0] > 0)) throw std::runtime_error("the floor's sum is not positive");
  return spent * static_cast<double>(exponentials) / static_cast<double>(blocks * block.size());
}

// What the same evaluations take where no logit comes from memory or has to be laid out: as many rows, in sets
// of 4096 that lie in the cache, each cut off the front of the data.
double in_cache_once(const Rows& clean, const Rows& shifted, double beta) {
  const std::size_t n = clean.shape()[0], rows = std::min<std::size_t>(n, 4096), sets = n / rows;
  std::vector<std::size_t> first(rows);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const agreement::Pairs pairs(clean.take(first), shifted.take(first), {}, {"clean", "shifted"});
  std::vector<double> sums(sets);
  const double spent = seconds([&] {
    parallel_for(sets, [&](std::size_t i) {
      sums[i] = pairs.evaluate(beta * (1 + 1e-9 * static_cast<double>(i))).f1;
    });
  });
  if (!std::isfinite(sums[0])) throw std::runtime_error("an evaluation is not finite");
  return spent * static_cast<double>(n) / static_cast<double>(sets * rows);
}

Rows read(const std::string& text) { return read_shards(text, {.check_finite = false}).logits; }

Json run(const bench::Arguments& arguments) {
  const std::string &clean_path = arguments[0], &shifted_path = arguments[1];
  const std::size_t repeats = std::max<std::size_t>(1, arguments.number(2, 21));
  set_threads(static_cast<int>(arguments.number(3, 0)));
  agreement::Agreement found;
  std::vector<double> solve, evaluation, slope, cached, floor;
  const auto solve_once = [&] {
    const Rows clean = read(clean_path), shifted = read(shifted_path);
    found = agreement::posterior_agreement(clean, shifted);
  };
  solve_once();  // pages into the cache, threads started

  for (std::size_t r = 0; r < repeats; ++r) solve.push_back(seconds(solve_once));
  MemoryWatch memory;
  solve_once();  // once more: watching costs time
  const double peak = memory.stop();

  const Rows clean = read(clean_path), shifted = read(shifted_path);
  const agreement::Pairs pairs(clean, shifted, {}, {clean_path, shifted_path});
  const double beta = std::isfinite(found.beta) && found.beta > 0 ? found.beta : 1;
  std::vector<double> block(4096);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = -static_cast<double>(i % 1009) / 128;
  double sink = 0;
  for (std::size_t r = 0; r < repeats; ++r) {
    evaluation.push_back(seconds([&] { sink += pairs.evaluate(beta).f1; }));
    slope.push_back(seconds([&] { sink += pairs.evaluate(beta, agreement::Detail::slope).f1; }));
    cached.push_back(in_cache_once(clean, shifted, beta));
    floor.push_back(floor_once(2 * found.n * found.k, block));
  }
  if (!std::isfinite(sink)) throw std::runtime_error("an evaluation is not finite");

  return {{"n", found.n},
          {"k", found.k},
          {"threads", threads()},
          {"repeats", repeats},
          {"beta", json_number(found.beta)},
          {"log_pa_sum", found.log_pa_sum},
          {"gap", json_number(found.gap)},
          {"evaluations", found.evaluations},
          {"solve", median(solve)},
          {"solve_least", least(solve)},
          {"evaluation", median(evaluation)},
          {"evaluation_slope", median(slope)},
          {"evaluation_in_cache", median(cached)},
          {"floor", median(floor)},
          {"evaluation_least", least(evaluation)},
          {"floor_least", least(floor)},
          {"rss_anon", peak}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of({argc, argv}, 2, 4, "agreement_bench CLEAN.npy SHIFTED.npy [REPEATS [THREADS]]", run);
}
