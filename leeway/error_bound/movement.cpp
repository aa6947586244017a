#include "leeway/error_bound/movement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace leeway::error_bound {
namespace {

constexpr std::size_t thirds = 3, least_rows_of_thirds = 6, most_points = 2000;
constexpr std::size_t most_steps = 300, least_steps = 30, most_products = 200'000'000;
constexpr double smoothing_rows = 2, least_share = 1e-4, most_weight = 50;

std::pair<double, double> thirds_of(std::vector<double> values) {
  const auto at = [&](std::size_t i) {
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(i);
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  };
  return {at(values.size() / 3), at(values.size() * 2 / 3)};
}

void to_sum_one(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.);
  for (double& value : values) value /= sum;
}

// The first place from `from` on whose value is not below `value`: steps that double, then halving between the last two.
std::size_t first_from(const std::vector<double>& sorted, std::size_t from, double value) {
  std::size_t low = from, step = 1;
  while (low + step < sorted.size() && sorted[low + step] < value) low += step, step *= 2;
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(low),
             end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, sorted.size()));
  return static_cast<std::size_t>(std::lower_bound(begin, end, value) - sorted.begin());
}

struct Point {
  double margin, below, to;  // and the target's shares
};

std::vector<Point> points_of(std::vector<double> margins) {
  std::ranges::sort(margins);
  const std::size_t n = margins.size(), count = std::min(n, most_points);
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double margin = margins[(i * n + n - 1) / count];
    if (!points.empty() && points.back().margin == margin) continue;
    const auto [from, end] = std::equal_range(margins.begin(), margins.end(), margin);
    const auto share = [&](auto at) {
      return static_cast<double>(at - margins.begin()) / static_cast<double>(n);
    };
    points.push_back({margin, share(from), share(end)});
  }
  return points;
}

}  // namespace

struct OutputProfile::Mix {
  std::vector<double> shares;  // by label
  std::vector<double> cells;   // that it leads to
};

OutputProfile::OutputProfile(const Scores& source, std::span<const std::int64_t> labels, std::size_t k)
    : k_(k),
      n_(static_cast<double>(labels.size())),
      low_(k),
      high_(k),
      labels_(k),
      wrong_(k),
      predicted_(k),
      thirds_(thirds, 1 / (n_ + thirds)) {
  std::vector<std::vector<double>> by_class(k);
  for (std::size_t i = 0; i < labels.size(); ++i)
    by_class[static_cast<std::size_t>(source.predicted[i])].push_back(source.margin[i]);
  const auto [low, high] = thirds_of(source.margin);
  for (std::size_t j = 0; j < k; ++j) {
    const bool enough = by_class[j].size() >= least_rows_of_thirds;
    std::tie(low_[j], high_[j]) = enough ? thirds_of(std::move(by_class[j])) : std::pair(low, high);
  }
  std::map<std::pair<std::size_t, std::size_t>, double> counts;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]),
               predicted = static_cast<std::size_t>(source.predicted[i]);
    const std::size_t cell = cell_of(source.predicted[i], source.margin[i]);
    ++counts[{cell, label}], ++labels_[label];
    predicted_[predicted] += 1 / n_, thirds_[cell % thirds] += 1 / (n_ + thirds);
    if (label != predicted) ++wrong_[label], error_ += 1 / n_;
  }
  for (const auto& [place, rows] : counts) entries_.push_back({place.first, place.second, rows});
  for (double& share : predicted_) share = std::max(share, 1 / n_);
  spread_ = std::max(error_, .5 / n_);  // no cell may have a share of 0
  norm_ = 1 - spread_ + spread_ * std::accumulate(predicted_.begin(), predicted_.end(), 0.);
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order,
                    [&](std::size_t a, std::size_t b) {  // equal margins by label: no other order matters
                      return std::pair(source.margin[a], labels[a]) < std::pair(source.margin[b], labels[b]);
                    });
  for (const std::size_t i : order)
    margins_.push_back(source.margin[i]), margin_labels_.push_back(static_cast<std::int32_t>(labels[i]));
}

std::size_t OutputProfile::cell_of(std::int32_t predicted, double margin) const {
  const auto j = static_cast<std::size_t>(predicted);
  return j * thirds + (margin >= low_[j] ? 1 : 0) + (margin >= high_[j] ? 1 : 0);
}

// D v: the cells of v_j rows of label j.
std::vector<double> OutputProfile::cells_of(std::span<const double> v) const {
  std::vector<double> cells(k_ * thirds), part(k_);
  double sum = 0;
  for (std::size_t j = 0; j < k_; ++j) {
    part[j] = v[j] / (labels_[j] + smoothing_rows);
    sum += part[j];
  }
  for (std::size_t j = 0; j < k_; ++j)
    for (std::size_t b = 0; b < thirds; ++b)
      cells[j * thirds + b] =
          smoothing_rows * thirds_[b] * ((1 - spread_) * part[j] + spread_ * predicted_[j] * sum) / norm_;
  for (const auto& [cell, label, rows] : entries_) cells[cell] += rows * part[label];
  return cells;
}

