// The search for the critic with the largest D on the training rows.
//
// Every restart starts from its own surrogate problem and ends with D itself:
//   1. the surrogate of critic.h, by quasi-Newton steps from the optimum of the plain one (which restarts
//      share: disagreement logistic is convex): source and target terms in another ratio, or the target's
//      disagreement asked for on one predicted class alone, or rows with random weights; some start at
//      random parameters instead. Restart 0 is the plain surrogate. Where its optimum agrees on less than half of the
//      source, as with many classes, restart 1 starts at a critic that predicts there what the classifier under test
//      does. D-BAT and Chuang, not convex, start anew from U(-1/sqrt d, 1/sqrt d) every time.
//   2. ascent of the smoothed D with growing parameters, so that probabilities sharpen to predictions;
//   3. exact line searches on D along one class's scores, one bias, or all parameters at random.
// The best critics on the training rows of 1, 2 and 3 are returned, with their training D: D is measured
// elsewhere.
// Deterministic for a seed, whatever the number of threads. Cost: some 50 passes over the rows a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/error_bound/critic.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

inline constexpr std::size_t plain_iterations = 60;  // at most, to the optimum of the plain surrogate

struct FoundCritic {
  std::vector<float> theta;
  double training_discrepancy = 0;
};

class DiscrepancySearch {
 public:
  // `centre` and `scale` (d) undo the scaling of columns: papers start from parameters of the raw ones.
  // `watch` sees every iterate of the plain surrogate's solution. `classifier` predicts what the classifier under test
  // does, where the class of critics has it; else one is learnt from the source when it is first needed.
  DiscrepancySearch(const CriticRows& rows, std::span<const double> centre, std::span<const double> scale,
                    Loss loss, std::uint64_t seed,
                    const std::function<void(std::span<const float>)>& watch = {},
                    std::vector<float> classifier = {});

  [[nodiscard]] std::vector<FoundCritic> restart(std::size_t index) const;
  [[nodiscard]] std::span<const float> surrogate_optimum() const { return plain_; }

 private:
  [[nodiscard]] std::vector<float> uniform_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> gaussian_start(std::size_t index) const;
  [[nodiscard]] std::vector<float> surrogate(std::vector<float> start, std::span<const float> weights,
                                             std::size_t iterations) const;
  [[nodiscard]] const std::vector<float>& classifier() const;
  [[nodiscard]] std::vector<float> weights_of(std::size_t index) const;
  [[nodiscard]] FoundCritic ascend(std::vector<float> theta) const;
  [[nodiscard]] FoundCritic polish(FoundCritic critic, std::size_t index) const;

  const CriticRows& rows_;
  std::span<const double> centre_, scale_;
  Objective objective_;
  std::uint64_t seed_;
  std::vector<std::size_t> classes_;  // predicted on target rows, the largest excess over the source first
  std::vector<float> even_;           // weights 1/(2 n_S), 1/(2 n_T)
  std::vector<float> plain_;
  bool useful_ = true;  // plain_ agrees on most of the source
  mutable std::vector<float> classifier_;
  mutable std::once_flag learnt_;
};

}  // namespace leeway::error_bound
