#include "leeway/attack/geometry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

constexpr std::size_t rows_per_chunk = 32;

// The norm of value(0), ..., value(d - 1).
template <class Value>
double norm_over(std::size_t d, Norm norm, const Value& value) {
  double total = 0;
  switch (norm) {
    case Norm::linf:
      for (std::size_t j = 0; j < d; ++j) total = std::max(total, std::abs(value(j)));
      return total;
    case Norm::l2:
      for (std::size_t j = 0; j < d; ++j) total += value(j) * value(j);
      return std::sqrt(total);
    case Norm::l1:
      for (std::size_t j = 0; j < d; ++j) total += std::abs(value(j));
      return total;
    case Norm::l0:
      break;
  }
  for (std::size_t j = 0; j < d; ++j) total += value(j) != 0;
  return total;
}

// The shrinkage c of l1. The length is linear in c between the sorted points |v| and |v| - b.
double threshold(Row move, Row room, double radius) {
  std::vector<std::pair<double, int>> points;
  points.reserve(2 * move.size());
  for (std::size_t j = 0; j < move.size(); ++j) {
    const double size = std::abs(move[j]);
    points.emplace_back(size, 1);
    points.emplace_back(size - room[j], -1);
  }
  std::ranges::sort(points, [](const auto& a, const auto& b) { return a.first > b.first; });
  double length = 0, counting = 0, here = points.front().first;
  for (const auto& [point, sign] : points) {
    const double next = length + counting * (here - point);
    if (next > radius) break;
    length = next, here = point, counting += sign;
  }
  return here - (radius - length) / std::max(1., counting);
}

// Positions by falling `key`, the first of equals first.
template <class Key>
std::vector<std::size_t> falling_order(std::size_t d, const Key& key) {
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), key);
  return order;
}

// Keeps the `count` values of `boxed` that bring it nearest to `move`, the first of equals.
void keep_largest_gains(Row move, MutableRow boxed, double count) {
  const std::size_t d = move.size();
  if (count >= static_cast<double>(d)) return;
  std::vector<float> gain(d);
  for (std::size_t j = 0; j < d; ++j) gain[j] = boxed[j] * (2 * move[j] - boxed[j]);
  const auto order = falling_order(d, [&](std::size_t j) { return gain[j]; });
  for (auto rank = static_cast<std::size_t>(count); rank < d; ++rank) boxed[order[rank]] = 0;
}

// The t where the sum of gain(j, min(t speed(j), room)) is what is asked for: solve(spent, slope) is the t for
// `spent` of the coordinates at their end and `slope` of the others at t = 1. From the t without ends:
// coordinates that reach their end leave the equation and t grows, so every pass but the last clips at least
// one more of them.
template <class Speed, class Gain, class Solve>
double level(Row room, double t, const Speed& speed, const Gain& gain, const Solve& solve) {
  for (std::size_t before = 0;;) {
    std::size_t clipped = 0;
    double spent = 0, slope = 0;
    for (std::size_t j = 0; j < room.size(); ++j) {
      const double size = speed(j);
      if (size * t >= room[j]) {
        ++clipped;
        spent += gain(j, room[j]);
      } else {
        slope += gain(j, size);
      }
    }
    if (clipped == before) return t;
    before = clipped;
    const double next = solve(spent, slope);
    t = std::max(t, std::isnan(next) ? infinity : next);
  }
}

// std::nextafter(value, infinity) of a finite value, inline.
float next_above(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return value == 0 ? std::numeric_limits<float>::denorm_min()
                    : std::bit_cast<float>(bits + (value > 0 ? 1 : -1));
}

// a - b of values of feature j.
double difference_on(const Grid& grid, std::size_t j, float a, float b) {
  const double difference = static_cast<double>(a) - b, per_one = grid.per_one.empty() ? 0 : grid.per_one[j];
  return per_one > 0 ? std::round(difference * per_one) / per_one : difference;
}

// The feature of a group that becomes 1: the largest that may, the clean one before equals; d where the clean
// one must stay or is no feature of the group.
std::size_t hottest(Row x, Row clean, const std::vector<std::size_t>& group, const Box& box) {
  const auto one = std::ranges::find_if(group, [&](std::size_t j) { return clean[j] == 1; });
  if (one == group.end() || box.low_of(*one) > 0) return clean.size();
  std::size_t hot = *one;
  for (const std::size_t j : group)
    if (x[j] > x[hot] && box.high_of(j) >= 1) hot = j;
  return hot;
}

