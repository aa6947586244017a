// leeway mvn-cdf: P(Z <= z) of a multivariate normal Z at points z (average_case/mvn_cdf.h). Shapes: upper
// (d) or (m,d), covariance (d,d) for all points or (m,d,d). Keys: leeway schema mvn-cdf.
// Errors (Error): other shapes, those of opening the arrays and of average_case/mvn_cdf.h; a point that did
// not converge is not an error. Interrupted on request. Cost and determinism: average_case/mvn_cdf.h.
#pragma once

#include <string>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/array.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"

namespace leeway::average_case {

void fields(MvnProbability& p, Fields& f);
void fields(MvnOptions& options, Fields& f);  // tolerances and points; the seed is the envelope's

}  // namespace leeway::average_case

namespace leeway::tasks {

inline constexpr std::string_view mvn_cdf_schema = "leeway.mvn-cdf/2";
inline constexpr std::string_view mvn_cdf_results = "one result for each point, in the order given";

struct MvnCdf
    : RecordOf<mvn_cdf_schema, average_case::MvnOptions, average_case::MvnProbability, mvn_cdf_results> {};

[[nodiscard]] std::size_t missed(const MvnCdf& record);  // points that did not converge
// The probability, or the range of several. At least one result.
[[nodiscard]] std::string headline_of(const MvnCdf& record);
// How many points are not within the tolerance.
[[nodiscard]] std::vector<std::string> findings_of(const MvnCdf& record);

struct NamedArray {
  std::string name;  // what messages call it: its path
  Array array;
};

struct MvnCdfTask {
  NamedArray upper, covariance;
  average_case::MvnOptions options = {};
};

[[nodiscard]] MvnCdf mvn_cdf(const MvnCdfTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const MvnCdf& record);

}  // namespace leeway::tasks
