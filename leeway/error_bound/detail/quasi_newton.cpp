#include "leeway/error_bound/detail/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace leeway::error_bound {
namespace {

using Parameters = std::vector<float>;

constexpr std::size_t memory = 8;
constexpr int most_halvings = 20;
constexpr float quasi_newton_farthest = 1e4f;
constexpr double least_value = .01;  // of objectives of order 1: what is below is solved

double dot(const Parameters& a, const Parameters& b) {
  double partial[4] = {};
  for (std::size_t i = 0; i + 4 <= a.size(); i += 4)  // sizes are multiples of 16
    for (std::size_t j = 0; j < 4; ++j) partial[j] += double(a[i + j]) * double(b[i + j]);
  return (partial[0] + partial[1]) + (partial[2] + partial[3]);
}

void add(Parameters& to, double factor, const Parameters& what) {
  const float f = static_cast<float>(factor);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += f * what[i];
}

struct Pair {
  Parameters step, change;
  double curvature;
};

Parameters direction(const std::deque<Pair>& pairs, const Parameters& gradient) {
  Parameters d = gradient;
  for (float& value : d) value = -value;
  double factors[memory] = {};
  for (std::size_t i = pairs.size(); i-- > 0;) {
    factors[i] = dot(pairs[i].step, d) / pairs[i].curvature;
    add(d, -factors[i], pairs[i].change);
  }
  if (!pairs.empty()) {
    const double size = pairs.back().curvature / dot(pairs.back().change, pairs.back().change);
    for (float& value : d) value *= static_cast<float>(size);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    add(d, factors[i] - dot(pairs[i].change, d) / pairs[i].curvature, pairs[i].step);
  return d;
}

}  // namespace

std::vector<float> minimise(const std::function<Evaluation(std::span<const float>)>& objective,
                            std::vector<float> theta, const Descent& descent) {
  Evaluation here = objective(theta);
  if (descent.watch) descent.watch(theta, here);
  std::deque<Pair> pairs;
  for (std::size_t iteration = 0; iteration < descent.iterations; ++iteration) {
    Parameters d = direction(pairs, here.gradient);
    double slope = dot(d, here.gradient);
    if (!(slope < 0)) break;
    double step = pairs.empty() ? descent.first_step / std::sqrt(-slope) : 1;
    Parameters next;
    Evaluation there;
    int halvings = 0;
    for (; halvings < most_halvings; ++halvings, step /= 2) {
      next = theta;
      add(next, step, d);
      there = objective(next);
      if (there.value <= here.value + 1e-4 * step * slope) break;
    }
    if (halvings == most_halvings) break;
    Pair pair{next, there.gradient, 0};
    add(pair.step, -1, theta);
    add(pair.change, -1, here.gradient);
    pair.curvature = dot(pair.step, pair.change);
    if (pair.curvature > 1e-10 * dot(pair.change, pair.change)) {
      pairs.push_back(std::move(pair));
      if (pairs.size() > memory) pairs.pop_front();
    }
    const double fall = here.value - there.value;
    theta = std::move(next);
    here = std::move(there);
    if (descent.watch) descent.watch(theta, here);
    const bool far =
        std::ranges::any_of(theta, [](float value) { return std::abs(value) > quasi_newton_farthest; });
    if (far || fall <= descent.tolerance * std::max(std::abs(here.value), least_value)) break;
  }
  return theta;
}

}  // namespace leeway::error_bound
