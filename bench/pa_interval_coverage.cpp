// How often the interval of posterior agreement (PA) holds the PA of the population, by simulation.
//
//   pa_interval_coverage delta|bootstrap|surer DRAWS [SEED [POPULATION [K [N [SHARE]]]]]
//
// CSV on stdout, one line a cell; a population, a k, an n and a share choose the cells that have them, "all" all.
//
// A population is a pool of 4,000 pairs of rows whose top classes agree and one of 4,000 whose do not, and a share of the
// latter; its PA is the maximum over beta of the weighted mean of both pools' agreements. Samples of n rows are drawn
// with replacement. Beside each coverage stands that of PA +- z s / sqrt(n) at beta*. Logits of both sets are normal
// noise with one class raised:
//   one-hot     10 and 0, no noise                             saturated   noise 3, raised by 15 to 25
//   soft        noise 1, raised by 1.5 + log(k) / 2            calibrated  noise 1.5, raised by an exponential of mean 4
//   mixed       noise 1, raised by a log-normal (.8) of median e, + log(k) / 2
// With `surer` the pairs that disagree are those of a pool whose logits are 1, 1.5, 2 and 3 times as large: what the
// interval assumes is then false.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/random.h"
#include "leeway/core/statistics.h"

namespace {

using leeway::Array;
using leeway::Random;

constexpr std::size_t pool_rows = 4000;

struct Pool {
  std::vector<double> clean, shifted;  // (pool_rows, k)
};

double raised(std::string_view kind, std::size_t k, Random& random) {
  const double half_log = .5 * std::log(static_cast<double>(k));
  if (kind == "one-hot") return 10;
  if (kind == "saturated") return 15 + 10 * random.uniform();
  if (kind == "soft") return 1.5 + half_log;
  if (kind == "calibrated") return -4 * std::log(random.uniform());
  return std::exp(1 + .8 * random.normal()) + half_log;
}

void add_row(std::string_view kind, std::size_t k, std::size_t top, double scale, Random& random,
             std::vector<double>& rows) {
  const double noise = kind == "one-hot" ? 0 : kind == "saturated" ? 3 : kind == "calibrated" ? 1.5 : 1;
  std::vector<double> row(k);
  for (double& value : row) value = scale * noise * random.normal();
  row[top] += scale * raised(kind, k, random);
  std::swap(row[top], *std::max_element(row.begin(), row.end()));
  rows.insert(rows.end(), row.begin(), row.end());
}

Pool pool_of(std::string_view kind, std::size_t k, bool agree, double scale, std::uint64_t seed) {
  Pool pool;
  for (std::size_t i = 0; i < pool_rows; ++i) {
    Random random(seed, leeway::stream(agree ? "agreeing" : "disagreeing"), i);
    const std::size_t top = random.below(k);
    const std::size_t other = (top + 1 + random.below(k - 1)) % k;
    add_row(kind, k, top, scale, random, pool.clean);
    add_row(kind, k, agree ? top : other, scale, random, pool.shifted);
  }
  return pool;
}

std::vector<double> means_over(const Pool& pool, std::size_t k, const std::vector<double>& betas) {
  const Array clean = leeway::make_array({pool_rows, k}, pool.clean);
  const Array shifted = leeway::make_array({pool_rows, k}, pool.shifted);
  std::vector<double> means;
  for (const double beta : betas)
    means.push_back(leeway::mean_and_error(leeway::agreement::agreement_per_row(clean, shifted, beta)).mean);
  return means;
}

struct Population {
  std::size_t k = 0;
  Pool agreeing, disagreeing;
  std::vector<double> agreeing_means, disagreeing_means;

  Population(std::string_view kind, std::size_t classes, double surer, std::uint64_t seed) : k(classes) {
    agreeing = pool_of(kind, k, true, 1, seed);
    disagreeing = pool_of(kind, k, false, surer, seed);
    std::vector<double> betas;
    for (double beta = 1e-4; beta < 40; beta *= 1.02) betas.push_back(beta);
    agreeing_means = means_over(agreeing, k, betas);
    disagreeing_means = means_over(disagreeing, k, betas);
  }

