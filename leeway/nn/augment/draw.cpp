#include "leeway/nn/augment/draw.h"

#include <boost/math/special_functions/beta.hpp>

namespace leeway::nn::augment {

double draw_beta(double a, double b, Random& random) {
  return boost::math::ibeta_inv(a, b, random.uniform());
}

// Each in turn takes its share of what the others before it left.
std::vector<double> draw_dirichlet(double alpha, std::size_t k, Random& random) {
  std::vector<double> shares(k);
  double left = 1;
  for (std::size_t i = 0; i + 1 < k; ++i) {
    shares[i] = left * draw_beta(alpha, alpha * static_cast<double>(k - 1 - i), random);
    left -= shares[i];
  }
  shares.back() = left;
  return shares;
}

}  // namespace leeway::nn::augment