// Values of `x` become those of `inner`, group by group, until `x` is within the radius.
void shorten(MutableRow x, Row from, Row inner, Row clean, const Grid& grid, Norm norm, double radius) {
  std::vector<std::size_t> features(x.size());
  std::iota(features.begin(), features.end(), std::size_t{0});
  std::vector<std::span<const std::size_t>> pieces(grid.one_hot.begin(), grid.one_hot.end());
  for (std::size_t j = 0; j < grid.per_one.size(); ++j)
    if (x[j] != inner[j] && grid.per_one[j] > 0) pieces.push_back(std::span(features).subspan(j, 1));
  const auto total = [&](std::span<const std::size_t> piece, const auto& value) {
    double sum = 0;
    for (const std::size_t j : piece) sum += value(j);
    return sum;
  };
  const auto power = [&](Row row) {
    return [&, row](std::size_t j) {
      const double move = std::abs(difference_on(grid, j, row[j], clean[j]));
      return norm == Norm::l2 ? move * move : norm == Norm::l0 ? move > 0 : move;
    };
  };
  const auto away = [&](std::size_t j) { return std::abs(static_cast<double>(x[j]) - from[j]); };
  double length = total(features, power(x));
  const double most = norm == Norm::l2 ? radius * radius : radius;
  for (const std::size_t p :
       falling_order(pieces.size(), [&](std::size_t p) { return total(pieces[p], away); })) {
    if (norm == Norm::linf) {
      if (std::ranges::all_of(pieces[p], [&](std::size_t j) { return power(x)(j) <= radius; })) continue;
    } else if (length <= most && distance(x, clean, norm, grid) <= radius) {
      return;
    }
    length -= total(pieces[p], power(x)) - total(pieces[p], power(inner));
    for (const std::size_t j : pieces[p]) x[j] = inner[j];
  }
}

}  // namespace

bool Box::unbounded() const {
  for (std::size_t j = 0; j < std::max<std::size_t>(1, lows.size()); ++j)
    if (unbounded(j)) return true;
  return false;
}

double Box::side() const {
  double longest = high_of(0) - low_of(0);
  for (std::size_t j = 1; j < lows.size(); ++j) longest = std::max(longest, high_of(j) - low_of(j));
  return longest;
}

double norm_of(Row row, Norm norm) {
  return norm_over(row.size(), norm, [&](std::size_t j) { return static_cast<double>(row[j]); });
}

double distance(Row a, Row b, Norm norm) {
  return norm_over(a.size(), norm, [&](std::size_t j) { return static_cast<double>(a[j]) - b[j]; });
}

double distance(Row a, Row b, Norm norm, const Grid& grid) {
  return norm_over(a.size(), norm, [&](std::size_t j) { return difference_on(grid, j, a[j], b[j]); });
}

void snap(MutableRow x, Row clean, const Grid& grid, const Box& box, Norm norm, double radius) {
  const std::vector<float> from(x.begin(), x.end());
  std::vector<float> inner = from;  // rounded towards the clean row
  for (std::size_t j = 0; j < grid.per_one.size(); ++j) {
    const double per_one = grid.per_one[j];
    if (per_one == 0) continue;
    const double start = std::round(clean[j] * per_one), steps = from[j] * per_one - start;
    const auto after = [&](double whole) {
      return whole == 0 ? clean[j] : static_cast<float>((start + whole) / per_one);
    };
    inner[j] = after(std::trunc(steps)), x[j] = after(std::round(steps));
    if (x[j] != box.clip(j, x[j])) x[j] = inner[j];
  }
  for (const auto& group : grid.one_hot) {
    const std::size_t hot = hottest(from, clean, group, box);
    for (const std::size_t j : group) inner[j] = clean[j], x[j] = hot == clean.size() ? clean[j] : j == hot;
  }
  if (radius < infinity && distance(x, clean, norm, grid) > radius)
    shorten(x, from, inner, clean, grid, norm, radius);
}

bool is_zero(Row row) {
  return std::ranges::all_of(row, [](float value) { return value == 0; });
}

