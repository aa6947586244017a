// Which of several checkpoints posterior agreement and accuracy choose.
//
// All checkpoints have the same validation samples, clean and shifted. Labels are those given, or the first
// that a set has; without labels, only agreement chooses. Two sets are open at a time; those needed for
// labels or for comparing the two choices are reopened. SelectOptions on reading are only recorded here; the
// caller that opens sets applies them.
// Errors (Error): no checkpoint, sets that differ in rows, classes or columns (core/columns.h); those of
// opening sets and of agreement/selection.h. Interrupted on request. An open gap of a maximum is no error:
// `converged` is false. Cost and determinism: agreement/selection.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/select.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

struct NamedCheckpoint {
  std::string name;
  NamedOutputs clean, shifted;
};

struct SelectTask {
  std::vector<NamedCheckpoint> checkpoints;
  std::string labels_name = {};  // what messages call the labels below: their path
  // Labels of the n samples of k classes; where it is not set, those of the outputs.
  GivenLabels labels = {};
  record::SelectOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::Select select(const SelectTask& task, Progress* progress = nullptr);

// A line for each checkpoint whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const record::Select& record);

}  // namespace leeway::tasks
