#include "leeway/attack/detail/movable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"

namespace leeway::attack {
namespace {

// What comes in one number per feature.
template <class Value>
void check_count(const std::string& name, const std::vector<Value>& values, std::size_t d, const char* what) {
  if (!values.empty() && values.size() != d)
    refuse(name, fmt::format("{} {}, one per feature", d, what), std::to_string(values.size()));
}

void check_features(const Target& target) {
  const std::size_t d = target.classifier.d;
  const Box& box = target.box;
  check_count(target.name, target.changeable, d, "marks of features that may change");
  check_count(target.name, target.grid.per_one, d, "grids");
  check_count(target.name, box.lows, d, "lower bounds");
  check_count(target.name, box.highs, d, "upper bounds");
  if (box.lows.size() != box.highs.size())
    refuse(target.name, "lower and upper bounds per feature", "one kind");
  for (std::size_t j = 0; j < box.lows.size(); ++j)
    if (!(box.lows[j] <= box.highs[j]))
      refuse(target.name + ": bounds", "the lower one first",
             fmt::format("{:g} and {:g} of feature {}", box.lows[j], box.highs[j], j));
  std::vector<std::uint8_t> seen(d);
  for (const auto& group : target.grid.one_hot)
    for (const std::size_t j : group) {
      const bool whole = j < d && !target.grid.per_one.empty() && target.grid.per_one[j] > 0;
      if (j >= d || seen[j] != 0 || whole)
        refuse(target.name + ": one-hot groups",
               fmt::format("features from 0 to {}, each in one group and without another grid", d - 1),
               fmt::format("feature {}", j));
      seen[j] = 1;
    }
}

std::vector<std::size_t> features_that_change(const Target& target) {
  check_features(target);
  std::vector<std::size_t> features;
  for (std::size_t j = 0; j < target.classifier.d; ++j)
    if ((target.changeable.empty() || target.changeable[j] != 0) &&
        target.box.low_of(j) < target.box.high_of(j))
      features.push_back(j);
  if (features.empty()) refuse(target.name, "a feature that may change", "none");
  return features;
}

template <class Value>
std::vector<Value> picked(const std::vector<Value>& values, const std::vector<std::size_t>& places) {
  std::vector<Value> found;
  if (!values.empty())
    for (const std::size_t place : places) found.push_back(values[place]);
  return found;
}

std::vector<std::vector<std::size_t>> groups_among(const Target& target,
                                                   const std::vector<std::size_t>& features) {
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& group : target.grid.one_hot) {
    groups.emplace_back();
    for (const std::size_t j : group)
      if (const auto place = std::ranges::lower_bound(features, j); place != features.end() && *place == j)
        groups.back().push_back(static_cast<std::size_t>(place - features.begin()));
  }
  return groups;
}

}  // namespace

Movable::Movable(const Target& target, Levels levels)
    : whole_(target),
      features_(features_that_change(target)),
      same_(features_.size() == target.classifier.d && target.grid.empty() && levels == Levels::any),
      width_(target.classifier),
      x_(same_ ? std::vector<float>() : columns_of(target.x)),
      moving_(same_ ? target : Target{width_, x_, target.labels}) {
  check_values();
  if (same_) return;
  width_.d = features_.size();
  moving_.name = target.name, moving_.varies = target.varies;
  if (width_.d == target.classifier.d) moving_.picture = target.picture;
  moving_.box = {target.box.low, target.box.high, picked(target.box.lows, features_),
                 picked(target.box.highs, features_)};
  moving_.grid = {picked(target.grid.per_one, features_), groups_among(target, features_)};
  if (levels == Levels::eight_bit) {
    if (target.picture.channels == 0 || !target.grid.empty())
      refuse(target.name, "images without another grid, for 8-bit levels", "others");
    moving_.grid.per_one.assign(width_.d, 255);
  }
  check_grid();
}

