// The assessment: everything that outputs on a source and on shifted targets permit to say, in one record.
//
// For every model and target: accuracy and its interval, agreement of predictions (AFR), posterior agreement
// with its interval and curve, confidence before and after, classes and groups sorted worst first, the
// confusion of clean against shifted predictions, the samples that flip, where the source has labels an upper
// bound and estimates of the error that use none of the target's, warnings, and for everything that
// could not be computed the reason. Where several models saw the same labelled target, their accuracies are
// compared on the same samples.
//
// A target whose rows have times, or that several files hold one after the other, is also looked at over time: a
// timeline beside its result (assess/chunks.h, record/assess_timeline.h).
//
// What inputs permit: labels give accuracy; a paired target (assess/pairing.h says what shows it) gives agreement and
// flips; an unpaired, unlabelled one still gives confidences and the predicted
// class shares. With AssessOptions::paired "yes" the labels and groups of one side count for the other side too, where that
// has none. Every interval of a proportion is that of Clopper and Pearson; assess/summary.h and assess/comparison.h say how
// differences are measured. The record's size depends on models, targets, classes and groups, not on n.
//
// Errors (Error): no target, a model without a source, two sources or targets of one name, class counts or
// class names that differ, paired "yes" where n differs, a logit that is NaN or infinite; GateError: a gate that
// is none, or whose key no result has. Interrupted, where `progress` asks to stop. Cost: one pass over
// each set of logits, posterior agreement for each pair, the critics of the bound. Threads:
// leeway/core/parallel.h; the same bits for any number of them; the order of rows changes nothing but rounding,
// the choice among equal flips, which rows the bound holds out, which half of the rows searches for sub-groups, and the chance that predictions of unrelated sets
// agree as these do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/option_error.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/record/assess.h"

namespace leeway::tasks {

struct AssessSource {
  std::string model;
  Outputs outputs;
};

// Consecutive rows of a target, those of one of the files that it was joined from.
struct AssessFile {
  std::string name;
  std::size_t rows = 0;
};

struct AssessTarget {
  std::string model, shift;
  Outputs outputs;  // with times, where AssessOptions::chunk is set
  std::vector<AssessFile> files =
      {};  // in their order in time; of several, each is a chunk where AssessOptions::chunk is not set
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

// How the files of a source and of a target are read: times are asked of targets alone, where they are cut into
// chunks.
[[nodiscard]] record::OutputsReading source_reading(const record::AssessOptions& options);
[[nodiscard]] record::OutputsReading target_reading(const record::AssessOptions& options);

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Assess assess(const AssessTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
