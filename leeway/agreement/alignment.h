// PCA feature alignment: whether the strongest direction of the features is the same before and after a shift (Carvalho et al. 2025,
// appendix D).
//
// For each of two paired sets of features Phi (n,d), v is the first principal direction: the leading eigenvector of the features'
// covariance; with `standardize` of their correlations, features that do not vary counting as 0, as the paper's program has it. The
// projections of sample i are z'_i = <Phi'_i, v'> and z''_i = <Phi''_i, v''>, each set rescaled to [-1,1] by its least and
// largest one. A direction's sign is arbitrary: v' has a positive largest component, and v'' the sign with which z' and z''
// covary positively. Reported are
//   cross-domain error   mean (z''_i - z'_i)^2, in [0,4]
//   correlation          of z' and z'' over pairs
//   explained variance   share of all variance that lies along v, of each set
//   angle                between v' and v'', 0 to 180 degrees
//   class variance       of each set, variance of z within classes over all its variance: 0 where the class alone decides
// Small error and small class variance together mean that the strongest direction is the task's and outlasts the shift.
//
// Intervals are percentile bootstraps over pairs with directions and scales held. Where two directions explain equally much, v is
// any of them. Errors (Error): fewer than 2 rows, other shapes, features of which none varies, labels of another length, values
// that are not finite or not below 1e140. Cost: with m = min(n,d), n d m + m^3 in time, one thread, n d + m^2 in memory.
#pragma once

#include <cstddef>
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

struct ClassVariance {
  double share = 0;
  Interval interval;
};

// One of the two sets.
struct PrincipalDirection {
  double explained = 0;
  std::vector<double> projections;              // (n) in [-1,1]
  std::optional<ClassVariance> class_variance;  // nothing without labels
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
