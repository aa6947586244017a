// The record of leeway mvn-cdf: probabilities of multivariate normal variables (average_case/mvn_cdf.h).
// docs/schema/mvn-cdf.md lists the keys.
#pragma once

#include <string>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/record/envelope.h"

namespace leeway::average_case {

void fields(MvnProbability& p, record::Fields& f);
void fields(MvnOptions& options, record::Fields& f);  // tolerances and points; the seed is the envelope's

}  // namespace leeway::average_case

namespace leeway::record {

inline constexpr std::string_view mvn_cdf_schema = "leeway.mvn-cdf/2";
inline constexpr std::string_view mvn_cdf_results = "one for each point, in the order given";

using MvnCdf =
    RecordOf<mvn_cdf_schema, average_case::MvnOptions, average_case::MvnProbability, mvn_cdf_results>;

[[nodiscard]] std::size_t missed(const MvnCdf& record);  // points that did not converge
// The probability, or the range of several. At least one result.
[[nodiscard]] std::string headline_of(const MvnCdf& record);
// How many points are not within the tolerance.
[[nodiscard]] std::vector<std::string> findings_of(const MvnCdf& record);

}  // namespace leeway::record
