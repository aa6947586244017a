// Searches the critic with the largest D on the training rows.
//
// Each restart starts at the classifier under test, or at the nearest critic (imitation.h):
//   1. Near it. Even restarts: itself; odd ones: a random neighbor theta + c R, R random and as large as theta, at
//      a c from .3 to 1.2 and at the c with the largest D. Its classes are lifted one by one (lifted_class.h),
//      those first whose share of predictions falls most.
//   2. Up to a dozen random neighbors that mix its classes (fewer where they cost much). Where the imitation
//      agrees with the classifier on fewer than 99 of 100 source rows, as many line searches from it along such
//      mixtures.
//   3. Descents of surrogates (critic.h) by quasi-Newton steps from the critic: of D-BAT, of the smoothed D, of
//      the disagreement logistic, of D-BAT from a tenth of the critic, where probabilities are softer, and of
//      the smoothed D from the optimum of the disagreement logistic. If the loss asked for is D-BAT or Chuang, of
//      that one. The first step changes the critic by .8 of its length. Every step is passed on, because D on
//      other rows soon falls again. Restart 0 descends in all these ways, later ones in one each, with other weights:
//      disagreement on one predicted class only, or random. Where rows times parameters exceed 2^26, each restart
//      descends in one of the first three ways. Later rounds follow only if there are as many rows as parameters;
//      else a critic fits every labeling of the rows.
// 1 and 3 end with exact line searches from the best critic: along one bias, one class's scores, or random parameters.
// Passes on all critics met with their training D; D is measured elsewhere. Deterministic for a seed and any
// number of threads. Cost: some 100 to 400 passes over few rows per restart, about 10 over many; passes of critics
// that are mostly 0, as on logits, cost less.
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

class DiscrepancySearch {
 public:
  using Sink = std::function<void(const FoundCritic& critic)>;

  // `watch` sees every iterate of the plain surrogate's solution. `imitation` is near the classifier under test
  // (imitation.h); where it agrees with it on fewer than 99 of 100 source rows, or is empty, a nearer one is learnt.
  // `centre` and `scale` (d) undo the scaling of columns.
  DiscrepancySearch(const CriticRows& rows, std::span<const double> centre, std::span<const double> scale,
                    Loss loss, std::uint64_t seed,
                    const std::function<void(std::span<const float>)>& watch = {},
                    std::vector<float> imitation = {});

  // Calls `sink` for every critic that restart number `index` finds.
  void restart(std::size_t index, const Sink& sink) const;

 private:
  [[nodiscard]] std::vector<float> uniform_start(std::span<const double> centre,
                                                 std::span<const double> scale) const;
  [[nodiscard]] FoundCritic nearest(std::vector<float> imitation) const;
  [[nodiscard]] std::vector<float> weights_of(std::size_t index) const;
  [[nodiscard]] FoundCritic polish(FoundCritic critic, std::size_t index) const;
  [[nodiscard]] FoundCritic near_classifier(std::size_t index, const Sink& sink) const;
  [[nodiscard]] bool cheap() const;
  [[nodiscard]] std::vector<float> mixture(std::span<const float> theta, Random& random) const;
  void neighbours(std::size_t index, const Sink& sink) const;
  void descent(std::size_t way, std::size_t index, const Sink& sink, FoundCritic& found) const;

  const CriticRows& rows_;
  Objective objective_;
  std::uint64_t seed_;
  std::vector<std::size_t> fallen_;  // all, those first whose share of predictions falls most
  std::vector<float> even_;          // weights 1/(2 n_S), 1/(2 n_T)
  std::vector<float> plain_;         // empty where it is too much work
  std::vector<float> imitation_;
  FoundCritic classifier_;
};

}  // namespace leeway::error_bound
