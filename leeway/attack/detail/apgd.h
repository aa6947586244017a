// Auto-PGD and the targeted DLR loss, shared by apgd.cpp and apgd_targeted.cpp.
//
// Source: Croce & Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse
// parameter-free attacks, ICML 2020, algorithm 1 and targeted DLR loss. Rows are independent. Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/attack/member.h"

namespace leeway::attack {

// The steps after which Auto-PGD checks the step size: w_j = ceil(p_j steps), each once, with p_1 = .22 and
// p_(j+1) = p_j + max(p_j - p_(j-1) - .03, .06).
[[nodiscard]] std::vector<std::size_t> apgd_checkpoints(std::size_t steps);

// One run of Auto-PGD on `loss` from the points `start` of the ball, with the parameters "steps" and "rho"
// of `options`. Offers every visited point to `best`. Returns 1 for rows whose gradient is exactly 0 at the
// start.
// Cost: steps + 1 forward and backward passes.
//
// With the step size eta, at first 2 eps, and a = 3/4 (1 in the first step):
//   z = project(x_k + eta d)          d = sign(grad L) for l_inf, grad L / |grad L|_2 for l_2
//   x_(k+1) = project(x_k + a (z - x_k) + (1 - a) (x_k - x_(k-1)))
// At a checkpoint w_j, eta is halved and x_k becomes the point with the largest loss so far, if
//   (1) the loss rose in fewer than rho (w_j - w_(j-1)) of the steps since w_(j-1), or
//   (2) eta was not halved at w_(j-1), and the largest loss is the same as at w_(j-1).
// Both conditions compare losses of one row, so increasing functions of a loss give the same run.
[[nodiscard]] std::vector<std::uint8_t> auto_pgd(const Problem& problem, const Ball& ball,
                                                 const AttackOptions& options, const RowLoss& loss,
                                                 Points start, Best& best);

// Targeted DLR loss -(F_y - F_t) / (F_(1) - (F_(3) + F_(4)) / 2), F_(1) >= F_(2) >= ... the sorted logits. Of
// fewer than four classes, or if the divisor is 0, F_t - F_y. Fills `gradient` (k) unless it is empty.
[[nodiscard]] double targeted_dlr(Row logits, std::size_t y, std::size_t t, MutableRow gradient);

}  // namespace leeway::attack
