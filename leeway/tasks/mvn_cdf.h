// What leeway mvn-cdf computes: P(Z <= z) of a multivariate normal Z at one or more points z.
//
// Shapes: upper (d) or (m,d), covariance (d,d) for all points or (m,d,d). Errors (Error): other shapes, those of what opens
// the arrays and of average_case/mvn_cdf.h; Interrupted, where `progress` asks to stop. A point that did not converge is no
// error. Cost and determinism: average_case/mvn_cdf.h.
#pragma once

#include <functional>
#include <string>

#include "leeway/core/array.h"
#include "leeway/core/progress.h"
#include "leeway/record/mvn_cdf.h"

namespace leeway::tasks {

struct NamedArray {
  std::string name;  // what messages call it: its path
  std::function<Array()> open;
};

struct MvnCdfTask {
  NamedArray upper, covariance;
  average_case::MvnOptions options = {};
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::MvnCdf mvn_cdf(const MvnCdfTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
