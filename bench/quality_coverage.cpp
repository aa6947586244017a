// How often the intervals of what labels say beside accuracy hold the population's values, by simulation.
//
//   quality_coverage DRAWS [SEED]
//
// CSV on stdout, one line for each population, k, n and metric. Logits are normal with the standard deviation 1.5 and, for class
// 0 alone, a mean of 1; labels are drawn from their softmax ("calibrated") or from that of half of them ("overconfident").
// The target has the same labels and logits with noise of deviation 1. Of each draw of n rows: the target's intervals, and
// those of the change, taken once as pairs and once from a second draw. The population's values are those of a million rows.
// `held` and `wide` (mean width) are of the target's interval, `paired` and `unpaired` count the changes that were held.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/tasks/assess/detail/quality.h"

namespace {

using leeway::Measured;
using leeway::Random;
using leeway::assess::Quality;
using leeway::record::AssessQuality;
using leeway::record::QualityChange;

struct Sides {
  Quality source, target;
};

Sides drawn(std::string_view kind, std::size_t k, std::size_t n, std::uint64_t seed, std::uint64_t draw) {
  std::vector<double> clean(n * k), noisy(n * k), weights(k);
  std::vector<std::int64_t> labels(n);
  Random random(seed, leeway::stream(kind), draw);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double z = 1.5 * random.normal() + (j == 0 ? 1 : 0);
      clean[i * k + j] = z, noisy[i * k + j] = z + random.normal();
      sum += weights[j] = std::exp(kind == "calibrated" ? z : z / 2);
    }
    double left = random.uniform() * sum;
    std::size_t label = 0;
    while (label + 1 < k && left >= weights[label]) left -= weights[label++];
    labels[i] = static_cast<std::int64_t>(label);
  }
  const auto quality = [&](std::vector<double> logits) {
    const leeway::Array array = leeway::make_array<double>({n, k}, std::move(logits));
    return leeway::assess::quality_of(array, labels, leeway::assess::predict(array, "drawn"), .95);
  };
  return {quality(std::move(clean)), quality(std::move(noisy))};
}

struct Metric {
  std::string_view name;
  Measured AssessQuality::*value;
  Measured QualityChange::*change;
};
constexpr std::array<Metric, 6> metrics{
    {{"balanced accuracy", &AssessQuality::balanced_accuracy, &QualityChange::balanced_accuracy},
     {"macro F1", &AssessQuality::macro_f1, &QualityChange::macro_f1},
     {"AUROC", &AssessQuality::auroc, &QualityChange::auroc},
     {"log loss", &AssessQuality::log_loss, &QualityChange::log_loss},
     {"Brier", &AssessQuality::brier, &QualityChange::brier},
     {"ECE", &AssessQuality::ece, &QualityChange::ece}}};

bool holds(const Measured& found, double truth) {
  return found.low && *found.low <= truth && truth <= *found.high;
}

void simulate(std::string_view kind, std::size_t k, std::size_t draws, std::uint64_t seed) {
  const Sides population = drawn(kind, k, 1'000'000, seed, 1ull << 40);
  for (const std::size_t n : {50, 200, 1000, 10000}) {
    std::array<std::size_t, metrics.size()> held{}, paired{}, unpaired{};
    std::array<double, metrics.size()> width{};
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const Sides one = drawn(kind, k, n, seed, 2 * draw), other = drawn(kind, k, n, seed, 2 * draw + 1);
      const QualityChange same = quality_change(one.source, one.target, true, .95),
                          apart = quality_change(other.source, one.target, false, .95);
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const double before = *(population.source.found.*metrics[m].value).value,
                     after = *(population.target.found.*metrics[m].value).value;
        const Measured& found = one.target.found.*metrics[m].value;
        held[m] += holds(found, after);
        width[m] += found.low ? *found.high - *found.low : 0;
        paired[m] += holds(same.*metrics[m].change, after - before);
        unpaired[m] += holds(apart.*metrics[m].change, after - before);
      }
    }
    for (std::size_t m = 0; m < metrics.size(); ++m)
      fmt::print("{},{},{},{},{},{},{:.4f},{},{}\n", kind, k, n, metrics[m].name, draws, held[m],
                 width[m] / static_cast<double>(draws), paired[m], unpaired[m]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: quality_coverage DRAWS [SEED]\n");
    return 2;
  }
  const auto draws = static_cast<std::size_t>(std::atoll(argv[1]));
  const std::uint64_t seed = argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 0;
  fmt::print("labels,k,n,metric,draws,held,wide,paired,unpaired\n");
  for (const std::size_t k : {2, 10})
    for (const std::string_view kind : {"calibrated", "overconfident"}) simulate(kind, k, draws, seed);
  return 0;
}
