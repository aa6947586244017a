#include "leeway/agreement/detail/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/numbers.h"

namespace leeway::agreement {
namespace {

constexpr double enough = 100;        // squares about the mean, in squares of the largest distance
constexpr double small_beside = .25;  // two standard errors, in units of PA
constexpr double tolerance = .005;    // of an end, in widths
constexpr double near_top = .02;      // the same: what a parabola may span
constexpr double rounding = 1e-12;    // of A
constexpr int most_passes = 24;       // for an end

double mean_square_at(const Pairs& pairs, const Maximum& maximum) {
  if (maximum.mean_square) return *maximum.mean_square;
  double mean_square = 0;
  for (const double a : pairs.per_row(maximum.beta)) mean_square += a * a / static_cast<double>(pairs.n());
  return mean_square;
}

double standard_error(double mean, double mean_square, double n) {
  const double variance = std::max(0., mean_square - mean * mean) * n / (n - 1);
  return std::sqrt(variance / n);
}

// Both ends at the betas tried so far, sorted.
class Profile {
 public:
  Profile(const Pairs& pairs, double level) : pairs_(pairs), unseen_(pairs), level_(level) {}

  struct Place {
    double log_beta = 0;
    Interval mean;
  };
  using End = double Interval::*;

  void add(double log_beta) {
    const double beta = std::exp(log_beta);
    const Place place{log_beta, mean_agreement_interval(unseen_, pairs_.per_row(beta), beta, level_)};
    const auto after = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& other) { return other.log_beta > log_beta; });
    places_.insert(after, place);
  }

  // The largest value of an end. Moves the best place's neighbors closer until neither lies far below, which
  // would distort the parabola through the three; its vertex is then the maximum. `value`: the sample's max
  // A.
  double maximize(End end, double value) {
    for (int pass = 0; pass < most_passes; ++pass) {
      const std::size_t best = best_of(end);
      const double top = places_[best].mean.*end, scale = std::abs(top - value) + rounding;
      if (best == 0 || best + 1 == places_.size()) {
        const std::size_t neighbour = best == 0 ? 1 : best - 1, next = best == 0 ? 2 : best - 2;
        const double step = 1.5 * (places_[best].log_beta - places_[neighbour].log_beta);
        // Over two intervals: a maximum between two places leaves them alike, too.
        const double gain = top - std::min(places_[neighbour].mean.*end, places_[next].mean.*end);
        if (!(gain > tolerance * scale) || !in_range(places_[best].log_beta + step)) return top;
        add(places_[best].log_beta + step);
        continue;
      }
      const double here = places_[best].log_beta;
      const double left = places_[best - 1].log_beta - here, right = places_[best + 1].log_beta - here;
      const double fall_left = top - places_[best - 1].mean.*end,
                   fall_right = top - places_[best + 1].mean.*end;
      const auto [where, promise] = parabola(end, best);
      const auto [less, more] = std::minmax(fall_left, fall_right);
      if ((more <= near_top * scale && promise - top <= tolerance * scale) || right - left < 1e-3)
        return std::max(top, promise);
      const bool bent = more > 8 * less || std::abs(where - here) < .1 * std::min(-left, right);
      add(bent ? here + .4 * (fall_left > fall_right ? left : right) : where);
    }
    return places_[best_of(end)].mean.*end;
  }

 private:
  struct Vertex {
    double where = 0, height = 0;
  };

  [[nodiscard]] static bool in_range(double log_beta) { return std::abs(log_beta) < 300; }

  [[nodiscard]] std::size_t best_of(End end) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < places_.size(); ++i)
      if (places_[i].mean.*end > places_[best].mean.*end) best = i;
    return best;
  }

  // Through the place `middle`, the highest of three, and its neighbours.
  [[nodiscard]] Vertex parabola(End end, std::size_t middle) const {
    const Place &a = places_[middle - 1], &b = places_[middle], &c = places_[middle + 1];
    const double left = a.log_beta - b.log_beta, right = c.log_beta - b.log_beta;
    const double fall_left = a.mean.*end - b.mean.*end, fall_right = c.mean.*end - b.mean.*end;
    const double curvature = (fall_left / left - fall_right / right) / (left - right);
    const double slope = fall_left / left - curvature * left;
    if (!(curvature < 0)) return {b.log_beta, b.mean.*end};
    const double step = std::clamp(-.5 * slope / curvature, .9 * left, .9 * right);
    return {b.log_beta + step, b.mean.*end + slope * step + curvature * step * step};
  }

  const Pairs& pairs_;
  UnseenPairs unseen_;
  double level_;
  std::vector<Place> places_;
};

}  // namespace

