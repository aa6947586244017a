// Assesses outputs on a source and on shifted targets, in one record.
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
//
// The record of leeway assess: every result from outputs on a source and on shifted targets.
//
// One result for each model and target. What was not computed is empty; `not_computed` says why. Class
// indices begin at 0, ties for the top class go to the lowest. Confidence is the largest softmax probability
// at inverse temperature 1. "clean": source, "shifted": target. Keys: leeway schema assess.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/core/error.h"
#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/parts.h"
#include "leeway/tasks/assess/timeline.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/described_shifts.h"
#include "leeway/tasks/likely_error.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/pictures.h"

namespace leeway::tasks {

inline constexpr std::string_view assess_schema = "leeway.assess/4";

struct AssessOptions : OutputsReading {
  std::string paired = "auto";       // "auto", "yes", "no"
  std::optional<std::string> unit;   // what a row is, for sentences; "samples" where it is not said
  std::optional<std::string> chunk;  // "1d", "1000": how targets are cut over time (tasks/assess/chunks.h)
  std::string undecided = "fail";    // what a gate without a number does: "pass", "fail"
  bool no_bounds = false;
  std::size_t restarts = 3;   // critics; each further one can only raise the bound
  double delta = .01;         // the bound holds with probability 1 - delta, where its assumption does
  std::size_t bootstrap = 0;  // replicates of the estimates' intervals; 0: none
};

// How errors are bounded and estimated without labels, and what that assumes.
struct AssessBounds {
  std::string representation;
  double delta = 0;
  std::size_t restarts = 0, bootstrap = 0;
  std::string assumption;            // of the bound, in a sentence
  std::string likely;                // what the likely range is, and how often it held, in a sentence
  std::vector<ErrorMethod> methods;  // that estimate errors
};

// Two models on the same samples of one target.
struct AssessComparison {
  std::string target, model, other;
  std::size_t n = 0;
  Measured difference;   // accuracy of `model` minus that of `other`
  double mcnemar_p = 1;  // exact, two-sided
  bool clear = false;    // the interval leaves out 0

  [[nodiscard]] AssessComparison turned() const;  // of `other` with `model`
};

// A condition under which a run counts as failed.
struct AssessGate {
  std::string gate, key, op;  // the text, and its parts
  double threshold = 0;
  struct Violation {
    std::string model, target;
    double value = 0;
  };
  // Of the chunks of one timeline.
  struct Chunks {
    std::string model, target, first;  // the first chunk for which it holds
    std::optional<double> start;       // of that
    double value = 0;                  // in it
    std::size_t violated = 0, judged = 0;
  };
  struct Undecided {
    std::string model, target, reason;
  };
  std::vector<Violation> violations;
  std::vector<Chunks> chunks;           // timelines with a chunk for which the condition holds
  std::vector<Undecided> not_computed;  // results in which the value was not computed

  [[nodiscard]] bool violated() const { return !violations.empty() || !chunks.empty(); }
  // A value of the key as the gate says its threshold: "79.7%" of accuracy<90%, "0.797" of accuracy<0.9.
  [[nodiscard]] std::string value_text(double value) const;
  // "accuracy 79.7% < 90%"
  [[nodiscard]] std::string comparison(double value) const;
};

// "failed: accuracy 0.74 < 0.8 (cnn under noise) and 2 others", "passed: ..." or "undecided: ...", of `results`.
[[nodiscard]] std::string gate_words(const AssessGate& gate, std::size_t results);

// The samples of one class, of one level of an attribute, or of both together.
struct AssessCell {
  std::optional<std::size_t> index;  // of a class
  std::string group;                 // the attribute, or "class / background"; empty for a class
  std::string name;                  // of the class, or the level
  std::size_t n = 0, source_n = 0;   // rows of the target, of the source
  Measured accuracy, source_accuracy, afr_pred;
};

struct AssessConfidence {
  std::vector<double> edges;                // of bins of equal width over [0,1]
  std::vector<std::size_t> clean, shifted;  // counts
  double clean_mean = 0, shifted_mean = 0;
};

struct AssessShares {
  std::vector<double> clean, shifted;
};

struct AssessTopFlip {
  std::size_t from = 0, to = 0, count = 0;  // predicted classes
};

struct AssessFlip {
  std::size_t row = 0;
  std::optional<std::size_t> label;
  std::size_t clean_pred = 0, shifted_pred = 0;
  double clean_confidence = 0, shifted_confidence = 0;
  double agreement = 0;  // a_i at the maximiser; -infinity is possible
};

struct AssessResult {
  std::string model, target;
  std::size_t n = 0, source_n = 0, k = 0;
  bool paired = false, labelled = false;
  agreement::PairEvidence pairing;  // its reason also says why rows are not taken for pairs
  Measured accuracy, source_accuracy;
  Measured accuracy_change;  // accuracy minus source accuracy
  Measured afr_pred;
  std::optional<double> afr_true;
  Measured pa;
  std::optional<double> pa_normalized, log_pa_mean, beta, gap;
  std::optional<double> error_bound;
  std::optional<error_bound::Dis2> error_bound_terms;
  std::vector<error_bound::Estimate> estimates;
  std::optional<LikelyError> likely_error;               // the answer where labels are missing
  std::optional<AssessDrift> drift;                      // empty in records older than it
  std::optional<AssessQuality> source_quality, quality;  // where there are labels
  std::optional<QualityChange> quality_change;
  std::optional<AssessSubgroups> subgroups;                // where the target has labels and groups
  std::vector<agreement::CurvePoint> curve, local_maxima;  // of A(beta), sorted by beta
  AssessConfidence confidence;
  std::vector<AssessCell> classes, groups;          // worst first
  std::vector<std::vector<std::size_t>> confusion;  // counts[clean][shifted]
  std::vector<AssessTopFlip> top_flips;
  std::vector<AssessFlip> flips;
  AssessShares shares;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> not_computed;  // key -> reason

