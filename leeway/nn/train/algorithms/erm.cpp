#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// Empirical risk minimization: the mean cross-entropy of the batch.
AlgorithmMember erm() {
  return {{"erm", "empirical risk minimization: plain training", "Vapnik, 1992"},
          nullptr,
          make_algorithm<Algorithm>};
}

}  // namespace leeway::nn
