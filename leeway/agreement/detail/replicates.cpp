#include "leeway/agreement/detail/replicates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::agreement {
namespace {

constexpr int nodes_an_octave = 6, reach = 4;     // a polynomial goes through 2 reach + 1 nodes
constexpr int octaves_beyond = 2;                 // of what the search on all rows met
constexpr int most_nodes = 60 * nodes_an_octave;  // where logits have no scale of their own, the search ends
constexpr double between_octaves = .1;  // in A: by how much a maximum may lie above the nearest octaves
constexpr double negligible = 1e-7;     // in A
constexpr std::size_t most_counts = 64'000'000;  // at once

using Counts = std::vector<std::uint16_t>;  // of one resample, row by row

Counts counts_of(std::size_t n, std::uint64_t seed, std::size_t replicate) {
  Counts counts(n);
  Random random(seed, stream("bootstrap"), replicate);
  for (std::size_t i = 0; i < n; ++i) ++counts[random.below(n)];
  return counts;
}

// Sum of w_i a_i. Eight sums side by side: one would wait for each addition.
double weighted_sum(const Counts& counts, const std::vector<double>& a) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += counts[i + lane] * a[i + lane];
  for (std::size_t i = whole; i < a.size(); ++i) sums[i - whole] += counts[i] * a[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// A_b at infinity: -infinity where a row that disagrees is among those drawn.
double limit_of(const Counts& counts, const std::vector<double>& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (counts[i] > 0) sum += counts[i] * a[i];
  return sum / static_cast<double>(a.size());
}

// Through (-reach, values[0]) to (reach, values[2 reach]), at x: barycentric form, weights +-C(8, i).
double interpolated(const std::array<double, 2 * reach + 1>& values, double x) {
  static constexpr std::array<double, 2 * reach + 1> weights = {1, -8, 28, -56, 70, -56, 28, -8, 1};
  double above = 0, below = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double distance = x - (static_cast<double>(i) - reach);
    if (distance == 0) return values[i];
    above += weights[i] / distance * values[i];
    below += weights[i] / distance;
  }
  return above / below;
}

// The highest value on [low, high], where the polynomial has one maximum: golden sections.
double highest(const std::array<double, 2 * reach + 1>& values, double low, double high) {
  constexpr double golden = .6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = interpolated(values, left), at_right = interpolated(values, right);
  double best = std::max(at_left, at_right);
  for (int step = 0; step < 24; ++step) {
    if (at_left < at_right) {
      low = std::exchange(left, right), at_left = at_right;
      at_right = interpolated(values, right = low + golden * (high - low));
    } else {
      high = std::exchange(right, left), at_right = at_left;
      at_left = interpolated(values, left = high - golden * (high - low));
    }
    best = std::max({best, at_left, at_right});
  }
  return best;
}

// The resamples [begin, end) at all nodes; group `number` of `groups`.
class Group {
 public:
  Group(const Pairs& pairs, const Resampling& how, std::size_t number, std::size_t groups, std::size_t begin,
        std::size_t end)
      : pairs_(pairs),
        how_(how),
        number_(number),
        groups_(groups),
        counts_(end - begin),
        limits_(end - begin) {
    parallel_for(counts_.size(),
                 [&](std::size_t b) { counts_[b] = counts_of(pairs.n(), how.seed, begin + b); });
    const std::vector<double> a = pairs.per_row(infinity);
    parallel_for(counts_.size(), [&](std::size_t b) { limits_[b] = limit_of(counts_[b], a); });
  }

  // Nodes around where a resample may be highest, by a look at every octave from node `first` to `last`.
  void begin(int first, int last) {
    planned_ = static_cast<std::size_t>(last - first) / nodes_an_octave + 1;
    for (int j = first; j <= last; j += nodes_an_octave) octaves_.emplace(j, column(j));
    int low = last, high = first;
    for (std::size_t b = 0; b < counts_.size(); ++b)
      for (const int j : peaks(b)) low = std::min(low, j), high = std::max(high, j);
    cover(low - nodes_an_octave - reach, high + nodes_an_octave + reach);
  }

  void cover(int first, int last) {
    if (columns_.empty()) first_ = first;
    planned_ = octaves_.size() +
               static_cast<std::size_t>(std::max(last, this->last()) - std::min(first, first_) + 1);
    for (int j = first_ - 1; j >= first; --j) columns_.push_front(column(j)), first_ = j;
    for (int j = this->last() + 1; j <= last; ++j) columns_.push_back(column(j));
  }

  // Adds nodes where a resample may be higher beyond them. False: none is.
  bool extend() {
    bool down = false, up = false;
    for (std::size_t b = 0; b < counts_.size(); ++b) {
      const int best = best_node(b);
      down = down || (best <= first_ + reach && std::abs(at(first_, b) - lowest()) > negligible);
      up = up || (best >= last() - reach && std::abs(at(last(), b) - limits_[b]) > negligible);
    }
    const int size = static_cast<int>(columns_.size());
    if (!(down || up) || size >= most_nodes) return false;
    cover(down ? first_ - 2 * reach : first_, up ? last() + 2 * reach : last());
    return true;
  }

