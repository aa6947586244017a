// One model on one target: its result in the record, and values for sentences and comparisons. The change of
// accuracy is on the same samples for a paired target, else on different ones (comparison.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/pairing.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/detail/quality.h"

namespace leeway::assess {

struct Summary : tasks::AssessResult {
  Pairing pairs;
  bool converged = true;  // the maximum of posterior agreement
  std::optional<tasks::AssessTimeline> timeline;
  std::vector<std::uint8_t> correct;  // one for each row with a label
  std::vector<std::int64_t> labels;   // of all rows
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

struct Evidence {
  const Outputs &source, &target;
  const Predictions &before, &after;
  const Summary& summary;  // complete but for its warnings
};
// What a reader should know before believing the numbers: complete sentences, none where all is well.
[[nodiscard]] std::vector<std::string> find_warnings(const Evidence& evidence);

// Every pair of models that saw the same labelled samples of a target.
[[nodiscard]] std::vector<tasks::AssessComparison> compare_models(const std::vector<Summary>& summaries,
                                                                  double level);

}  // namespace leeway::assess
