// Searches the critic with the largest D on the training rows.
//
// Each restart starts near the classifier under test:
//   1. Even restarts: the critic that imitates it (imitation.h); odd ones: a random neighbor theta + c R, R
//      random and as large as theta, at a c from .3 to 1.2 and at the c with the largest D.
//   2. Lifts its classes one by one (lifted_class.h), largest fall in the share of predictions first.
// Up to 16 classes it also starts far from it, from two surrogates of critic.h:
//   3. Disagreement logistic: quasi-Newton steps from the optimum of the plain surrogate, which restarts share
//      (it is convex), with another ratio of source and target terms, disagreement on one predicted class
//      only, or random row weights; some start at random parameters. Restart 0 is the plain surrogate. If the
//      plain optimum agrees on less than half of the source, restart 1 starts at the imitation.
//   4. D-BAT with the same weights, not convex, from U(-1/sqrt d, 1/sqrt d). Its optimum differs in kind: a row
//      disagrees as soon as one class beats its own. If the loss asked for is D-BAT or Chuang, that one alone.
//   5. Ascent of the smoothed D with growing parameters from both, so that probabilities sharpen to predictions.
// Beyond 16 classes such starts end at critics that fit the training rows and nothing else. There follow
//   6. Up to a dozen random neighbors of the imitation that mix its classes (fewer where they cost much). Where
//      the imitation is not near the classifier, as many line searches from it along such mixtures.
//   7. A descent of D-BAT, the smoothed D or the disagreement logistic, in turn, from the imitation. The first
//      step changes it by .8 of its length. All steps count, since D on other rows soon falls again. Where a
//      critic has more parameters than there are rows, restarts after the third leave this out.
// Line searches, which are exact, follow each kind of start from its best critic (7 only with as many rows as
// parameters): along one bias, one class's scores, or all parameters at random.
// Passes on all critics met with their training D; D is measured elsewhere. Deterministic for a seed and any
// number of threads. Cost: about 130 passes over the rows per restart up to 16 classes; beyond, some 10 to 100
// passes, of which those of mostly empty critics on logits are cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

inline constexpr std::size_t plain_iterations = 60;  // at most, to the optimum of the plain surrogate

// With that loss on target rows.
[[nodiscard]] Objective objective_of(Loss loss);

// All classes, those first whose share of predictions falls most from source to target.
[[nodiscard]] std::vector<std::size_t> classes_by_fall(const CriticRows& rows);

// Typical difference of two scores of a critic, where columns of x have unit variance; biases do not count.
[[nodiscard]] double lead_of(const CriticRows& rows, std::span<const float> theta);

class DiscrepancySearch {
 public:
  using Sink = std::function<void(const FoundCritic& critic)>;

  // `centre` and `scale` (d) undo the scaling of columns: papers start from parameters of the raw ones.
  // `watch` sees every iterate of the plain surrogate's solution. `imitation` is near the classifier under test
  // (imitation.h); where it agrees with it on fewer than 99 of 100 source rows, or is empty, a nearer one is learnt.
  DiscrepancySearch(const CriticRows& rows, std::span<const double> centre, std::span<const double> scale,
                    Loss loss, std::uint64_t seed,
                    const std::function<void(std::span<const float>)>& watch = {},
                    std::vector<float> imitation = {});

  // Calls `sink` for every critic that restart number `index` finds.
  void restart(std::size_t index, const Sink& sink) const;

 private:
  [[nodiscard]] std::vector<float> uniform_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> gaussian_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> surrogate(Objective objective, std::vector<float> start,
                                             std::span<const float> weights, std::size_t iterations) const;
  [[nodiscard]] bool few() const;
  [[nodiscard]] bool learnable() const;
  [[nodiscard]] FoundCritic nearest(std::vector<float> imitation) const;
  [[nodiscard]] FoundCritic near_classifier(std::size_t index, const Sink& sink) const;
  [[nodiscard]] std::vector<float> mixture(std::span<const float> theta, Random& random) const;
  [[nodiscard]] FoundCritic neighbours(std::size_t index, const Sink& sink) const;
  [[nodiscard]] FoundCritic descent(std::size_t index, const Sink& sink) const;
  [[nodiscard]] std::vector<float> far_start(std::size_t index) const;
  [[nodiscard]] FoundCritic far_from_classifier(std::size_t index, const Sink& sink) const;
  [[nodiscard]] std::vector<float> weights_of(std::size_t problem) const;
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
  bool useful_ = true;  // plain_ agrees with the classifier on half of the source
  std::vector<float> imitation_;
  FoundCritic classifier_;
};

}  // namespace leeway::error_bound
