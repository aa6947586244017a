// W1 between {p'_ij : i, j} and {p''_ij : i, j}, p = softmax of the logits, as in the code of Jiménez
// Rodríguez 2024 (section 4.2.2). Flattening loses the classes: sets that predict opposite classes with equal
// confidence have distance 0.
#include "leeway/agreement/distances/detail/family.h"

namespace leeway::agreement {
namespace {

double wasserstein_flattened_distance(const MatrixPair& sets, Progress*) {
  std::vector<double> p = softmax_rows(sets.clean), q = softmax_rows(sets.shifted);
  return wasserstein_1(p, q);
}

}  // namespace

Distance wasserstein_flattened() {
  return {{"wasserstein-flattened",
           "Wasserstein-1 distance between all probabilities as one sample, regardless of class",
           "Jiménez Rodríguez 2024, section 4.2.2"},
          Compared::probabilities,
          /*paired=*/false,
          wasserstein_flattened_distance};
}

}  // namespace leeway::agreement
