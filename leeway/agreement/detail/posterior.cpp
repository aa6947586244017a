#include "leeway/agreement/detail/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/error.h"

namespace leeway::agreement {
namespace {

// exp(beta (F_j - F_top)); infinity times 0, a tie at the limit, is 1.
double weight(double x, double top, double beta) { return x == top ? 1 : std::exp(beta * (x - top)); }

// Writes the weights of all classes, k values, to `p`, where that is not null.
template <class T>
Prediction predict(const T* row, std::size_t k, double beta, double* p) {
  const auto top = static_cast<std::size_t>(std::max_element(row, row + k) - row);
  double z = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const double w = weight(static_cast<double>(row[j]), static_cast<double>(row[top]), beta);
    if (p != nullptr) p[j] = w;
    z += w;
  }
  if (p != nullptr)
    for (std::size_t j = 0; j < k; ++j) p[j] /= z;
  return {top, 1 / z};
}

}  // namespace

Prediction prediction_of(const Rows& logits, std::size_t row, double beta, double* p) {
  const std::size_t k = logits.shape()[1];
  const auto predict_in = [&](auto scratch) {
    return predict(logits.rows(row, row + 1, scratch), k, beta, p);
  };
  return logits.type() == ElementType::f32 ? predict_in(std::vector<float>())
                                           : predict_in(std::vector<double>());
}

void require_pairs(std::string_view function, const Array& clean, const Array& shifted,
                   std::span<const std::int64_t> labels, std::span<const double> betas) {
  for (const double beta : betas)
    if (!(beta >= 0)) throw Error(fmt::format("{}: beta: expected at least 0, found {}", function, beta));
  const Matrix one(clean, "clean", "logits"), two(shifted, "shifted", "logits");
  if (clean.shape != shifted.shape)
    throw Error(fmt::format("{}: shifted: expected logits of shape {}, found {}", function,
                            clean.shape_text(), shifted.shape_text()));
  if (!labels.empty() && labels.size() != one.rows())
    throw Error(fmt::format("{}: labels: expected {} labels, found {}", function, one.rows(), labels.size()));
}

}  // namespace leeway::agreement
