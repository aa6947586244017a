// leeway calibration: whether the confidences of classifiers are shares of right predictions. Keys: leeway
// schema calibration.
//
// The labelled rows of each set fall into 15 bins by confidence, the largest softmax probability: of equal
// width over [0,1], or with equal numbers of rows, where equal confidences share a bin. The error is
// sum_b |sum of confidence - number of right rows in bin b| / n (Guo et al. 2017). Bins without rows are left
// out. Accuracies have Clopper-Pearson intervals of level 95%.
// Errors (Error): no set, a set without labels, sets that differ (io/columns.h); those of opening sets.
// Interrupted on request. Cost: a sort of the rows. Results do not depend on threads or the order of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view calibration_schema = "leeway.calibration/1";
inline constexpr std::string_view calibration_results = "one for each set, in the order given";

struct CalibrationOptions : OutputsReading {
  std::string bins = "equal-width";  // "equal-width", "equal-mass"
};

struct CalibrationBin {
  std::size_t n = 0;
  double low = 0, high = 0;  // the least and the largest confidence
  double confidence = 0;     // mean
  Measured accuracy;
};

struct CalibrationSet {
  std::string outputs;    // the path as it was given
  std::size_t n = 0;      // labelled rows
  double error = 0;       // ECE
  double confidence = 0;  // mean
  Measured accuracy;
  std::vector<CalibrationBin> bins;
};

using Calibration = RecordOf<calibration_schema, CalibrationOptions, CalibrationSet, calibration_results>;

void fields(CalibrationOptions& options, Fields& f);
void fields(CalibrationSet& set, Fields& f);

[[nodiscard]] std::string headline_of(const Calibration& record);

struct CalibrationTask {
  std::vector<NamedOutputs> sets;
  CalibrationOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Calibration calibration(const CalibrationTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Calibration& record);

}  // namespace leeway::tasks
