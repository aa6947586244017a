// leeway select: which of several checkpoints posterior agreement and accuracy choose
// (agreement/selection.h). Keys: leeway schema select.
//
// All checkpoints have the same validation samples, clean and shifted. Labels are those given, or the first
// that a set has; without labels, only agreement chooses. Two sets are open at a time; those needed for
// labels or for comparing the two choices are reopened. SelectOptions on reading are only recorded here; the
// caller that opens sets applies them.
// Errors (Error): no checkpoint, sets that differ in rows, classes or columns (io/columns.h); those of
// opening sets and of agreement/selection.h. Interrupted on request. A maximum that is not certified is not
// an error: `converged` is false. Cost and determinism: agreement/selection.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/agreement/selection.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view select_schema = "leeway.select/2";

using SelectOptions = OutputsReading;

struct SelectCheckpoint {
  std::string checkpoint;  // its name
  agreement::Checkpoint measured;
  agreement::PairEvidence pairing;
  std::string doubt;  // why the rows of its two sets need not be pairs; empty where nothing speaks against it
};

// What one criterion chooses.
struct Chosen {
  std::size_t index = 0;   // into the results
  std::string checkpoint;  // its name
};

struct Selected {
  Chosen pa;
  std::optional<Chosen> accuracy, accuracy_shifted;  // where there are labels
  // PA of the first minus that of the second, where they are two checkpoints.
  std::optional<Estimate> pa_difference;
};

struct Select {
  Envelope envelope = envelope_of(select_schema);
  SelectOptions options;
  std::vector<SelectCheckpoint> results;
  Selected selected;
};

void fields(Select& record, Fields& f);

// Error: a choice that is none of the results.
void check(const Select& record, const std::string& name);

// What agreement and accuracy choose, and how often those are right under the shift.
[[nodiscard]] std::string headline_of(const Select& record);
// By how much the agreement of the two choices differs, in a sentence; empty where they are one, and without labels.
[[nodiscard]] std::string difference_words(const Select& record);
// Rows that need not be pairs; the difference.
[[nodiscard]] std::vector<std::string> findings_of(const Select& record);

struct NamedCheckpoint {
  std::string name;
  NamedOutputs clean, shifted;
};

struct SelectTask {
  std::vector<NamedCheckpoint> checkpoints;
  std::string labels_name = {};  // what messages call the labels below: their path
  // Labels of the n samples of k classes; where it is not set, those of the outputs.
  GivenLabels labels = {};
  SelectOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Select select(const SelectTask& task, Progress* progress = nullptr);

// A line for each checkpoint whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const Select& record);

[[nodiscard]] View view(const Select& record);

}  // namespace leeway::tasks
