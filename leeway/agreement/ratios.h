// Ratio sweep: posterior agreement as a growing share of the samples is shifted.
//
// At ratio r the round(r n) samples of the smallest perturbation norm are shifted and the others stay clean: ratio 0
// compares the clean set with itself, ratio 1 is the whole shift. (Adversarial ratio: Carvalho et al. 2025, section 4.1,
// and Jiménez Rodríguez 2024, section 4.2; shift ratio: Carvalho et al. 2025, section 4.2.) Equal norms go by row; an
// infinite norm, a failed attack, comes last; without norms the order is that of the rows. At ratio 0 nothing is left to
// chance: where its PA is log k, so are both ends of its interval.
//
// Shapes: as posterior_agreement; norms empty or (n), >= 0 or infinite; ratios in [0,1]. Errors (Error): those of
// posterior_agreement, norms of another length, negative or NaN or a ratio outside [0,1]; Interrupted, where
// Options::progress asks to stop. Cost: one agreement a ratio, each with its own beta, and one copy of the shifted set.
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/agreement/agreement.h"

namespace leeway::agreement {

struct RatioPoint {
  double ratio = 0;
  std::size_t shifted = 0;  // samples
  Agreement agreement;
};

struct Sweep {
  std::span<const std::int64_t> labels;  // empty or (n)
  std::span<const double> norms;         // empty or (n)
  std::span<const double> ratios;
  Options options = {};
  std::optional<Agreement> whole =
      {};  // posterior_agreement of the two sets with these options, where it is known
};

[[nodiscard]] std::vector<RatioPoint> ratio_sweep(const Array& clean, const Array& shifted,
                                                  const Sweep& sweep);

}  // namespace leeway::agreement