std::vector<float> room_along(Row x, Row direction, const Box& box) {
  std::vector<float> room(x.size());
  for (std::size_t j = 0; j < x.size(); ++j)
    room[j] = direction[j] > 0 ? static_cast<float>(box.high_of(j)) - x[j]
                               : x[j] - static_cast<float>(box.low_of(j));
  return room;
}

double reach(Row direction, Row room, double radius) {
  return level(
      room, radius / norm_of(direction, Norm::l2), [&](std::size_t j) { return std::abs(direction[j]); },
      [](std::size_t, double moved) { return moved * moved; },
      [&](double spent, double slope) { return std::sqrt(std::max(0., radius * radius - spent) / slope); });
}

std::vector<float> move_to_plane(Row x, Row normal, double rise, Norm norm, const Box& box) {
  const std::size_t d = x.size();
  std::vector<float> move(normal.begin(), normal.end());
  if (is_zero(normal)) return move;
  if (rise < 0)
    for (float& value : move) value = -value;
  const std::vector<float> room = room_along(x, move, box);
  const auto weight = [&](std::size_t j) { return static_cast<double>(std::abs(normal[j])); };
  if (norm == Norm::l1) {
    double left = std::abs(rise);
    for (const std::size_t j : falling_order(d, weight)) {
      const double size = left > 0 ? std::min(left / weight(j), static_cast<double>(room[j])) : 0;
      left -= size * weight(j);
      move[j] = move[j] == 0 ? 0.f : std::copysign(static_cast<float>(size), move[j]);
    }
    return move;
  }
  const bool equal_speeds = norm == Norm::linf;
  const auto speed = [&](std::size_t j) { return equal_speeds ? normal[j] != 0 : weight(j); };
  double total = 0;
  for (std::size_t j = 0; j < d; ++j) total += weight(j) * speed(j);
  const double t = level(
      room, std::abs(rise) / total, speed, [&](std::size_t j, double moved) { return weight(j) * moved; },
      [&](double spent, double slope) { return std::max(0., std::abs(rise) - spent) / slope; });
  for (std::size_t j = 0; j < d; ++j)
    if (move[j] != 0)
      move[j] =
          std::copysign(static_cast<float>(std::min(t * speed(j), static_cast<double>(room[j]))), move[j]);
  return move;
}

double farthest_corner(Row x, Norm norm, const Box& box) {
  if (box.unbounded()) return infinity;
  return norm_over(x.size(), norm,
                   [&](std::size_t j) { return std::max(x[j] - box.low_of(j), box.high_of(j) - x[j]); });
}

void project_move(MutableRow move, Row x, double radius, Norm norm, const Box& box) {
  const std::size_t d = move.size();
  const auto least = [&](std::size_t j) { return static_cast<float>(box.low_of(j)) - x[j]; };
  const auto most = [&](std::size_t j) { return static_cast<float>(box.high_of(j)) - x[j]; };
  if (norm == Norm::linf) {
    const auto r = static_cast<float>(radius);
    for (std::size_t j = 0; j < d; ++j)
      move[j] = std::min(std::max(move[j], std::max(least(j), -r)), std::min(most(j), r));
    return;
  }
  std::vector<float> boxed(d);
  for (std::size_t j = 0; j < d; ++j) boxed[j] = std::min(std::max(move[j], least(j)), most(j));
  if (norm == Norm::l0) {
    keep_largest_gains(move, boxed, std::floor(radius));
  } else if (norm_of(boxed, norm) > radius) {
    const std::vector<float> room = room_along(x, move, box);
    const double t = norm == Norm::l2 ? reach(move, room, radius) : 1;
    const double shrinkage = norm == Norm::l1 ? threshold(move, room, radius) : 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double size =
          std::min(std::max(std::abs(move[j]) * t - shrinkage, 0.), static_cast<double>(room[j]));
      boxed[j] = std::copysign(static_cast<float>(size), move[j]);
    }
  }
  std::ranges::copy(boxed, move.begin());
}

