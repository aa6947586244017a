// How often the rank intervals of sweep reports contain the expected rank, by simulation.
//
//   rank_coverage DRAWS [SEED]
//
// CSV on stdout, one line for each number of algorithms, cases and seeds, kind of scatter and algorithm. Algorithm a has
// the value .5 a + case effect + seed effect, both normal and independent for each algorithm; the highest value is best.
// The scatter is that of "cases" (deviations 1 and .2) or of "seeds" (.2 and 1). The expected rank is the mean over
// 200,000 cases of one seed. `present`: draws with an interval; `missed`: those whose interval does not contain it.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/sweep/detail/fold.h"

namespace {

using leeway::Random;
using leeway::sweep::detail::Item;
using leeway::sweep::detail::Ranked;

struct Scatter {
  std::string_view of;
  double cases, seeds;
};

std::vector<Ranked> ranked(Random random, const Scatter& scatter, std::size_t algorithms, std::size_t cases,
                           std::size_t seeds) {
  std::vector<std::vector<Item>> table(algorithms, std::vector<Item>(cases));
  for (std::size_t a = 0; a < algorithms; ++a)
    for (Item& item : table[a]) {
      const double mean = .5 * static_cast<double>(a) + scatter.cases * random.normal();
      for (std::size_t s = 0; s < seeds; ++s)
        item.by_seed.push_back(leeway::sweep::detail::Value{mean + scatter.seeds * random.normal()});
    }
  return ranks_of(table);
}

const leeway::Measured& rank_of(const std::vector<Ranked>& ranks, std::size_t algorithm) {
  for (const Ranked& one : ranks)
    if (one.algorithm == algorithm) return one.rank.rank;
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t draws = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("algorithms,cases,seeds,scatter,algorithm,expected,draws,present,missed\n");
  for (const std::size_t algorithms : {2u, 5u, 20u})
    for (const Scatter& scatter : {Scatter{"cases", 1, .2}, Scatter{"seeds", .2, 1}}) {
      const Random of_expected(seed, leeway::stream("expected"), algorithms);
      const std::vector<Ranked> expected = ranked(of_expected, scatter, algorithms, 200'000, 1);
      for (const std::size_t cases : {2u, 3u, 5u, 8u})
        for (const std::size_t seeds : {1u, 3u, 5u}) {
          std::vector<std::size_t> present(algorithms), missed(algorithms);
          for (std::size_t draw = 0; draw < draws; ++draw) {
            const Random random(seed, leeway::stream("draw"), draw);
            const std::vector<Ranked> found = ranked(random, scatter, algorithms, cases, seeds);
            for (std::size_t a = 0; a < algorithms; ++a) {
              const leeway::Measured& rank = rank_of(found, a);
              const double truth = *rank_of(expected, a).value;
              present[a] += rank.low ? 1 : 0;
              missed[a] += rank.low && (truth < *rank.low || truth > *rank.high) ? 1 : 0;
            }
          }
          for (const std::size_t a : {algorithms - 1, algorithms / 2})
            if (a != algorithms - 1 || algorithms > 2)
              fmt::print("{},{},{},{},{},{:.4f},{},{},{}\n", algorithms, cases, seeds, scatter.of,
                         a == algorithms - 1 ? "best" : "middle", *rank_of(expected, a).value, draws,
                         present[a], missed[a]);
        }
    }
}
