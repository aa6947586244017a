// P(Z <= z) of a multivariate normal Z at points z. Shapes: upper (d) or (m,d), covariance (d,d) for all
// points or (m,d,d).
// Errors (Error): other shapes, those of opening the arrays and of average_case/mvn_cdf.h; a point that did
// not converge is no error. Interrupted on request. Cost and determinism: average_case/mvn_cdf.h.
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

[[nodiscard]] record::MvnCdf mvn_cdf(const MvnCdfTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
