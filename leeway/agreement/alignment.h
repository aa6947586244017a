// PCA feature alignment: does the first principal direction survive? (Carvalho et al. 2025, appendix D.)
//
// For each of two paired feature sets Phi (n,d), v is the leading eigenvector of the covariance matrix, or
// with `standardize` of the correlation matrix, where constant features count as 0 (as in the paper's code).
// The projections z'_i = <Phi'_i, v'> and z''_i = <Phi''_i, v''> are rescaled to [-1,1] by the minimum and
// maximum of their set. Signs: the largest component of v' is positive, and z'' covaries positively with z'.
// Results:
//   cross-domain error   mean (z''_i - z'_i)^2, in [0,4]
//   correlation          of z' and z'' over pairs
//   explained variance   share of the total variance along v, for each set
//   angle                between v' and v'', 0 to 180 degrees
//   class variance       for each set, within-class variance of z / total variance; 0: the class determines z
// If error and class variance are both small, the direction encodes the task and survives the shift.
//
// Intervals are percentile bootstraps over pairs with fixed directions and scales. If two directions explain
// equally much, v is either of them.
// Errors (Error): fewer than 2 rows, different shapes, all features constant, labels of another length,
// values not finite or not below 1e140. Cost, m = min(n,d): time n d m + m^3, memory n d + m^2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

struct AlignmentOptions {
  bool standardize = false;
  BootstrapOptions bootstrap = {};
};

// One of the two sets.
struct PrincipalDirection {
  double explained = 0;
  std::vector<double> projections;         // (n) in [-1,1]
  std::optional<Estimate> class_variance;  // nothing without labels
};

struct Alignment {
  double cross_domain_error = 0;
  Interval cross_domain_error_interval;
  double correlation = 0, angle = 0;
  PrincipalDirection clean, shifted;
};

// Both (n,d), float32 or float64; `labels` (n) or empty. Names are for errors.
[[nodiscard]] Alignment feature_alignment(const Array& clean, std::string_view clean_name,
                                          const Array& shifted, std::string_view shifted_name,
                                          std::span<const std::int64_t> labels,
                                          const AlignmentOptions& options = {});

}  // namespace leeway::agreement
