// The assessment: everything that outputs on a source and on shifted targets permit to say, in one record.
//
// For every model and target: accuracy and its interval, agreement of predictions (AFR), posterior agreement
// with its interval and curve, confidence before and after, classes and groups sorted worst first, the
// confusion of clean against shifted predictions, the samples that flip, where the source has labels an upper
// bound and estimates of the error that use none of the target's, warnings, and for everything that
// could not be computed the reason. Where several models saw the same labelled target, their accuracies are
// compared on the same samples.
//
// What inputs permit: labels give accuracy; a paired target (pairing.h says what shows it) gives agreement and
// flips; an unpaired, unlabelled one still gives confidences and the predicted
// class shares. With Paired::yes the labels and groups of one side count for the other side too, where that
// has none. Every interval of a proportion is that of Clopper and Pearson; summary.h and comparison.h say how
// differences are measured.
//
// The record (schema "leeway.assess/1"; docs/assess-record.md says every key) is what leeway/report draws.
// Its size depends on models, targets, classes and groups, not on n.
//
// Errors (Error): no target, a model without a source, two sources or targets of one name, class counts or
// class names that differ, Paired::yes where n differs, a logit that is NaN or infinite. Cost: one pass over
// each set of logits, posterior agreement for each pair, the critics of the bound. Threads:
// leeway/core/parallel.h; the same bits for any number of them; the order of rows changes nothing but rounding,
// the choice among equal flips, which rows the bound holds out, and the chance that predictions of unrelated sets
// agree as these do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/core/result.h"

namespace leeway::assess {

enum class Paired { automatic, yes, no };

struct Source {
  std::string model;
  Outputs outputs;
};

struct Target {
  std::string model, shift;
  Outputs outputs;
};

// What is known of every row of one target; empty where it is not known. Valid only during the call of
// RowSink.
struct TargetRows {
  std::string_view model, target;
  std::span<const std::int64_t> labels;
  std::span<const std::int32_t> clean_classes, shifted_classes;    // predicted; ties: lowest class
  std::span<const double> clean_confidences, shifted_confidences;  // largest softmax probability, at beta = 1
  std::span<const double> agreements;                              // a_i at the maximiser
};
using RowSink = std::function<void(const TargetRows&)>;

// The error without the target's labels (bounds.h). Cost grows with restarts and replicates, hence few.
struct BoundOptions {
  bool compute = true;
  std::size_t restarts = 3;   // critics; each further one can only raise the bound
  std::size_t bootstrap = 0;  // replicates of the estimates' intervals; 0: none
  double delta = .01;         // the bound holds with probability 1 - delta, where its assumption does
};

struct Options {
  Paired paired = Paired::automatic;
  double level = .95;
  std::uint64_t seed = 0;
  std::size_t flips = 24;        // samples that flip, kept in the record for each target
  std::string unit = "samples";  // what one row is, for sentences: "images", "reviews"
  BoundOptions bounds;
  RowSink rows;  // called once a target, in order, where it is set
};

// The page-wide keys of the record ("headline", "findings", "models", "targets", "class_names", "bounds",
// "shifts", "comparisons") and its "results", without the envelope that a command adds.
[[nodiscard]] Json assess(const std::vector<Source>& sources, const std::vector<Target>& targets,
                          const Options& options = {}, Progress* progress = nullptr);

}  // namespace leeway::assess
