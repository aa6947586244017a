// Minimax exponential tilting (Botev 2017): the tilts whose weight has the least maximum.
//
// With the rows of C divided by their diagonal, L = I + L_s, and u the limits likewise, the saddle point of
//   psi(x, mu) = sum_j mu_j^2 / 2 - x_j mu_j + log Phi(u_j - (L_s x)_j - mu_j)
// has x = -L^T h, mu = -L_s^T h with the hazards h_j = (phi / Phi)(z_j) at z = u + (L L^T - I) h: d equations in
// z, not 2 d in x and mu. Their derivative is I + (S - I) diag(g), S = L L^T, 0 < g < 1, which one change of
// variables makes symmetric and positive definite; hence Newton's method, conjugate gradients inside.
#pragma once

#include "leeway/average_case/detail/ordering.h"

namespace leeway::average_case {

// The integrand tilted. Singular rows and near copies limit its variables but do not move the saddle point. Any tilt
// leaves the integral as it is, also that of a search that stopped early.
[[nodiscard]] Integrand tilted(Integrand integrand, const Problem& problem, const Triangle& triangle,
                               const Progress* stop = nullptr);

}  // namespace leeway::average_case