void Movable::check_values() const {
  const std::size_t d = whole_.classifier.d;
  const Box& box = whole_.box;
  for (std::size_t i = 0, j = 0; i < whole_.x.size(); ++i, j = j + 1 == d ? 0 : j + 1) {
    const float value = whole_.x[i];
    const bool fixed = !whole_.changeable.empty() && whole_.changeable[j] == 0;
    if (fixed ? std::isfinite(value) : value == box.clip(j, value)) continue;
    refuse(whole_.name,
           box.unbounded(j) ? fmt::format("numbers of at most {:g} to attack", farthest_value)
                            : fmt::format("values in [{:g}, {:g}] to attack", box.low_of(j), box.high_of(j)),
           fmt::format("{:g} at row {}{}", value, i / d,
                       box.lows.empty() ? "" : fmt::format(", feature {}", j)));
  }
}

void Movable::check_grid() const {
  constexpr double roundings = 0x1p-22;  // of float32, relative
  const std::size_t d = whole_.classifier.d;
  const auto& per_one = moving_.grid.per_one;
  for (std::size_t i = 0; !per_one.empty() && i < x_.size(); ++i) {
    const std::size_t j = i % per_one.size();
    if (per_one[j] == 0) continue;
    const double nearest = std::round(x_[i] * per_one[j]) / per_one[j];
    if (std::abs(x_[i] - nearest) > roundings * std::abs(nearest))
      refuse(whole_.name, per_one[j] == 1 ? "integers" : fmt::format("multiples of 1/{:g}", per_one[j]),
             fmt::format("{:.9g} at row {}, feature {}", x_[i], i / per_one.size(), features_[j]));
  }
  for (std::size_t i = 0; i < whole_.x.size() / d; ++i)
    for (const auto& group : whole_.grid.one_hot) {
      std::vector<float> row;
      for (const std::size_t j : group) row.push_back(whole_.x[i * d + j]);
      const auto of = [&](float value) { return static_cast<std::size_t>(std::ranges::count(row, value)); };
      if (of(1) != 1 || of(0) + 1 != row.size())
        refuse(whole_.name, fmt::format("a single 1 and otherwise 0 in features {}", fmt::join(group, ", ")),
               fmt::format("{:g} at row {}", fmt::join(row, ", "), i));
    }
}

std::vector<float> Movable::columns_of(std::span<const float> x) const {
  const std::size_t d = whole_.classifier.d;
  std::vector<float> columns;
  columns.reserve(x.size() / d * features_.size());
  for (std::size_t begin = 0; begin < x.size(); begin += d)
    for (const std::size_t j : features_) columns.push_back(x[begin + j]);
  return columns;
}

std::vector<float> Movable::widened(const std::vector<float>& x,
                                    const std::function<std::size_t(std::size_t)>& row) const {
  if (same_) return x;
  const std::size_t d = whole_.classifier.d, width = features_.size(), n = x.size() / width;
  std::vector<float> wide(n * d);
  parallel_for(n, [&](std::size_t i) {
    const auto to = wide.begin() + static_cast<std::ptrdiff_t>(i * d);
    std::ranges::copy(whole_.x.subspan(row(i) * d, d), to);
    for (std::size_t j = 0; j < width; ++j) to[static_cast<std::ptrdiff_t>(features_[j])] = x[i * width + j];
  });
  return wide;
}

Classifier Movable::narrowed(Classifier classifier, std::function<std::size_t(std::size_t)> row,
                             std::function<void(std::size_t, MutableRow)> to_grid) const {
  if (same_) return classifier;
  const auto seen = [this, row = std::move(row), to_grid = std::move(to_grid)](std::span<const float> x) {
    const std::size_t width = features_.size();
    Points points{x.size() / width, width, {x.begin(), x.end()}};
    if (to_grid) for_rows(points, [&](std::size_t i) { to_grid(i, points.row(i)); });
    return widened(points.values, row);
  };
  Classifier narrow = classifier;
  narrow.d = features_.size();
  narrow.logits = [seen, whole = classifier.logits](std::span<const float> x) { return whole(seen(x)); };
  if (!classifier.linearize) return narrow;
  narrow.linearize = [this, seen, whole = classifier.linearize](std::span<const float> x) {
    Linearized found = whole(seen(x));
    found.vjp = [this, back = std::move(found.vjp)](std::span<const float> cotangents) {
      return columns_of(back(cotangents));
    };
    return found;
  };
  return narrow;
}

}  // namespace leeway::attack
