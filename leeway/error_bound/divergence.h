// H- and HΔH-divergence of two small samples, exactly, for H the half-planes: linear critics of two classes.
//
// With P_S and P_T the shares of source and target rows of one or two columns, and h the classifier under test,
//   H-divergence    max over b in H      |P_T(b = 1) - P_S(b = 1)|    (Ben-David et al. 2006)
//   HΔH-divergence  max over a, b in H   |P_T(a != b) - P_S(a != b)|  (Ben-David et al. 2010)
//   discrepancy     max over b in H      P_T(b != h) - P_S(b != h)    (dis2.h)
// from 0 to 1, as in Rosenfeld and Garg 2023, section 3.1; Ben-David et al. define twice the first two. The
// discrepancy is at most the HΔH-divergence if h is in H, as it is on logits.
//
// A line between two groups of rows can be moved until it touches both. So each half-plane of the rows is a
// side of a line through two rows, and of the rows on this line those up to some point. Three rows whose
// determinant is within rounding of its terms are on a line.
// Errors (Error): those of critic_data. Cost: n^3 for n rows, and n^4 / 8 pairs (128 rows: .1 s). Deterministic.
#pragma once

#include <cstddef>
#include <optional>

#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

inline constexpr std::size_t most_divergence_rows = 64;  // in each set

struct Divergences {
  double h = 0, h_delta_h = 0, discrepancy = 0;
};

// None beyond most_divergence_rows, two columns or two classes, and of kernel critics.
[[nodiscard]] std::optional<Divergences> divergences(const Sample& source, const Sample& target,
                                                     const Representation& representation);

}  // namespace leeway::error_bound