  [[nodiscard]] std::size_t size() const { return counts_.size(); }

  [[nodiscard]] double maximum(std::size_t b) const {
    double best = std::max(lowest(), limits_[b]);
    for (int j = first_; j <= last(); ++j) {
      const double left = j > first_ ? at(j - 1, b) : -infinity,
                   right = j < last() ? at(j + 1, b) : -infinity;
      if (at(j, b) >= left && at(j, b) >= right) best = std::max(best, around(j, b));
    }
    return best;
  }

 private:
  [[nodiscard]] int last() const { return first_ + static_cast<int>(columns_.size()) - 1; }
  [[nodiscard]] double at(int j, std::size_t b) const {
    return columns_[static_cast<std::size_t>(j - first_)][b];
  }
  [[nodiscard]] double lowest() const { return -std::log(static_cast<double>(pairs_.k())); }  // A at 0

  // The octaves that are highest among their neighbours, unless another is higher by more than lies between two octaves.
  [[nodiscard]] std::vector<int> peaks(std::size_t b) const {
    double best = -infinity;
    for (const auto& [j, sums] : octaves_) best = std::max(best, sums[b]);
    std::vector<int> found;
    for (auto at = octaves_.begin(); at != octaves_.end(); ++at) {
      const double here = at->second[b];
      const bool above_left = at == octaves_.begin() || here >= std::prev(at)->second[b];
      const bool above_right = std::next(at) == octaves_.end() || here >= std::next(at)->second[b];
      if (above_left && above_right && here >= best - between_octaves) found.push_back(at->first);
    }
    return found;
  }

  [[nodiscard]] int best_node(std::size_t b) const {
    int best = first_;
    for (int j = first_ + 1; j <= last(); ++j)
      if (at(j, b) > at(best, b)) best = j;
    return best;
  }

  // The maximum next to node j.
  [[nodiscard]] double around(int j, std::size_t b) const {
    const int centre = std::clamp(j, first_ + reach, last() - reach);
    std::array<double, 2 * reach + 1> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(centre - reach + static_cast<int>(i), b);
    const double low = std::max(j - 1, first_) - centre, high = std::min(j + 1, last()) - centre;
    return std::max(at(j, b), highest(values, low, high));
  }

  [[nodiscard]] std::vector<double> column(int j) {
    if (const auto known = octaves_.find(j); known != octaves_.end()) return known->second;
    if (how_.progress != nullptr) {
      stop_if_asked(how_.progress, "bootstrap stopped: nothing was written");
      how_.progress->update(how_.phase, number_ * planned_ + octaves_.size() + columns_.size(),
                            groups_ * planned_, "");
    }
    const std::vector<double> a = pairs_.per_row(std::exp2(static_cast<double>(j) / nodes_an_octave));
    std::vector<double> sums(counts_.size());
    parallel_for(sums.size(), [&](std::size_t b) {
      sums[b] = weighted_sum(counts_[b], a) / static_cast<double>(a.size());
    });
    return sums;
  }

  const Pairs& pairs_;
  const Resampling& how_;
  std::size_t number_, groups_, planned_ = 0;
  std::vector<Counts> counts_;
  std::vector<double> limits_;                  // A at infinity
  std::map<int, std::vector<double>> octaves_;  // A at the octaves, resample by resample
  int first_ = 0;                               // beta of column c is 2^((first_ + c) / nodes_an_octave)
  std::deque<std::vector<double>> columns_;     // A, resample by resample
};

int node_at(double beta) { return static_cast<int>(std::lround(nodes_an_octave * std::log2(beta))); }

// First and last node of what a search met, and some beyond.
std::pair<int, int> span_of(const Pairs& pairs, const Maximum& maximum) {
  const double spread = pairs.facts().spread_sum / static_cast<double>(pairs.n());
  double low = spread > 0 ? 1 / spread : 1, high = 4 * low;
  for (const Point& point : maximum.points)
    if (point.beta > 0 && std::isfinite(point.beta))
      low = std::min(low, point.beta), high = std::max(high, point.beta);
  const int beyond = octaves_beyond * nodes_an_octave;
  const int last = node_at(high) + beyond;
  return {std::max(node_at(low) - beyond, last - most_nodes), last};
}

}  // namespace

std::vector<double> replicate_maxima(const Pairs& pairs, const Maximum& maximum, const Resampling& how) {
  const std::size_t together = std::max<std::size_t>(1, most_counts / pairs.n());
  const std::size_t groups = (how.replicates + together - 1) / together;
  const auto [first, last] = span_of(pairs, maximum);
  std::vector<double> maxima;
  for (std::size_t number = 0; number < groups; ++number) {
    const std::size_t begin = number * together, end = std::min(begin + together, how.replicates);
    Group group(pairs, how, number, groups, begin, end);
    group.begin(first, last);
    while (group.extend()) {
    }
    std::vector<double> found(group.size());
    parallel_for(found.size(), [&](std::size_t b) { found[b] = group.maximum(b); });
    maxima.insert(maxima.end(), found.begin(), found.end());
  }
  return maxima;
}

}  // namespace leeway::agreement
