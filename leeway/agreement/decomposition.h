// Decomposes posterior agreement into the contributions of four groups of samples.
//
// With label y and predictions y' (clean) and y'' (shifted), at beta*:
//   err   y' = y'' = y        correct on both
//   mis   y' = y'' != y       wrong, prediction unchanged
//   adv   y' = y, y'' != y'   correct on clean, prediction changed
//   rest  y' != y, y'' != y'
// The group sums of a_i(beta*) add up to n A(beta*). Each group also has an approximation (Jiménez Rodríguez
// 2024, theorem 4.2.1 and appendix B.2; tables in section 4.2.2), tau the clean accuracy, rho = AFR(P):
//   err: n tau rho log(1 - 2 delta)   mis: n (1 - tau) rho log(1 - 2 delta)   adv: n tau (1 - rho) log delta
// delta is 1 - mean p(y'|x') over the group for err and mis, and 1 - mean p(y''|x'') over all samples with
// y'' != y' for adv. For delta >= 1/2, log(1 - 2 delta) does not exist and the approximation is missing.
// Shapes: logits (n,k) and errors as in posterior_agreement, labels (n; rows of -1 are left out), beta in [0, inf]. Ties: lowest
// class.
// Cost: two passes. Deterministic for any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leeway/core/rows.h"

namespace leeway::agreement {

struct Contribution {
  std::string_view name;  // "err", "mis", "adv", "rest"
  std::size_t n = 0;
  double sum = 0;                       // of a_i(beta*)
  std::optional<double> delta;          // of err, mis, adv; none where no sample is averaged
  std::optional<double> approximation;  // of the sum
};

struct Decomposition {
  std::array<Contribution, 4> groups;
  double tau = 0, rho = 0;
};

[[nodiscard]] Decomposition decompose(const Rows& clean, const Rows& shifted,
                                      std::span<const std::int64_t> labels, double beta);

}  // namespace leeway::agreement
