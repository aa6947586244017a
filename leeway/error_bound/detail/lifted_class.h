// Replaces the scores of one class of a critic.
//
// If a critic that agrees with the classifier scores one class c by s(x) = u . x + b instead, it disagrees on
// the rows whose own class scores less than s; for u = 0, on the rows whose largest score is below b. Under a
// shift that lowers confidence these are target rows, and b alone hardly overfits, however many the classes.
// Two critics are made:
//   constant   u = 0
//   fitted     u by logistic regression on (x, 1, the score that s must beat), rows weighted 1/(2 n_S) and
//              1/(2 n_T), and a ridge: s should win only on target rows of other classes and source rows of c
// each with the b that maximizes D on the rows, found exactly.
// Shapes as in critic.h. Cost: three passes of scores, 40 over x. Deterministic for any number of threads.
//
// A step along one class's scores needs no pass of scores if the leads of the critic are known: c wins a row
// from the step on at which it reaches the score to beat. Cost: two passes over x and a sort of n numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/error_bound/detail/critic.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

[[nodiscard]] std::vector<FoundCritic> lift_class(const CriticRows& rows, std::span<const float> theta,
                                                  std::size_t c);

// As best_step (critic.h), of the direction that is u (width) for class c and 0 for the others; `leads` are those of theta.
[[nodiscard]] BestStep best_class_step(const CriticRows& rows, const Leads& leads,
                                       std::span<const float> theta, std::size_t c, std::span<const float> u);

// The papers' own recipe for a critic, for comparison with the search on D. AdamW (learning rate 3e-3, betas
// .9 and .999, decoupled weight decay 5e-4 of all parameters), batches of 256 source and 256 target rows, 50
// epochs, initialized from U(-1/sqrt d, 1/sqrt d), on unscaled columns. Both sets are shuffled every epoch;
// the shorter one repeats until the longer one ends. Deterministic for a seed. Cost: 50 passes.
// Calls `watch` with the parameters after every epoch.
void train_reference(const CriticRows& rows, Loss loss, std::uint64_t seed, std::size_t restart,
                     const std::function<void(std::span<const float>)>& watch);

}  // namespace leeway::error_bound
