// Mean over classes j of W1 between {p'_ij : i} and {p''_ij : i}, p = softmax of the logits. Jiménez
// Rodríguez 2024, section 4.2.2, flattens the probabilities first (wasserstein_flattened.cpp); class by
// class, the distance sees mass that moves between classes.
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

std::vector<double> column(const std::vector<double>& values, std::size_t k, std::size_t j) {
  std::vector<double> result(values.size() / k);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[i * k + j];
  return result;
}

double wasserstein_distance(const MatrixPair& sets, Progress*) {
  const std::size_t k = sets.clean.columns();
  const std::vector<double> p = softmax_rows(sets.clean), q = softmax_rows(sets.shifted);
  std::vector<double> per_class(k);
  parallel_for(k, [&](std::size_t j) {
    std::vector<double> a = column(p, k, j), b = column(q, k, j);
    per_class[j] = wasserstein_1(a, b);
  });
  double sum = 0;
  for (const double value : per_class) sum += value;
  return sum / static_cast<double>(k);
}

}  // namespace

double wasserstein_1(std::span<double> a, std::span<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  // Quantiles in units of 1/(|a| |b|): whole numbers, so that no step is lost or taken twice.
  double sum = 0;
  std::size_t i = 0, j = 0, here = 0;
  while (i < a.size() && j < b.size()) {
    const std::size_t next = std::min((i + 1) * b.size(), (j + 1) * a.size());
    sum += static_cast<double>(next - here) * std::abs(a[i] - b[j]);
    here = next;
    if (here == (i + 1) * b.size()) ++i;
    if (here == (j + 1) * a.size()) ++j;
  }
  return sum / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

Distance wasserstein() {
  return {{"wasserstein", "Wasserstein-1 distance between the probabilities of each class, mean over classes",
           "Jiménez Rodríguez 2024, section 4.2.2, class by class"},
          Compared::probabilities,
          /*paired=*/false,
          wasserstein_distance};
}

}  // namespace leeway::agreement
