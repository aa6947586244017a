#include "leeway/error_bound/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

// A compensated sum (Neumaier's two-sum), almost independent of the order of its terms.
class ExactSum {
 public:
  void add(double value) {
    const double next = sum_ + value, part = next - sum_;
    rest_ += (sum_ - (next - part)) + (value - part);
    sum_ = next;
  }
  [[nodiscard]] double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0, rest_ = 0;
};

constexpr double smallest_log = -700;  // exp is a normal number from here on

struct RowScores {
  double confidence, negative_entropy, log_odds, margin;
  std::int32_t predicted;
};

RowScores score(const double* z, std::size_t k, double t) {
  // The top itself is left out of the sum: beside it, what the others weigh would be lost below 1e-16.
  const double* top = std::find(z, z + k, 0.);
  double second = -std::numeric_limits<double>::infinity();
  for (const double* at = z; at != z + k; ++at)
    if (at != top) second = std::max(second, *at);
  const auto predicted = static_cast<std::int32_t>(top - z);
  if (std::isinf(t)) {
    const auto tops = static_cast<double>(std::count(z, z + k, 0.));
    return {1 / tops, -std::log(tops), -std::log(tops - 1), -second, predicted};
  }
  ExactSum others, weighted, shifted;  // shifted: in units of the second largest, since weights may all be 0
  for (const double* at = z; at != z + k; ++at) {
    if (at == top) continue;
    const double weight = std::exp(t * *at);
    others.add(weight), weighted.add(weight * *at);
    if (t * second < smallest_log) shifted.add(std::exp(t * (*at - second)));
  }
  const double rest = others.value();
  return {1 / (1 + rest), t * weighted.value() / (1 + rest) - std::log1p(rest),
          t * second < smallest_log ? -t * second - std::log(shifted.value()) : -std::log(rest), -second,
          predicted};
}

void soften(const double* z, double t, std::span<double> p) {
  double total = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    p[j] = std::isinf(t) ? static_cast<double>(z[j] == 0) : std::exp(t * z[j]);
    total += p[j];
  }
  for (double& value : p) value /= total;
}

}  // namespace

Scores scores(const Rows& logits, double inverse_temperature, std::span<const std::size_t> rows) {
  const CentredRows z(logits, rows);
  Scores result;
  for (auto* of : {&result.confidence, &result.negative_entropy, &result.log_odds, &result.margin})
    of->resize(z.n());
  result.predicted.resize(z.n());
  parallel_chunks(z.n(), z.chunk(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const RowScores one = score(z.row(i, scratch), z.k(), inverse_temperature);
      result.confidence[i] = one.confidence, result.negative_entropy[i] = one.negative_entropy;
      result.log_odds[i] = one.log_odds, result.margin[i] = one.margin, result.predicted[i] = one.predicted;
    }
  });
  return result;
}

const double* Softmax::rows(std::size_t begin, std::size_t end, std::vector<double>& scratch) const {
  const std::size_t k = z_.k();
  scratch.resize((end - begin) * k);
  std::vector<double> row;
  for (std::size_t i = begin; i < end; ++i)
    soften(z_.row(i, row), t_, std::span(scratch).subspan((i - begin) * k, k));
  return scratch.data();
}

}  // namespace leeway::error_bound
