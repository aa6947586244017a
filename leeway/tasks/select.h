// What leeway select computes: which of several checkpoints posterior agreement and accuracy choose.
//
// All checkpoints ran on the same validation samples, clean and shifted. Labels are those given, or the first that a set
// holds; without any there is agreement alone. Sets are opened when their turn comes and let go after it, two at a time;
// one that is asked for labels, or whose rows are compared with those of the other choice, is opened again.
// SelectOptions says how sets were read; it is recorded here and heeded by those who open sets.
//
// Errors (Error): no checkpoint, sets that differ in rows or classes or are not alike (core/columns.h); those of what opens
// sets and of agreement/selection.h. Interrupted, where `progress` asks to stop. A maximum whose gap was not closed is no
// error: `converged` is false. Cost and determinism: agreement/selection.h.
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
  std::function<std::vector<std::int64_t>(std::size_t n, std::size_t k)> labels = {};
  record::SelectOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Select select(const SelectTask& task, Progress* progress = nullptr);

// A line for each checkpoint whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const record::Select& record);

}  // namespace leeway::tasks
