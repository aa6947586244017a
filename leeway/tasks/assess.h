// Assesses outputs on a source and on shifted targets, in one record (record/assess.h).
//
// Labels give accuracy; a paired target (assess/detail/pairing.h) gives agreement and flips; an unpaired,
// unlabelled one gives confidences and predicted class shares. With AssessOptions::paired "yes" either side's
// labels and groups count for the other if it has none. A target with times, or of several files, also has a
// timeline (assess/chunks.h). Proportions have Clopper-Pearson intervals; differences:
// assess/detail/comparison.h. The record's size does not depend on n.
//
// Errors (Error): no target, a model without a source, two sources or targets of one name, class counts or
// names that differ, paired "yes" where n differs, a logit that is NaN or infinite; GateError: an invalid
// gate, or a key that no result has. Interrupted on request. Cost: one pass over each set of logits,
// posterior agreement for each pair, the critics of the bound. Same bits for any number of threads. The order
// of rows changes only rounding, the choice among equal flips, the bound's held-out rows, the search half for
// sub-groups, and the chance that predictions of unrelated sets agree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/record/assess.h"

namespace leeway::tasks {

// A group column of numbers, whose groups are bins (core/groups.h).
struct AssessNumbers {
  std::string name;
  std::vector<double> values;  // of every row; NaN: missing
};

struct AssessSource {
  std::string model;
  Outputs outputs;
  std::vector<AssessNumbers> numbers = {};  // made by assess
};

// Consecutive rows of a target, those of one of the files that it was joined from.
struct AssessFile {
  std::string name;
  std::size_t rows = 0;
};

struct AssessTarget {
  std::string model, shift;
  Outputs outputs;                     // with times, where AssessOptions::chunk is set
  std::vector<AssessFile> files = {};  // in order of time; several are chunks without AssessOptions::chunk
  std::vector<AssessNumbers> numbers = {};  // made by assess
};

// What is known of every row of one target; empty where it is not known. Valid only during the call.
struct AssessRows {
  std::string_view model, target;
  std::span<const std::int64_t> labels;
  std::span<const std::int32_t> clean_classes, shifted_classes;    // predicted; ties: lowest class
  std::span<const double> clean_confidences, shifted_confidences;  // largest softmax probability, at beta = 1
  std::span<const double> agreements;                              // a_i at the maximiser
};

struct AssessTask {
  std::vector<AssessSource> sources;
  std::vector<AssessTarget> targets;
  std::vector<std::string> gates = {};  // "accuracy<0.8" (assess/gates.h)
  record::AssessOptions options = {};  // binary and as are recorded here and heeded by those who open outputs
  double level = .95;
  std::uint64_t seed = 0;
  std::size_t flips = 24;                            // samples that flip, kept in the record for each target
  std::function<void(const AssessRows&)> rows = {};  // called once a target, in order
  std::function<std::vector<record::ModelUnderNoise>()> noise = {};  // called after the gates
};

class GateError : public OptionError {
 public:
  using OptionError::OptionError;
};

// How to read the files of a source and of a target; only targets that are cut into chunks have times.
[[nodiscard]] record::OutputsReading source_reading(const record::AssessOptions& options);
[[nodiscard]] record::OutputsReading target_reading(const record::AssessOptions& options);

// Numbers labels, aligns classes and bins groups in the task itself; arrays of logits are shared.
[[nodiscard]] record::Assess assess(AssessTask task, Progress* progress = nullptr);

}  // namespace leeway::tasks

// The names that the files of tasks/assess use.
namespace leeway::assess {

using Source = tasks::AssessSource;
using Target = tasks::AssessTarget;
using TargetRows = tasks::AssessRows;
using Task = tasks::AssessTask;

}  // namespace leeway::assess