OutputProfile::Mix OutputProfile::fitted(std::span<const double> target) const {
  Mix mix{std::vector<double>(k_), {}};
  for (std::size_t j = 0; j < k_; ++j) mix.shares[j] = std::max(labels_[j] / n_, least_share);
  to_sum_one(mix.shares);
  const std::size_t steps = std::clamp(most_products / (4 * k_ + entries_.size()), least_steps, most_steps);
  for (std::size_t step = 0; step < steps; ++step) {
    mix.cells = cells_of(mix.shares);
    std::vector<double> gain(k_);
    double all = 0;  // predictions
    const auto ratio = [&](std::size_t cell) {
      return mix.cells[cell] > 0 ? target[cell] / mix.cells[cell] : 0;
    };
    for (const auto& [cell, label, rows] : entries_) gain[label] += rows * ratio(cell);
    std::vector<double> of_class(k_);
    for (std::size_t j = 0; j < k_; ++j) {
      for (std::size_t b = 0; b < thirds; ++b)
        of_class[j] += smoothing_rows * thirds_[b] * ratio(j * thirds + b) / norm_;
      all += spread_ * predicted_[j] * of_class[j];
    }
    for (std::size_t j = 0; j < k_; ++j)
      mix.shares[j] *= (gain[j] + (1 - spread_) * of_class[j] + all) / (labels_[j] + smoothing_rows);
    to_sum_one(mix.shares);
  }
  mix.cells = cells_of(mix.shares);
  return mix;
}

void OutputProfile::add_misfit(Movement& found, const Mix& mix, std::span<const double> target,
                               double target_rows) const {
  // Of a sum of shares p of n rows the variance is sum of p (1 - p) / n: first as if p (1 - p) were p.
  std::vector<double> by_label(k_);
  for (std::size_t j = 0; j < k_; ++j) by_label[j] = mix.shares[j] * mix.shares[j] / std::max(labels_[j], 1.);
  std::vector<double> variance = cells_of(by_label);
  for (const auto& [cell, label, rows] : entries_) {
    const double share = rows / (labels_[label] + smoothing_rows);
    variance[cell] -= share * share * by_label[label];
  }
  for (std::size_t c = 0; c < target.size(); ++c) {
    variance[c] = std::max(variance[c], 0.) + target[c] * (1 - target[c]) / target_rows;
    found.misfit += std::abs(mix.cells[c] - target[c]) / 2;
    found.misfit_noise += std::sqrt(variance[c] / (2 * std::acos(-1.)));
  }
}

void OutputProfile::add_distances(Movement& found, const Mix& mix, std::vector<double> margins) const {
  std::vector<double> weight(k_);
  for (std::size_t j = 0; j < k_; ++j)
    weight[j] = std::min(mix.shares[j] / std::max(labels_[j] / n_, .5 / n_), most_weight);
  std::vector<double> weights;
  weights.reserve(margins_.size());
  for (const std::int32_t label : margin_labels_) weights.push_back(weight[static_cast<std::size_t>(label)]);
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  const auto share = [&](std::size_t end) { return end == 0 ? 0 : weights[end - 1] / weights.back(); };
  const std::vector<Point> points = points_of(std::move(margins));
  const auto distance = [&](double factor) {
    double most = 0;
    std::size_t at = 0;
    for (const Point& point : points) {
      const double margin = point.margin / factor;
      at = first_from(margins_, at, margin);
      std::size_t end = at;
      while (end < margins_.size() && margins_[end] == margin) ++end;
      most = std::max({most, std::abs(share(at) - point.below), std::abs(share(end) - point.to)});
    }
    return most;
  };
  found.distance = found.least_distance = distance(1);
  for (int step = 1; step <= 20; ++step)
    for (const int sign : {1, -1}) {
      const double log_factor = .1 * sign * step, apart = distance(std::exp(log_factor));
      if (apart < found.least_distance) found.least_distance = apart, found.log_factor = log_factor;
    }
}

Movement OutputProfile::movement(const Scores& target) const {
  const auto rows = static_cast<double>(target.predicted.size());
  std::vector<double> cells(k_ * thirds);
  for (std::size_t i = 0; i < target.predicted.size(); ++i)
    cells[cell_of(target.predicted[i], target.margin[i])] += 1 / rows;
  const Mix mix = fitted(cells);
  Movement found;
  for (std::size_t j = 0; j < k_; ++j)
    found.mix_error += mix.shares[j] * (wrong_[j] + smoothing_rows * error_) / (labels_[j] + smoothing_rows);
  add_misfit(found, mix, cells, rows);
  add_distances(found, mix, target.margin);
  found.margins_moved = found.distance > 1.358 * std::sqrt(1 / n_ + 1 / rows);
  return found;
}

}  // namespace leeway::error_bound
