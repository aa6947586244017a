// (1/n) sum_i sum_j p''_ij (log p''_ij - log p'_ij), p = softmax of the logits (paper 001, section 4.2.2).
//
// Probabilities of an outputs file are their logarithms by now, an exact 0 being the type's smallest normal
// number, so the result is always finite.
#include <algorithm>
#include <cmath>
#include <functional>

#include "leeway/agreement/distances/family.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

double compute(const Sample& clean, const Sample& shifted) {
  const MatrixPair logits = matrices_of(kl(), clean, shifted);
  const std::size_t n = logits.clean.rows(), k = logits.clean.columns();
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::vector<double> p(k), q(k);
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      logits.clean.copy_row(i, p), logits.shifted.copy_row(i, q);
      log_softmax(p), log_softmax(q);
      double divergence = 0;
      for (std::size_t j = 0; j < k; ++j) divergence += std::exp(q[j]) * (q[j] - p[j]);
      total += std::max(0., divergence);
    }
    return total;
  };
  return reduce_chunks<double>(n, 512, sum, std::plus<>()) / static_cast<double>(n);
}

}  // namespace

Distance kl() {
  return {.name = "kl",
          .summary = "mean Kullback-Leibler divergence of the shifted from the clean probabilities, in nats",
          .compares = Compared::probabilities,
          .paired = true,
          .compute = compute};
}

}  // namespace leeway::agreement
