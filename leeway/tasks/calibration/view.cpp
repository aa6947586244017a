#include <fmt/format.h>

#include "leeway/tasks/calibration/calibration.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Blocks calibration_chart(const Calibration& record) {
  Json points = Json::array();
  std::vector<std::string> names;
  for (const CalibrationSet& set : record.results) {
    for (const CalibrationBin& bin : set.bins)
      points.push_back(
          {{"set", set.outputs},
           {"slot", names.size()},
           {"from", brief(bin.low)},
           {"n", bin.n},
           {"confidence", brief(bin.confidence)},
           {"accuracy", brief(bin.accuracy.value)},
           {"low", brief(bin.accuracy.low)},
           {"high", brief(bin.accuracy.high)},
           {"words", fmt::format("{}\nmean confidence {}, {} right\nn = {}", set.outputs,
                                 percent(bin.confidence), percent(bin.accuracy), count(bin.n))}});
    names.push_back(set.outputs);
  }
  return model_legend(names) + chart_grid({{"reliability",
                                            "Accuracy against confidence",
                                            record.options.bins + " bins",
                                            "Accuracy against mean confidence by bin of confidence",
                                            {{"points", std::move(points)}}}});
}

Blocks calibration_table(const Calibration& record) {
  const std::vector<ColumnOf<CalibrationSet>> columns{
      {text_column("Outputs"), &CalibrationSet::outputs},
      {number_column("ECE", "Expected calibration error over 15 bins"),
       [](const CalibrationSet& set) { return percent_cell(set.error, 1); }},
      {number_column("Confidence", "Mean confidence"),
       [](const CalibrationSet& set) { return percent_cell(set.confidence, 1); }},
      {interval_column("Accuracy"), &CalibrationSet::accuracy},
      {number_column("n", "Samples with a label"), &CalibrationSet::n}};
  return table_of("Every set", columns, record.results).block();
}

}  // namespace

View view(const Calibration& record) {
  Blocks lead = paragraph(
      "On the dashed line, confidence is the share of right predictions; below the line, a model is more "
      "confident than right.");
  return view_of("calibration", record.envelope,
                 std::move(lead) + calibration_chart(record) + in_both(calibration_table(record)));
}

}  // namespace leeway::tasks