  // The first of `classes`, of `groups`, where it has rows; else null.
  [[nodiscard]] const AssessCell* worst_class() const;
  [[nodiscard]] const AssessCell* worst_group() const;
  // Why `key` is absent, in words for the reader.
  [[nodiscard]] std::string reason(std::string_view key) const;
  // What to sort by, the worst having the lowest: results with labels by accuracy; then pairs by AFR; then those
  // with a bound by that and by the middle of the estimates, with estimates alone, by mean confidence.
  [[nodiscard]] std::array<double, 3> rank() const;
};

// Shifts of labels and groups that these models met.
struct AssessShifts {
  std::vector<std::string> models;
  std::string target;  // empty: the source alone
  std::vector<std::string> left_out;
  DescribedShifts shifts;
};

struct Assess {
  Envelope envelope = envelope_of(assess_schema);
  AssessOptions options;
  std::vector<std::string> models, targets, class_names;
  double level = .95;  // of every interval
  std::optional<AssessBounds> bounds;
  std::vector<AssessShifts> shifts;
  std::vector<AssessComparison> comparisons;
  std::optional<AssessSeeds> seeds;
  std::vector<ModelUnderNoise> average_case;  // predictions under noise, one a model
  std::vector<AssessGate> gates;
  std::vector<AssessResult> results;
  std::vector<AssessTimeline> timelines;  // of results that are cut into chunks, in their order

  [[nodiscard]] std::string class_name(std::size_t index) const;
  [[nodiscard]] std::size_t k() const { return class_names.size(); }
  [[nodiscard]] double log_k() const;  // the largest posterior agreement
  // No gate is violated, nor undecided without --undecided pass.
  [[nodiscard]] bool passed() const;
  [[nodiscard]] std::size_t model_index(std::string_view model) const;
  [[nodiscard]] const AssessResult* find(std::string_view model, std::string_view target) const;
  // `results` by rank.
  [[nodiscard]] std::vector<const AssessResult*> worst_first() const;
};

void fields(AssessOptions& options, Fields& f);
void fields(AssessResult& result, Fields& f);
void fields(Assess& record, Fields& f);

// Errors (Error): lists whose lengths do not fit; those of check for its models under noise and its shifts.
void check(const Assess& record, const std::string& name);

// Of group columns whose groups are bins of numbers (io/groups.h): the number of every row, NaN where it is missing.
using AssessNumbers = std::map<std::string, std::vector<double>>;

struct AssessSource {
  std::string model;
  Outputs outputs;
  AssessNumbers numbers = {};  // made by assess
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
  AssessNumbers numbers = {};          // made by assess
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
  AssessOptions options = {};  // binary and as are recorded here and heeded by those who open outputs
  double level = .95;
  std::uint64_t seed = 0;
  std::size_t flips = 24;                            // samples that flip, kept in the record for each target
  std::function<void(const AssessRows&)> rows = {};  // called once a target, in order
  std::function<std::vector<ModelUnderNoise>()> noise = {};  // called after the gates
};

class GateError : public OptionError {
 public:
  using OptionError::OptionError;
};

// How to read the files of a source and of a target; only targets that are cut into chunks have times.
[[nodiscard]] OutputsReading source_reading(const AssessOptions& options);
[[nodiscard]] OutputsReading target_reading(const AssessOptions& options);

// Numbers labels, aligns classes and bins groups in the task itself; arrays of logits are shared.
[[nodiscard]] Assess assess(AssessTask task, Progress* progress = nullptr);

[[nodiscard]] View view(const Assess& record, const Pictures& pictures = {}, const PageOptions& options = {});

}  // namespace leeway::tasks

// The names that the files of tasks/assess use.
namespace leeway::assess {

using Source = tasks::AssessSource;
using Target = tasks::AssessTarget;
using TargetRows = tasks::AssessRows;
using Task = tasks::AssessTask;

}  // namespace leeway::assess
