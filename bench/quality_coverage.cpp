// How often the intervals of what labels say beside accuracy hold the population's values, by simulation.
//
//   quality_coverage DRAWS [SEED]
//
// CSV on stdout, one line for each population, k, n and metric.
//   calibrated, overconfident: normal logits of standard deviation 1.5, for class 0 with mean 1; labels drawn from
//     their softmax, or from that of half of them
//   others: labels first, by the share of the last class; then normal logits of standard deviation `spread`, that of
//     the label higher by `margin`
// The target has the same labels and logits with noise of deviation 1. Of each draw of n rows: the target's
// intervals, and those of the change, taken once as pairs and once from a second draw. The population's values are
// those of a million rows. Of the target's interval, of the paired and of the unpaired change: `present` counts the
// draws that have it, `missed` those that have it without the value in it; `wide` is the mean width of the first.
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
using leeway::tasks::AssessQuality;
using leeway::tasks::QualityChange;

struct Population {
  std::string_view name;
  std::size_t k;
  std::vector<std::size_t> rows;
  double temperature = 1;                      // of the softmax that labels are drawn from
  double share = 0, margin = 0, spread = 1.5;  // share > 0: labels first
};

// Margins of two classes are differences of two logits, hence the deviation of spread sqrt(2).
const std::vector<Population> populations{{"calibrated", 2, {50, 200, 1000}},
                                          {"overconfident", 2, {50, 200, 1000}, 2},
                                          {"calibrated", 10, {50, 200, 1000}},
                                          {"overconfident", 10, {50, 200, 1000}, 2},
                                          {"99% right", 2, {30, 100, 300, 1000}, 1, .5, 9.87, 3},
                                          {"99.7% right", 2, {1000, 3000}, 1, .5, 11.66, 3},
                                          {"99% right", 10, {100, 1000}, 1, .1, 12.9, 3},
                                          {"2% positives", 2, {30, 100, 300, 1000}, 1, .02, 3.2, 1.5},
                                          {"2% positives, 99% right", 2, {100, 300, 1000}, 1, .02, 9.87, 3}};

struct Sides {
  std::vector<std::int64_t> labels;
  Quality source, target;
};

Sides drawn(const Population& one, std::size_t n, std::uint64_t seed, std::uint64_t draw) {
  const std::size_t k = one.k;
  std::vector<double> clean(n * k), noisy(n * k), weights(k);
  Sides sides;
  sides.labels.resize(n);
  Random random(seed, leeway::stream(one.name), draw);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t label = 0;
    if (one.share > 0)
      label = random.uniform() < one.share ? k - 1 : static_cast<std::size_t>(random.below(k - 1));
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) {
      double z = one.spread * random.normal();
      z += one.share > 0 ? (j == label ? one.margin : 0) : (j == 0 ? 1 : 0);
      clean[i * k + j] = z, noisy[i * k + j] = z + random.normal();
      sum += weights[j] = std::exp(z / one.temperature);
    }
    if (one.share == 0) {
      double left = random.uniform() * sum;
      while (label + 1 < k && left >= weights[label]) left -= weights[label++];
    }
    sides.labels[i] = static_cast<std::int64_t>(label);
  }
  const auto quality = [&](std::vector<double> logits) {
    const leeway::Array array = leeway::make_array<double>({n, k}, std::move(logits));
    return leeway::assess::quality_of(array, sides.labels, leeway::assess::predict(array, "drawn"), .95);
  };
  sides.source = quality(std::move(clean)), sides.target = quality(std::move(noisy));
  return sides;
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

struct Count {
  std::size_t present = 0, missed = 0;
  double width = 0;

  void add(const Measured& found, double truth) {
    if (!found.low) return;
    ++present, missed += *found.low > truth || truth > *found.high;
    width += *found.high - *found.low;
  }
};

void simulate(const Population& population, std::size_t draws, std::uint64_t seed) {
  const Sides all = drawn(population, 1'000'000, seed, 1ull << 40);
  for (const std::size_t n : population.rows) {
    std::array<std::array<Count, 3>, metrics.size()> counts{};
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const Sides one = drawn(population, n, seed, 2 * draw),
                  other = drawn(population, n, seed, 2 * draw + 1);
      const QualityChange same = quality_change(one.source, one.target, true, .95),
                          apart = quality_change(other.source, one.target, false, .95);
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const double before = *(all.source.found.*metrics[m].value).value,
                     after = *(all.target.found.*metrics[m].value).value;
        counts[m][0].add(one.target.found.*metrics[m].value, after);
        counts[m][1].add(same.*metrics[m].change, after - before);
        counts[m][2].add(apart.*metrics[m].change, after - before);
      }
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const auto& [held, paired, unpaired] = counts[m];
      fmt::print("\"{}\",{},{},{},{},{},{},{:.4f},{},{},{:.4f},{},{}\n", population.name, population.k, n,
                 metrics[m].name, draws, held.present, held.missed,
                 held.width / static_cast<double>(std::max<std::size_t>(1, held.present)), paired.present,
                 paired.missed, paired.width / static_cast<double>(std::max<std::size_t>(1, paired.present)),
                 unpaired.present, unpaired.missed);
    }
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
  fmt::print(
      "labels,k,n,metric,draws,present,missed,wide,paired_present,paired_missed,paired_wide,unpaired_present,"
      "unpaired_missed\n");
  for (const Population& population : populations) simulate(population, draws, seed);
  return 0;
}
