// Which samples posterior agreement comes from.
//
// With y the label, y' and y'' the predictions on the clean and on the shifted input, at beta*:
//   err   y' = y'' = y        right before and after
//   mis   y' = y'' != y       wrong, and unmoved
//   adv   y' = y, y'' != y'   right before, moved by the shift
//   rest  y' != y, y'' != y'
// The sums of a_i(beta*) over the four groups add up to n A(beta*), exactly. Beside each stands an approximation
// (Jiménez Rodríguez 2024, theorem 4.2.1 in section 4.2 and appendix B.2; tables in section 4.2.2), with tau the clean
// accuracy and rho = AFR(P):
//   err: n tau rho log(1 - 2 delta)   mis: n (1 - tau) rho log(1 - 2 delta)   adv: n tau (1 - rho) log delta
// delta of err and mis is 1 - mean p(y'|x') over the group; that of adv 1 - mean p(y''|x'') over all samples with
// y'' != y'. The logarithm of 1 - 2 delta does not exist for delta >= 1/2: no approximation then.
//
// Shapes: logits (n,k) as posterior_agreement takes them, labels (n); beta in [0, inf]. Ties in argmax: the lowest
// class. Errors (Error): as posterior_agreement. Cost: two passes. Deterministic for any number of threads.
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
