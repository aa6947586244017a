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

namespace leeway::error_bound {
namespace {

constexpr std::size_t least_draws = 16, most_draws = 400, values_of_draws = 4'000'000;
constexpr std::size_t most_self_values = 2'000'000, least_self_rows = 2000;

double cost_of(const Sample& source, double t, std::span<const std::size_t> rows,
               std::span<const double> masses) {
  const Softmax p(source.logits, t, rows);
  const auto read = [&p](std::size_t begin, std::size_t end, std::vector<double>& scratch) {
    return p.rows(begin, end, scratch);
  };
  return optimal_transport({p.n(), p.k(), read}, masses).cost;
}

using ClassMasses = std::vector<double>;

ClassMasses label_shares(const Sample& source, std::span<const std::size_t> rows) {
  ClassMasses shares(source.k());
  for (const std::size_t row : rows)
    shares[static_cast<std::size_t>(source.labels[row])] += 1 / static_cast<double>(rows.size());
  return shares;
}

ClassMasses mean_softmax(const Sample& source, double t, std::span<const std::size_t> rows) {
  constexpr std::size_t block = 256;
  const Softmax p(source.logits, t, rows);
  ClassMasses mean(p.k());
  std::vector<double> scratch;
  for (std::size_t begin = 0; begin < p.n(); begin += block) {
    const std::size_t end = std::min(p.n(), begin + block);
    const double* const values = p.rows(begin, end, scratch);
    for (std::size_t i = 0; i < (end - begin) * p.k(); ++i)
      mean[i % p.k()] += values[i] / static_cast<double>(p.n());
  }
  return mean;
}

std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t n, Random random) {
  std::vector<std::size_t> rows(count);
  for (std::size_t& row : rows) row = random.below(n);
  std::ranges::sort(rows);  // in the order of memory
  return rows;
}

}  // namespace

SelfTransport self_transport(const Sample& source, double t, std::size_t target_rows) {
  const std::size_t most = std::max(least_self_rows, most_self_values / source.k());
  const std::size_t n = std::min(source.n(), most), m = std::min(target_rows, most);
  std::vector<std::size_t> rows;  // at even distances
  for (std::size_t i = 0; i < n; ++i) rows.push_back(i * source.n() / n);
  const std::vector<double> confidence = scores(source.logits, t, rows).confidence;
  const ClassMasses labels = label_shares(source, rows), mean = mean_softmax(source, t, rows);
  const auto excess = [&](const std::vector<std::size_t>& moved, const ClassMasses& masses) {
    std::vector<std::size_t> of_source;
    double sum = 0;
    for (const std::size_t i : moved) of_source.push_back(rows[i]), sum += confidence[i];
    return cost_of(source, t, of_source, masses) - 1 + sum / static_cast<double>(moved.size());
  };
  std::vector<double> draws(std::clamp(values_of_draws / ((n + m) * source.k()), least_draws, most_draws));
  parallel_for(draws.size(), [&](std::size_t draw) {
    std::vector<std::size_t> labeled = drawn_rows(n, n, Random(0, stream("self transport labels"), draw));
    for (std::size_t& row : labeled) row = rows[row];
    ClassMasses masses = mean_softmax(source, t, labeled);
    for (std::size_t j = 0; j < masses.size(); ++j) masses[j] = std::max(0., labels[j] + masses[j] - mean[j]);
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
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const double own = excess(all, labels);
    result = {own + (result.excess - own) * ratio, result.deviation * ratio};
  }
  return result;
}

}  // namespace leeway::error_bound
