// What leeway pa found, between its computation (pa_analysis.h) and what is said of it (pa_record.h, pa_table.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/ar_gap.h"
#include "leeway/agreement/confidence.h"
#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/entropy.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/agreement/ratios.h"

namespace leeway::app {

// One shifted set of one model.
struct PaResult {
  std::string model, shifted;  // shifted: the path as it was given
  agreement::Agreement agreement;
  std::optional<agreement::PairEvidence> evidence;  // that row i is row i, where rows are taken as given
  std::string doubt;                                // why they need not be; empty where evidence shows it
  std::optional<agreement::Decomposition> decomposition;  // where there are labels
  std::vector<agreement::RatioPoint> sweep;               // --ratios
  std::optional<agreement::Entropies> entropy;            // --summaries
  std::optional<agreement::Confidences> confidence;       // --summaries
};

// Two models under the same shift, which bears the path of the first model's set.
struct PaGap {
  std::size_t place = 0;  // of the shift among each model's sets
  std::string shifted, plus, minus;
  std::vector<agreement::ArGapPoint> points;
};

struct PaResults {
  std::vector<PaResult> sets;  // model by model, each in the order of its files
  std::vector<PaGap> gaps;
  bool several_models = false, with_gaps = false;  // with_gaps: asked for, even if none could be had
  double level = .95;
};

}  // namespace leeway::app