Ball::Ball(const Points& clean, Norm norm, double eps, const Box& box)
    : clean_(clean), norm_(norm), box_(box), eps_(eps) {
  if (norm_ == Norm::l2) {
    // a little inside: float32 rounds the direction, its length, their product and the sum by 2^-24 at most
    constexpr double rounding = 0x1p-24;
    for (std::size_t i = 0; i < clean_.n; ++i)
      radii_.push_back(std::max(0., eps_ * (1 - 4 * rounding) - norm_of(clean_.row(i), Norm::l2) * rounding));
    return;
  }
  // float32 bounds rounded towards the center: measured in float64 no row lies outside
  low_.resize(clean_.values.size()), high_.resize(clean_.values.size());
  parallel_chunks(clean_.n, rows_per_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin * clean_.d, feature = 0; j < end * clean_.d; ++j) {
      const double center = clean_.values[j];
      auto low = static_cast<float>(center - eps_), high = static_cast<float>(center + eps_);
      if (center - low > eps_) low = next_above(low);
      if (high - center > eps_) high = -next_above(-high);
      low_[j] = std::max(low, static_cast<float>(box_.low_of(feature)));
      high_[j] = std::min(high, static_cast<float>(box_.high_of(feature)));
      if (++feature == clean_.d) feature = 0;
    }
  });
}

void Ball::project(std::size_t i, MutableRow y) const {
  const std::size_t d = clean_.d;
  const Row x = clean_.row(i);
  if (norm_ == Norm::linf) {
    const float *const low = low_.data() + i * d, *const high = high_.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) y[j] = std::min(std::max(y[j], low[j]), high[j]);
    return;
  }
  if (radii_[i] == 0) {
    std::ranges::copy(x, y.begin());
    return;
  }
  const double far =
      norm_over(d, norm_, [&](std::size_t j) { return static_cast<double>(box_.clip(j, y[j])) - x[j]; });
  if (far <= eps_) {
    for (std::size_t j = 0; j < d; ++j) y[j] = box_.clip(j, y[j]);
    return;
  }
  std::vector<float> direction(d);
  for (std::size_t j = 0; j < d; ++j) direction[j] = y[j] - x[j];
  const auto t =
      static_cast<float>(std::min(1., reach(direction, room_along(x, direction, box_), radii_[i])));
  for (std::size_t j = 0; j < d; ++j) y[j] = box_.clip(j, x[j] + direction[j] * t);
}

void Ball::step(std::size_t i, MutableRow x, Row gradient, double length) const {
  const std::size_t d = clean_.d;
  if (norm_ == Norm::linf) {
    const auto move = static_cast<float>(length);
    for (std::size_t j = 0; j < d; ++j) {
      const auto sign = static_cast<float>((gradient[j] > 0) - (gradient[j] < 0));
      x[j] += sign * move;
    }
    return project(i, x);
  }
  // scaled by its largest entry: squares of tiny gradients underflow
  const double largest = norm_of(gradient, Norm::linf);
  if (largest > 0) {
    std::vector<float> direction(gradient.begin(), gradient.end());
    for (float& value : direction) value /= static_cast<float>(largest);
    // at most 10,000 lengths: float32 must still resolve the ball
    const double farthest = 1e4 * length / norm_of(direction, Norm::l2);
    const auto t =
        static_cast<float>(std::min(reach(direction, room_along(x, direction, box_), length), farthest));
    for (std::size_t j = 0; j < d; ++j) x[j] += direction[j] * t;
  }
  project(i, x);
}

Points Ball::random(std::uint64_t seed, std::uint32_t stream, std::span<const std::uint64_t> keys) const {
  Points start = Points::zeros(clean_.n, clean_.d);
  const auto eps = static_cast<float>(eps_);
  parallel_chunks(clean_.n, rows_per_chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Random random(seed, stream, keys[i]);
      const MutableRow row = start.row(i);
      const Row x = clean_.row(i);
      if (norm_ == Norm::linf) {
        constexpr float unit = 1.f / 2147483648.f;  // of 31 bits: words become [-1, 1)
        for (float& value : row)
          value = eps * (static_cast<float>(static_cast<std::int32_t>(random.bits())) * unit);
      } else {
        double length = 0;
        for (float& value : row) {
          const double normal = random.normal();
          value = static_cast<float>(normal);
          length += normal * normal;
        }
        const double radius = eps_ * std::pow(random.uniform(), 1 / static_cast<double>(row.size()));
        for (float& value : row) value *= static_cast<float>(radius / std::sqrt(length));
      }
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += x[j];
      project(i, row);
    }
  });
  return start;
}

}  // namespace leeway::attack
