// Dis2 on fewer and fewer principal components: the smallest bound whose validity score is acceptable.
//
// Fewer components mean fewer critics and a smaller bound, until no critic comes near the true labels and the
// bound is too low. Critics are then hard to train, which the validity score shows (Rosenfeld and Garg 2023,
// section 4 and appendix C: roughly, "by no means perfect"; it proves nothing). The bound is computed on the
// leading d/f components of the source features, f = 1, 4, 16, 32, 64, 128, at least 4 components, and kept
// if its score reaches `least_validity`. The smallest kept bound is chosen; if none is kept, the bound on all
// components.
//
// The score always comes from the papers' recipe (Search::reference, at most 3 restarts): the number of
// quasi-Newton steps hardly depends on how hard a critic is to train.
//
// Each of m bounds uses delta / m, so that with probability 1 - delta all bounds whose assumption holds are
// valid at once, also the chosen one.
// Errors (Error): those of dis2_bound, fewer than 4 features, a score outside [0,1]; Interrupted. Cost: m
// times the cost of dis2_bound and of 3 restarts of the recipe. Deterministic for a seed and any threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

struct ComponentBound {
  std::size_t fraction = 1;    // f
  std::size_t components = 0;  // d / f
  Dis2 dis2;
  double validity_score = 0;  // of the papers' recipe
  bool kept = false;          // the score reaches what was asked for
};

struct ComponentRange {
  std::vector<ComponentBound> bounds;  // most components first
  std::size_t chosen = 0;              // of bounds

  [[nodiscard]] const ComponentBound& best() const { return bounds[chosen]; }
};

// The fractions f of d features that leave at least 4 components.
[[nodiscard]] std::vector<std::size_t> fractions_of(std::size_t d);

// Index of the smallest kept bound, the first if tied; 0 if none is kept.
[[nodiscard]] std::size_t least_kept(std::span<const ComponentBound> bounds);

// `options.representation` is not looked at.
[[nodiscard]] ComponentRange dis2_over_components(const Sample& source, const Sample& target,
                                                  const Dis2Options& options, double least_validity = .9);

}  // namespace leeway::error_bound
