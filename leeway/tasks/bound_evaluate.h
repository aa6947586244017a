// What leeway bound evaluate computes: scores of bounds and estimates over many shifts whose truth is known.
//
// With several data sets every method is also scored after each adjustment to each coverage of
// BoundEvaluateOptions::coverage (error_bound/evaluation.h). BoundEvaluateOptions::methods is recorded here and heeded by
// those who open the table.
//
// Errors (Error): those of what opens the table, and of error_bound/evaluation.h. Cost and determinism: there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "leeway/error_bound/shift_table.h"
#include "leeway/record/bound_evaluate.h"

namespace leeway::tasks {

struct BoundEvaluateTask {
  std::string name;  // what warnings call the table: its path
  std::function<error_bound::ShiftTable()> open;
  record::BoundEvaluateOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::BoundEvaluation bound_evaluate(const BoundEvaluateTask& task);

}  // namespace leeway::tasks
