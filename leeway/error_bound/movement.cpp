#include "leeway/error_bound/movement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/error_bound/confidence.h"
#include "leeway/error_bound/detail/transport.h"
#include "leeway/error_bound/evidence.h"

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
  std::vector<std::size_t> order = all_rows(labels.size());
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
  found.margins_moved = found.distance > 1.224 * std::sqrt(1 / n_ + 1 / rows);
  return found;
}

SelfTransport self_transport(const Sample& source, double t, std::size_t target_rows) {
  const std::size_t most = std::clamp(values_of_rows / source.k(), least_rows, most_rows);
  const std::size_t n = std::min(source.n(), most), m = std::min(target_rows, most);
  std::vector<std::size_t> rows;  // at even distances
  for (std::size_t i = 0; i < n; ++i) rows.push_back(i * source.n() / n);
  const Evidence known = collect_source(source, {.inverse_temperature = t, .source_rows = rows});
  const std::vector<double>& confidence = known.source->confidence;
  const ClassMasses& labels = known.label_shares;
  const Softmaxes p(source, t, rows);
  const std::vector<std::size_t> all = all_rows(n);
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