UnseenPairs::UnseenPairs(const Pairs& pairs) : k(pairs.k()) {
  for (const double weight : pairs.log_weights()) least_weight = std::min(least_weight, weight);
  depth = -pairs.facts().x_sum / (2 * static_cast<double>(pairs.n()) * static_cast<double>(k - 1));
}

double UnseenPairs::contradicted(double beta) const {
  if (depth == 0 || beta == 0) return least_weight - std::log(static_cast<double>(k));
  const double others = static_cast<double>(k - 1), e = std::exp(-beta * depth);
  return least_weight - beta * depth + std::log(2 + (others - 1) * e) - 2 * std::log1p(others * e);
}

double UnseenPairs::confirmed(double beta) const {
  if (depth == 0 || beta == 0) return -std::log(static_cast<double>(k));
  const double others = static_cast<double>(k - 1), e = std::exp(-beta * depth);
  return std::log1p(others * e * e) - 2 * std::log1p(others * e);
}

bool is_settled(const Pairs& pairs, double beta, double mean, double mean_square) {
  const double n = static_cast<double>(pairs.n());
  // At 0 every a_i is -log k, whatever the logits.
  if (n < 2 || beta == 0 || !std::isfinite(beta) || !std::isfinite(mean)) return false;
  const UnseenPairs unseen(pairs);
  const double reach = std::max(mean - unseen.contradicted(beta), unseen.confirmed(beta) - mean);
  const double pa = pairs.most() + mean;
  return n * (mean_square - mean * mean) >= enough * reach * reach &&
         2 * standard_error(mean, mean_square, n) <= small_beside * pa;
}

bool is_settled(const Pairs& pairs, const Maximum& maximum) {
  return is_settled(pairs, maximum.beta, maximum.value, mean_square_at(pairs, maximum));
}

Interval mean_agreement_interval(const UnseenPairs& unseen, std::span<const double> a, double beta,
                                 double level) {
  const auto [least, most] = std::minmax_element(a.begin(), a.end());
  const double high = std::max(*most, unseen.confirmed(beta));
  const double low = std::min(*least, unseen.contradicted(beta));
  if (std::isfinite(low)) return bounded_mean_interval(a, low, high, level);
  if (!std::isfinite(*least)) return {-infinity, high};
  return {-infinity, bounded_mean_interval(a, *least, high, level).high};
}

Interval pa_interval_of(const Pairs& pairs, const Maximum& maximum, double level) {
  const double n = static_cast<double>(pairs.n()), log_k = pairs.most();
  if (pairs.n() < 2) return {0, log_k};
  const double pa = std::clamp(log_k + maximum.value, 0., log_k);
  const double mean_square = mean_square_at(pairs, maximum);
  if (is_settled(pairs, maximum.beta, maximum.value, mean_square)) {
    const double half = normal_quantile(.5 * (1 + level)) * standard_error(maximum.value, mean_square, n);
    return {std::max(0., pa - half), std::min(log_k, pa + half)};
  }
  const UnseenPairs unseen(pairs);
  if (unseen.depth == 0) return {0, pa};  // every logit of a row is the same: beta says nothing
  // Where A is -log k but for rounding, so is every beta below: the one that was found says nothing.
  const bool known = pa > rounding && std::isfinite(maximum.beta) && maximum.beta > 0;
  const double start = std::log(known ? maximum.beta : 4 / unseen.depth);
  Profile profile(pairs, level);
  for (const double step : {-.5, 0., .5}) profile.add(start + step);
  const double low = profile.maximize(&Interval::low, maximum.value);
  double high = profile.maximize(&Interval::high, maximum.value);
  if (std::isinf(maximum.beta))
    high = std::max(high, mean_agreement_interval(unseen, pairs.per_row(infinity), infinity, level).high);
  return {std::clamp(log_k + low, 0., pa), std::clamp(log_k + high, pa, log_k)};
}

Agreement with_fidelity(Agreement result, const Facts& facts, std::span<const std::int64_t> labels,
                        double level) {
  const auto n = static_cast<double>(result.n);
  result.afr_pred = static_cast<double>(facts.same_prediction) / n;
  result.afr_pred_interval = clopper_pearson(facts.same_prediction, result.n, level);
  const std::size_t labelled = labels.size() - static_cast<std::size_t>(std::ranges::count(labels, -1));
  if (labelled == 0) return result;
  result.afr_true = static_cast<double>(facts.right) / static_cast<double>(labelled);
  result.afr_true_interval = clopper_pearson(facts.right, labelled, level);
  result.attack_success = 1 - *result.afr_true;
  return result;
}

}  // namespace leeway::agreement
