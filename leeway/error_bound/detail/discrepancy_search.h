// The search for the critic with the largest D on the training rows.
//
// Every restart starts twice and ends with D itself.
// Far from the classifier under test:
//   1. the surrogate of critic.h, by quasi-Newton steps from the optimum of the plain one (which restarts
//      share: disagreement logistic is convex): source and target terms in another ratio, or the target's
//      disagreement asked for on one predicted class alone, or rows with random weights; some start at
//      random parameters instead. Restart 0 is the plain surrogate. D-BAT and Chuang, not convex, start anew from
//      U(-1/sqrt d, 1/sqrt d) every time. Where the plain optimum agrees on less than half as much of the source as the
//      critic of 4 (of half the source, up to 16 classes), restart 1 begins at that critic; beyond 16 classes other weights
//      do not mend it, and the rest leave this start out;
//   2. ascent of the smoothed D with growing parameters, so that probabilities sharpen to predictions;
//   3. exact line searches on D along one class's scores, one bias, or all parameters at random.
// Near it:
//   4. even restarts: the critic that imitates it (imitation.h); odd ones: a random neighbour of that, theta + c R with R
//      normal and as large as theta, at a c from .3 to 1.2 and at that c where D is largest;
//   5. classes of it lifted one after the other (lifted_class.h), those first whose share of predictions falls most;
//   6. line searches as in 3;
//   7. beyond 16 classes, where rows of a critic's scores can be mixed in more ways: a dozen random neighbours of the imitation
//      that mix its classes (imitation.h), at a c from .3 to 1.2; a dozen line searches from it along such directions, one after
//      the other; and line searches as in 3 from the best. With fewer classes steps 1 to 6 find as much.
// The critics of all steps are returned, with their training D: D is measured elsewhere.
// Deterministic for a seed, whatever the number of threads. Cost: some 80 passes over the rows a restart, 120 beyond 16 classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/error_bound/detail/critic.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

inline constexpr std::size_t plain_iterations = 60;  // at most, to the optimum of the plain surrogate

// Typical difference of two scores of a critic, where columns of x have unit variance; biases do not count.
[[nodiscard]] double lead_of(const CriticRows& rows, std::span<const float> theta);

class DiscrepancySearch {
 public:
  // `centre` and `scale` (d) undo the scaling of columns: papers start from parameters of the raw ones.
  // `watch` sees every iterate of the plain surrogate's solution. `imitation` is near the classifier under test
  // (imitation.h); where it agrees with it on fewer than 99 of 100 source rows, or is empty, a nearer one is learnt.
  DiscrepancySearch(const CriticRows& rows, std::span<const double> centre, std::span<const double> scale,
                    Loss loss, std::uint64_t seed,
                    const std::function<void(std::span<const float>)>& watch = {},
                    std::vector<float> imitation = {});

  [[nodiscard]] std::vector<FoundCritic> restart(std::size_t index) const;

 private:
  [[nodiscard]] std::vector<float> uniform_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> gaussian_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> surrogate(std::vector<float> start, std::span<const float> weights,
                                             std::size_t iterations) const;
  [[nodiscard]] bool few() const;
  [[nodiscard]] FoundCritic nearest(std::vector<float> imitation) const;
  [[nodiscard]] std::vector<FoundCritic> near_classifier(std::size_t index) const;
  [[nodiscard]] std::vector<FoundCritic> neighbours(std::size_t index) const;
  [[nodiscard]] std::vector<FoundCritic> far_from_classifier(std::size_t index) const;
  [[nodiscard]] FoundCritic measured(std::vector<float> theta) const;
  [[nodiscard]] std::vector<float> weights_of(std::size_t index) const;
  [[nodiscard]] FoundCritic ascend(std::vector<float> theta) const;
  [[nodiscard]] FoundCritic polish(FoundCritic critic, std::size_t index) const;

  const CriticRows& rows_;
  std::span<const double> centre_, scale_;
  Objective objective_;
  std::uint64_t seed_;
  std::vector<std::size_t> classes_;  // predicted on target rows, the largest excess over the source first
  std::vector<std::size_t> fallen_;   // all, those first whose share of predictions falls most
  std::vector<float> even_;           // weights 1/(2 n_S), 1/(2 n_T)
  std::vector<float> plain_;
  bool useful_ =
      true;  // plain_ agrees with the classifier on half as much of the source as classifier_, or more
  std::vector<float> imitation_;
  FoundCritic classifier_;
};

}  // namespace leeway::error_bound
