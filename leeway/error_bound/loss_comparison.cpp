#include "leeway/error_bound/loss_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "leeway/core/contingency.h"

namespace leeway::error_bound {
namespace {

struct TestedDifference {
  double value = 0;
  std::optional<Interval> interval;
  std::optional<double> p;
};

// Mean over source rows less mean over target rows of values from `least` to 1.
TestedDifference row_difference(std::size_t n_source, std::size_t n, double least, double level,
                                const std::function<double(std::size_t)>& value) {
  double difference = 0, centre = 0, variance = 0;
  for (const bool source : {true, false}) {
    const std::size_t begin = source ? 0 : n_source, end = source ? n_source : n;
    double sum = 0, squares = 0;
    for (std::size_t i = begin; i < end; ++i) sum += value(i), squares += value(i) * value(i);
    const double rows = static_cast<double>(end - begin), mean = (sum + least + 1) / (rows + 2);
    difference += (source ? 1 : -1) * sum / rows;
    centre += (source ? 1 : -1) * mean;
    variance += ((squares + least * least + 1) / (rows + 2) - mean * mean) / (rows + 2);
  }
  const double error = std::sqrt(variance), half = normal_quantile(.5 + level / 2) * error;
  return {difference, Interval{std::max(-1., centre - half), std::min(1., centre + half)},
          std::erfc(std::abs(centre) / error / std::numbers::sqrt2)};
}

TestedDifference shift_difference(const std::vector<double>& differences, double level) {
  TestedDifference tested{mean_and_error(differences).mean, {}, {}};
  if (differences.size() > 1) tested.interval = student_interval(differences, level);
  if (const double p = student_p(differences); !std::isnan(p)) tested.p = p;
  return tested;
}

// `difference(a, b)`: of two losses, by their places.
void add_tests(LossComparison& comparison,
               const std::function<TestedDifference(std::size_t, std::size_t)>& difference) {
  std::vector<double> p;
  for (std::size_t a = 0; a < comparison.losses.size(); ++a)
    for (std::size_t b = a + 1; b < comparison.losses.size(); ++b) {
      const TestedDifference tested = difference(a, b);
      comparison.tests.push_back({comparison.losses[a].loss, comparison.losses[b].loss, tested.value,
                                  tested.interval, tested.p, std::nullopt});
      if (tested.p) p.push_back(*tested.p);
    }
  std::size_t next = 0;
  const std::vector<double> adjusted = holm(p);
  for (LossTest& test : comparison.tests)
    if (test.p) test.p_adjusted = adjusted[next++];
}

}  // namespace

LossComparison compare_losses(std::span<const Dis2> found, double level) {
  LossComparison comparison{found.front().agreed.size(), {}, {}};
  const auto difference = [&](double least, const std::function<double(std::size_t)>& value) {
    return row_difference(found.front().n_source, comparison.n, least, level, value);
  };
  for (std::size_t a = 0; a < found.size(); ++a) {
    const TestedDifference own = difference(0, [&](std::size_t i) { return double(found[a].agreed[i]); });
    comparison.losses.push_back(
        {std::string(losses[a].name), found[a].training_discrepancy, own.value, own.interval});
  }
  add_tests(comparison, [&](std::size_t a, std::size_t b) {
    return difference(-1,
                      [&](std::size_t i) { return double(found[a].agreed[i]) - double(found[b].agreed[i]); });
  });
  return comparison;
}

LossComparison compare_losses(std::span<const LossShifts> found, double level) {
  LossComparison comparison{found.front().discrepancies.size(), {}, {}};
  for (const LossShifts& one : found) {
    const TestedDifference own = shift_difference(one.discrepancies, level);
    comparison.losses.push_back({one.loss, std::nullopt, own.value, own.interval});
  }
  add_tests(comparison, [&](std::size_t a, std::size_t b) {
    std::vector<double> differences = found[a].discrepancies;
    for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= found[b].discrepancies[i];
    return shift_difference(differences, level);
  });
  return comparison;
}

}  // namespace leeway::error_bound
