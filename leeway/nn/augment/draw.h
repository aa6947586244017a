// Beta and Dirichlet draws by inversion (Boost's inverse incomplete beta function). No LibTorch here.
#pragma once

#include <cstddef>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn::augment {

[[nodiscard]] double draw_beta(double a, double b, Random& random);  // in [0,1]
// k shares with sum 1 from the symmetric Dirichlet distribution.
[[nodiscard]] std::vector<double> draw_dirichlet(double alpha, std::size_t k, Random& random);

}  // namespace leeway::nn::augment
