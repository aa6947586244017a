#include "leeway/error_bound/self_transport.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/error_bound/confidence.h"
#include "leeway/error_bound/detail/transport.h"
#include "leeway/error_bound/evidence.h"

namespace leeway::error_bound {
namespace {

using ClassMasses = std::vector<double>;

constexpr std::size_t least_draws = 6, most_draws = 400, values_of_draws = 500'000;
constexpr std::size_t most_rows = 20'000, values_of_rows = 100'000, least_rows = 500;

// The softmax of some rows, one after another.
class Softmaxes {
 public:
  Softmaxes(const Sample& source, double t, std::span<const std::size_t> rows) : k_(source.k()) {
    std::vector<double> scratch;
    const Softmax p(source.logits, t, rows);
    const double* const first = p.rows(0, rows.size(), scratch);
    values_.assign(first, first + rows.size() * k_);
  }

  [[nodiscard]] ClassMasses mean(std::span<const std::size_t> drawn) const {
    ClassMasses mean(k_);
    for (const std::size_t i : drawn)
      for (std::size_t j = 0; j < k_; ++j) mean[j] += values_[i * k_ + j] / static_cast<double>(drawn.size());
    return mean;
  }

  [[nodiscard]] double transport_cost(std::span<const std::size_t> drawn, const ClassMasses& masses) const {
    std::vector<double> gains;
    gains.reserve(drawn.size() * k_);
    for (const std::size_t i : drawn) {
      const auto row = values_.begin() + static_cast<std::ptrdiff_t>(i * k_);
      gains.insert(gains.end(), row, row + static_cast<std::ptrdiff_t>(k_));
    }
    return optimal_transport(gains, k_, masses).cost;
  }

 private:
  std::size_t k_;
  std::vector<double> values_;
};

// By how much draws from n rows understate what noise costs, because classes without rows are never drawn. A class costs
// as the root of its share; shares are shrunk to 1/k by as much of their variance as counting n rows explains.
double lost_with_rare_classes(const ClassMasses& shares, std::size_t n) {
  const auto k = static_cast<double>(shares.size());
  double squares = 0, roots = 0, shrunk = 0;
  for (const double share : shares) squares += (share - 1 / k) * (share - 1 / k), roots += std::sqrt(share);
  const double by_chance = 1 / static_cast<double>(n);  // k times p / n, p = 1/k
  const double part = squares > by_chance ? by_chance / squares : 1;
  for (const double share : shares) shrunk += std::sqrt((1 - part) * share + part / k);
  return shrunk / roots;
}

}  // namespace

SelfTransport self_transport(const Sample& source, double t, std::size_t target_rows) {
  const std::size_t most = std::clamp(values_of_rows / source.k(), least_rows, most_rows);
  const std::size_t n = std::min(source.n(), most), m = std::min(target_rows, most);
  std::vector<std::size_t> rows;  // at even distances
  for (std::size_t i = 0; i < n; ++i) rows.push_back(i * source.n() / n);
  const Evidence known = collect_source(source, {.inverse_temperature = t, .source_rows = rows});
  const std::vector<double>& confidence = known.source->confidence;
  const ClassMasses& labels = known.label_shares;
  const Softmaxes p(source, t, rows);
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const ClassMasses mean = p.mean(all);
  const auto excess = [&](const std::vector<std::size_t>& drawn, const ClassMasses& masses) {
    double sum = 0;
    for (const std::size_t i : drawn) sum += confidence[i];
    return p.transport_cost(drawn, masses) - 1 + sum / static_cast<double>(drawn.size());
  };
  std::vector<double> draws(std::clamp(values_of_draws / ((n + m) * source.k()), least_draws, most_draws));
  parallel_for(draws.size(), [&](std::size_t draw) {
    ClassMasses masses = p.mean(drawn_rows(n, n, Random(0, stream("self transport labels"), draw)));
    for (std::size_t j = 0; j < masses.size(); ++j)  // whole rows: transport.h
      masses[j] = std::max(0., std::round((labels[j] + masses[j] - mean[j]) * static_cast<double>(n)));
    draws[draw] = excess(drawn_rows(m, n, Random(0, stream("self transport rows"), draw)), masses);
  });
  SelfTransport result;
  for (const double one : draws) result.excess += one / static_cast<double>(draws.size());
  double squares = 0;
  for (const double one : draws) squares += (one - result.excess) * (one - result.excess);
  result.deviation = std::sqrt(squares / static_cast<double>(draws.size() - 1));
  if (n < source.n() || m < target_rows) {
    const auto part = [](std::size_t count) { return 1 / static_cast<double>(count); };
    const double ratio = std::sqrt((part(source.n()) + part(target_rows)) / (part(n) + part(m)));
    const double own = excess(all, labels);
    result = {own + (result.excess - own) * ratio, result.deviation * ratio};
  }
  const double factor = lost_with_rare_classes(labels, n);
  return {result.excess * factor, result.deviation * factor};
}

}  // namespace leeway::error_bound
