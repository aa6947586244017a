// (1/n) sum_i sum_j p''_ij (log p''_ij - log p'_ij), p = softmax of the logits (Jiménez Rodríguez 2024,
// section 4.2.2). Always finite: probabilities from a file were converted to logarithms, with 0 replaced by
// the smallest normal number.
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"

namespace leeway::agreement {
namespace {

double divergence(std::span<double> p, std::span<double> q) {
  log_softmax(p), log_softmax(q);
  double sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) sum += std::exp(q[j]) * (q[j] - p[j]);
  return std::max(0., sum);
}

}  // namespace

Distance kl() {
  return {{"kl", "mean Kullback-Leibler divergence of the shifted from the clean probabilities, in nats",
           "Jiménez Rodríguez 2024, section 4.2.2"},
          Compared::probabilities,
          /*paired=*/true,
          [](const MatrixPair& sets, Progress*) { return mean_over_rows(sets, divergence); }};
}

}  // namespace leeway::agreement
