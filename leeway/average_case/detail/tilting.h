// Minimax exponential tilting (Botev 2017): the tilts that minimize the maximum weight.
//
// With the rows of C divided by their diagonal, L = I + L_s, and the limits u likewise, the saddle point of
//   psi(x, mu) = sum_j mu_j^2 / 2 - x_j mu_j + log Phi(u_j - (L_s x)_j - mu_j)
// has x = -L^T h, mu = -L_s^T h with the hazards h_j = (phi / Phi)(z_j) at z = u + (L L^T - I) h: d equations
// in z instead of 2 d in x and mu. Their derivative I + (S - I) diag(g), S = L L^T, 0 < g < 1, becomes
// symmetric positive definite by a change of variables; hence Newton's method with conjugate gradients.
#pragma once

#include "leeway/average_case/detail/ordering.h"

namespace leeway::average_case {

// The tilted integrand. Singular rows and near copies limit its variables but do not move the saddle point.
// The integral does not depend on the tilt, so the search may stop early.
[[nodiscard]] Integrand tilted(Integrand integrand, const Problem& problem, const Triangle& triangle,
                               const Progress* stop = nullptr);

}  // namespace leeway::average_case