  [[nodiscard]] double pa(double share) const {
    const double log_k = std::log(static_cast<double>(k));
    if (share == 0) return log_k;
    double best = 0;
    for (std::size_t i = 0; i < agreeing_means.size(); ++i)
      best = std::max(best, log_k + (1 - share) * agreeing_means[i] + share * disagreeing_means[i]);
    return best;
  }
};

struct Cell {
  std::string_view method, kind;
  double surer = 1;
  std::size_t n = 0;
  double share = 0;
};

void simulate(const Cell& cell, const Population& population, std::size_t draws, std::uint64_t seed) {
  const std::size_t k = population.k, n = cell.n;
  const double truth = population.pa(cell.share), z = leeway::normal_quantile(.975);
  std::size_t above = 0, below = 0, plain = 0;
  std::vector<double> low_sides, high_sides, plain_sides;
  // Cells share no draws: they would all miss together.
  const std::uint32_t own =
      leeway::stream(fmt::format("{} {} {} {} {}", cell.kind, cell.surer, k, n, cell.share));
  for (std::size_t draw = 0; draw < draws; ++draw) {
    Random random(seed, own, draw);
    std::vector<double> clean, shifted;
    for (std::size_t i = 0; i < n; ++i) {
      const Pool& pool = random.uniform() < cell.share ? population.disagreeing : population.agreeing;
      const auto row = static_cast<std::ptrdiff_t>(random.below(pool_rows) * k),
                 size = static_cast<std::ptrdiff_t>(k);
      clean.insert(clean.end(), pool.clean.begin() + row, pool.clean.begin() + row + size);
      shifted.insert(shifted.end(), pool.shifted.begin() + row, pool.shifted.begin() + row + size);
    }
    const Array first = leeway::make_array({n, k}, std::move(clean));
    const Array second = leeway::make_array({n, k}, std::move(shifted));
    leeway::agreement::Options options;
    if (cell.method == "bootstrap") options.bootstrap = 200, options.seed = draw;
    const auto found = leeway::agreement::posterior_agreement(first, second, {}, options);
    above += found.pa_interval.low > truth + 1e-9;
    below += found.pa_interval.high <
             truth - 1e-4 * std::min(1., found.pa_interval.high - found.pa_interval.low) - 1e-9;
    low_sides.push_back(found.pa - found.pa_interval.low);
    high_sides.push_back(found.pa_interval.high - found.pa);
    const double half =
        z * leeway::mean_and_error(leeway::agreement::agreement_per_row(first, second, found.beta))
                .standard_error;
    plain_sides.push_back(half);
    plain += std::abs(found.pa - truth) <= half + 1e-9;
  }
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return leeway::quantile(values, .5);
  };
  const double trials = static_cast<double>(draws);
  fmt::print("{},{},{},{},{},{},{:.5f},{},{:.4f},{:.4f},{:.4f},{:.5f},{:.5f},{:.4f},{:.5f}\n", cell.method,
             cell.kind, cell.surer, k, n, cell.share, truth, draws,
             1 - static_cast<double>(above + below) / trials, static_cast<double>(above) / trials,
             static_cast<double>(below) / trials, median(low_sides), median(high_sides),
             static_cast<double>(plain) / trials, median(plain_sides));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string method = argc > 1 ? argv[1] : "";
  const std::size_t draws = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const auto chosen = [&](int at, const std::string& value) {
    return argc <= at || value == argv[at] || std::string_view("all") == argv[at];
  };
  if (draws == 0 || (method != "delta" && method != "bootstrap" && method != "surer")) {
    fmt::print(
        stderr,
        "usage: pa_interval_coverage delta|bootstrap|surer DRAWS [SEED [POPULATION [K [N [SHARE]]]]]\n");
    return 2;
  }
  fmt::print(
      "method,population,surer,k,n,share,pa,draws,coverage,low_above,high_below,low_side,high_side,"
      "plain_coverage,plain_side\n");
  const bool surer = method == "surer";
  const std::vector<std::size_t> classes =
      surer ? std::vector<std::size_t>{2, 10} : std::vector<std::size_t>{2, 10, 100};
  const std::vector<std::size_t> sizes =
      surer ? std::vector<std::size_t>{200, 1000} : std::vector<std::size_t>{50, 200, 1000, 10000};
  const std::vector<double> scales = surer ? std::vector<double>{1, 1.5, 2, 3} : std::vector<double>{1};
  for (const std::string_view kind : {"one-hot", "saturated", "soft", "calibrated", "mixed"})
    for (const std::size_t k : classes)
      for (const double scale : scales) {
        if (!chosen(4, std::string(kind)) || !chosen(5, fmt::to_string(k))) continue;
        const Population population(kind, k, scale, seed);
        for (const std::size_t n : sizes)
          for (const double share : {0., .0005, .002, .005, .01, .03, .1, .3, .5}) {
            if (!chosen(6, fmt::to_string(n)) || !chosen(7, fmt::to_string(share))) continue;
            // A third of the draws where a sample has ten times as many rows; the bootstrap is called with as few.
            simulate({method, kind, scale, n, share}, population,
                     n < 10000 || method == "bootstrap" ? draws : std::max<std::size_t>(draws / 3, 1), seed);
          }
      }
  return 0;
}
