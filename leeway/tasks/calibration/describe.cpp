#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/calibration/calibration.h"

namespace leeway::tasks {

static void fields(CalibrationBin& bin, Fields& f) {
  f("n", bin.n, at_least(1), "number of samples");
  f("low", bin.low, a_share, "least confidence");
  f("high", bin.high, a_share, "largest confidence");
  f("confidence", bin.confidence, a_share, "mean confidence");
  measured(f, "accuracy", bin.accuracy, a_share, "accuracy on these samples");
}

void fields(CalibrationSet& set, Fields& f) {
  f("outputs", set.outputs, "path of the outputs, as given");
  f("n", set.n, at_least(1), "samples with a label");
  f("error", set.error, a_share, "expected calibration error over the bins");
  f("confidence", set.confidence, a_share, "mean confidence");
  measured(f, "accuracy", set.accuracy, a_share, "accuracy");
  f("bins", set.bins, "bins of confidence with samples, in order");
}

void fields(CalibrationOptions& options, Fields& f) {
  f.choice("bins", options.bins,
           {{"equal-width", "of equal width over [0,1]"}, {"equal-mass", "of equally many samples"}},
           "15 bins of confidence");
  fields(static_cast<OutputsReading&>(options), f);
}

std::string headline_of(const Calibration& record) {
  std::vector<std::string> sets;
  for (const CalibrationSet& set : record.results)
    sets.push_back(fmt::format("{} of {}", percent(set.error, 1), display_name(set.outputs)));
  return fmt::format("The expected calibration error is {}.", fmt::join(sets, ", "));
}

}  // namespace leeway::tasks
