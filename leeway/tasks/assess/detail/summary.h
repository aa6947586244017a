// One model on one target, summarised: what every sentence, table and record is made from.
//
// analyse() computes it from the outputs. `change` is the accuracy on the target minus that on the source: on
// the same samples where the target is paired, on different samples otherwise (comparison.h).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/tasks/assess/detail/bounds.h"
#include "leeway/tasks/assess/detail/cells.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/confusion.h"
#include "leeway/tasks/assess/detail/pairing.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/detail/quality.h"
#include "leeway/tasks/assess/inputs.h"

namespace leeway::assess {

struct FlipSample {
  std::size_t row = 0;
  std::optional<std::int64_t> label;
  std::int32_t clean_class = 0, shifted_class = 0;
  double clean_confidence = 0, shifted_confidence = 0;
  double agreement = 0;  // a_i at the maximiser; -infinity is possible
};

struct Summary {
  std::string model, target;
  std::size_t n = 0, source_n = 0, k = 0;
  bool paired = false, labelled = false;
  Pairing pairing;
  std::optional<Share> accuracy, source_accuracy;
  std::optional<Difference> change;
  std::optional<Share> afr_pred;
  std::optional<agreement::Agreement> agreement;
  Bounds bounds;                                    // of the error, without the target's labels
  std::optional<record::LikelyError> likely_error;  // from the estimates
  std::optional<record::AssessDrift> drift;
  std::optional<record::AssessQuality> source_quality, quality;  // where labelled
  std::optional<record::QualityChange> quality_change;
  std::optional<record::AssessSubgroups> subgroups;
  double clean_confidence = 0, shifted_confidence = 0;  // means
  std::vector<std::size_t> clean_histogram, shifted_histogram;
  std::vector<double> clean_shares, shifted_shares;  // of predicted classes
  std::vector<Cell> classes, groups;                 // worst first
  std::vector<std::size_t> confusion;                // k x k, or empty
  std::vector<TopFlip> top_flips;
  std::vector<FlipSample> flips;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> not_computed;  // key of the record -> reason

  std::optional<record::AssessTimeline> timeline;

  std::vector<std::uint8_t> correct;     // one for each row where labelled
  std::span<const std::int64_t> labels;  // of those rows, inside the outputs that were analysed
};

// Two models on the same samples of one target.
struct Comparison {
  std::string target, model, other;
  std::size_t n = 0;
  Difference difference;  // accuracy of `model` minus that of `other`
  double mcnemar_p = 1;   // exact, two-sided
};

struct AnalysedSource {
  const Source* source = nullptr;
  Predictions predictions;
  std::optional<Quality> quality = {};  // where it has labels of its own
};

// `class_names` has k entries.
[[nodiscard]] Summary analyse(const AnalysedSource& source, const Target& target,
                              const std::vector<std::string>& class_names, const Task& task,
                              Progress* progress = nullptr);

// Every pair of models that saw the same labelled samples of a target.
[[nodiscard]] std::vector<Comparison> compare_models(const std::vector<Summary>& summaries, double level);

// The worst cell that has rows and is known, or null.
[[nodiscard]] const Cell* worst(const std::vector<Cell>& cells);

}  // namespace leeway::assess
