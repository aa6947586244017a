#include "leeway/error_bound/detail/near_scores.h"

#include <cmath>
#include <numbers>

#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t interpolation_nodes = 8;
constexpr std::size_t most_near_rows = 1'000'000;  // of both sets
constexpr double narrow = .1, wide = .25;          // reach, relative to t
constexpr double deviations_within_reach = 5;

}  // namespace

Interpolation::Interpolation(double low, double high) {
  for (std::size_t j = 0; j < interpolation_nodes; ++j) {
    const double angle = (static_cast<double>(j) + .5) * std::numbers::pi / interpolation_nodes;
    nodes_.push_back(.5 * (low + high) + .5 * (high - low) * std::cos(angle));
  }
}

// The barycentric formula of the second kind (Berrut and Trefethen 2004).
std::vector<double> Interpolation::weights(double t) const {
  std::vector<double> weights(nodes_.size());
  double sum = 0;
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    if (t == nodes_[j] || nodes_.size() == 1) {
      weights.assign(nodes_.size(), 0);
      weights[j] = 1;
      return weights;
    }
    const double angle =
        (static_cast<double>(j) + .5) * std::numbers::pi / static_cast<double>(nodes_.size());
    weights[j] = (j % 2 == 0 ? 1 : -1) * std::sin(angle) / (t - nodes_[j]);
    sum += weights[j];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

NearScores::NearScores(const Rows& logits, const Interpolation& nodes)
    : nodes_(nodes), values_(logits.shape()[0] * nodes.nodes().size()) {
  const std::size_t count = nodes.nodes().size();
  for (std::size_t j = 0; j < count; ++j) {
    Scores here = scores(logits, nodes.nodes()[j]);
    for (std::size_t i = 0; i < here.margin.size(); ++i)
      values_[i * count + j] = {here.confidence[i], here.negative_entropy[i], here.log_odds[i]};
    margin_ = std::move(here.margin), predicted_ = std::move(here.predicted);
  }
}

Scores NearScores::at(double t, std::span<const std::size_t> rows) const {
  const std::vector<double> weights = nodes_.weights(t);
  Scores result;
  for (const std::size_t row : rows) {
    Values sum{};
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const Values& value = values_[row * weights.size() + j];
      sum.confidence += weights[j] * value.confidence;
      sum.negative_entropy += weights[j] * value.negative_entropy;
      sum.log_odds += weights[j] * value.log_odds;
    }
    result.confidence.push_back(sum.confidence);
    result.negative_entropy.push_back(sum.negative_entropy);
    result.log_odds.push_back(sum.log_odds);
    result.margin.push_back(margin_[row]);
    result.predicted.push_back(predicted_[row]);
  }
  return result;
}

NearEstimates::NearEstimates(const Sample& source, const Sample& target, const Interpolation& nodes)
    : nodes_(nodes), source_(source.logits, nodes), target_(target.logits, nodes) {
  const std::size_t count = nodes.nodes().size();
  const CentredRows z(source.logits);
  slopes_.resize(z.n() * count);
  parallel_chunks(z.n(), z.chunk(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const double label = z.row(i, scratch)[static_cast<std::size_t>(source.labels[i])];
      for (std::size_t j = 0; j < count; ++j) {
        const auto& value = source_.values_[i * count + j];
        slopes_[i * count + j] =
            (value.negative_entropy - std::log(value.confidence)) / nodes.nodes()[j] - label;
      }
    }
  });
}

std::optional<NearEstimates> NearEstimates::at(const Sample& source, const Sample& target, double t,
                                               bool scaled) {
  if (!(t > 0 && std::isfinite(t)) || source.n() + target.n() > most_near_rows) return std::nullopt;
  if (!scaled) return NearEstimates(source, target, Interpolation(t));
  for (const double reach : {narrow, wide}) {
    NearEstimates found(source, target, {t * (1 - reach), t * (1 + reach)});
    if (deviations_within_reach * found.deviation(t) <= reach * t) return found;
  }
  return std::nullopt;
}

// That of an M-estimator: root mean square of the rows' slopes by the curvature and the root of n.
double NearEstimates::deviation(double t) const {
  constexpr double step = 1e-3;
  const std::size_t count = nodes_.nodes().size(), n = slopes_.size() / count;
  const std::vector<double> here = nodes_.weights(t), there = nodes_.weights(t * (1 + step));
  double squares = 0, rise = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double slope = 0, next = 0;
    for (std::size_t j = 0; j < count; ++j)
      slope += here[j] * slopes_[i * count + j], next += there[j] * slopes_[i * count + j];
    squares += slope * slope, rise += next - slope;
  }
  return std::sqrt(squares) * t * step / rise;
}

std::optional<double> NearEstimates::temperature(std::span<const std::size_t> rows) const {
  const std::size_t count = nodes_.nodes().size();
  if (count == 1) return nodes_.nodes().front();
  std::vector<double> sums(count);
  for (const std::size_t row : rows)
    for (std::size_t j = 0; j < count; ++j) sums[j] += slopes_[row * count + j];
  const auto slope = [&](double t) {
    const std::vector<double> weights = nodes_.weights(t);
    double value = 0;
    for (std::size_t j = 0; j < count; ++j) value += weights[j] * sums[j];
    return value;
  };
  double low = nodes_.nodes().back(), high = nodes_.nodes().front();
  if (!(slope(low) < 0 && slope(high) > 0)) return std::nullopt;
  for (int step = 0; step < 60; ++step) {
    const double middle = .5 * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return .5 * (low + high);
}

}  // namespace leeway::error_bound
