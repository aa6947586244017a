// Dis2 on ever fewer principal components, and the least bound that its validity score does not speak against.
//
// Fewer components mean fewer critics, a smaller discrepancy and a smaller bound, until no critic comes near the truth
// and the bound is too low. By then critics are hard to train, which the validity score tells (Rosenfeld and Garg 2023, section 4 and
// appendix C: roughly, "by no means perfect"). So the bound is computed on the leading d/f components of the source's
// features for f = 1, 4, 16, 32, 64, 128, fewer than 4 components left out, and kept where its score reaches
// `least_validity`. Chosen is the least bound of those kept, and the one on all components where none is.
//
// The score is that of the papers' own recipe (Search::reference, at most 3 restarts), whatever search the bound comes
// from: how many quasi-Newton steps a critic takes hardly depends on how hard it is to train.
//
// Of m bounds each is computed at delta / m, so that with probability 1 - delta all of those hold whose assumption does:
// choosing among them costs nothing more. A score is a sign and proves nothing.
//
// Errors (Error): those of dis2_bound, fewer than 4 features, a score outside [0,1]; Interrupted. Cost: m times that of
// dis2_bound, and of 3 restarts of the recipe. Deterministic for a seed, whatever the number of threads.
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

// The fractions f of d features that leave 4 components or more.
[[nodiscard]] std::vector<std::size_t> fractions_of(std::size_t d);

// The index of the least bound kept, the first where tied; 0 where none is kept.
[[nodiscard]] std::size_t least_kept(std::span<const ComponentBound> bounds);

// `options.representation` is not looked at.
[[nodiscard]] ComponentRange dis2_over_components(const Sample& source, const Sample& target,
                                                  const Dis2Options& options, double least_validity = .9);

}  // namespace leeway::error_bound
