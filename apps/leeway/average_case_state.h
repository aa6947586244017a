// What a long computation of average-case robustness has done so far, in a file that a rerun goes on from.
#pragma once

#include <string>

#include "leeway/average_case/average_case.h"
#include "leeway/core/result.h"

namespace leeway::app {

// The options that decide a result, of which a plan is made with what identifies the inputs.
[[nodiscard]] Json plan_of(const average_case::AverageCaseOptions& options);

// OUT.state
[[nodiscard]] std::string state_of(const std::string& out);

// The columns of the rows done, and the plan they belong to (options and digests, as text).
void save_state(const std::string& out, const std::string& plan, const average_case::AverageCase& done);

// Rows done before under the same plan: their columns are those of `empty`, filled. None where there is no such file
// or its plan is another.
[[nodiscard]] average_case::AverageCase load_state(const std::string& out, const std::string& plan,
                                                   average_case::AverageCase empty);

void remove_state(const std::string& out);

}  // namespace leeway::app
