// How sure a model is where it is right, and where the shift changed its mind.
//
//   clean_right   p(y'|x')   over the samples whose clean prediction y' is their label
//   moved         p(y''|x'') over the samples with y'' != y', whatever their label is: the attacks that succeeded
// (Jiménez Rodríguez 2024, section 4.2.1, figure 4.10.) Each as a mean with its standard error s / sqrt(n).
//
// Shapes: logits (n,k) as posterior_agreement takes them, labels empty or (n) (there is no clean_right without them);
// betas in [0, inf]. Ties in argmax: the lowest class. Errors (Error): shapes that differ, a logit that is not finite,
// a negative beta. Cost: a pass a beta. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::agreement {

struct ConfidenceAt {
  double beta = 0;
  double mean = 0, standard_error = 0;  // mean: NaN for n = 0; standard_error: NaN for n < 2
};

struct ConfidenceSummary {
  std::size_t n = 0;
  std::vector<ConfidenceAt> at;
};

struct Confidences {
  std::optional<ConfidenceSummary> clean_right;
  ConfidenceSummary moved;
};

[[nodiscard]] Confidences confidences(const Array& clean, const Array& shifted,
                                      std::span<const std::int64_t> labels, std::span<const double> betas);

}  // namespace leeway::agreement
