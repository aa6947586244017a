// Scores of bounds and estimates over many shifts with known error (error_bound/evaluation.h).
//
// With several data sets every method is also scored after each adjustment to each
// BoundEvaluateOptions::coverage. BoundEvaluateOptions::methods is only recorded here; the caller that opens
// the table applies it.
// Errors (Error), cost and determinism: those of opening the table and of error_bound/evaluation.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "leeway/error_bound/evaluation.h"
#include "leeway/record/bound_evaluate.h"

namespace leeway::tasks {

struct BoundEvaluateTask {
  std::string name;  // what warnings call the table: its path
  std::function<error_bound::ShiftTable()> open;
  record::BoundEvaluateOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::BoundEvaluation bound_evaluate(const BoundEvaluateTask& task);

}  // namespace leeway::tasks
