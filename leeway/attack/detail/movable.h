// What members see of a target: the features that may change, with bounds and grid of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "leeway/attack/member.h"

namespace leeway::attack {

// Features whose bounds coincide do not change either. If all features may change and there is no grid, the
// target stays as it is.
class Movable {
 public:
  // Errors: sizes that do not fit; no feature that may change; values outside the box or off the grid.
  Movable(const Target& target, Levels levels);  // the target must outlive it
  Movable(const Movable&) = delete;
  Movable& operator=(const Movable&) = delete;

  [[nodiscard]] const Target& target() const { return moving_; }  // `classifier` has the width alone
  [[nodiscard]] const Classifier& classifier() const { return whole_.classifier; }  // of all features

  // The classifier of all features as one of those that may change. Its row i is row(i) of the whole target,
  // moved to the grid by to_grid(i, x) first.
  [[nodiscard]] Classifier narrowed(Classifier classifier, std::function<std::size_t(std::size_t)> row,
                                    std::function<void(std::size_t, MutableRow)> to_grid) const;

  // Row i is row(i) of the whole target, with these values of the features that may change.
  [[nodiscard]] std::vector<float> widened(const std::vector<float>& x,
                                           const std::function<std::size_t(std::size_t)>& row) const;

 private:
  [[nodiscard]] std::vector<float> columns_of(std::span<const float> x) const;
  void check_values() const;
  void check_grid() const;

  const Target& whole_;
  std::vector<std::size_t> features_;  // that may change
  bool same_;
  Classifier width_;
  std::vector<float> x_;
  Target moving_;
};

}  // namespace leeway::attack
