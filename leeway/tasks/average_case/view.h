// The data of the page of a model under noise, and the sections drawn from these data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/describe/view.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/average_case/words.h"

namespace leeway::tasks {

// Valid as long as the record is.
struct RobustnessView {
  explicit RobustnessView(const Robustness& robustness);

  const Robustness& found;
  std::vector<std::string> methods;  // in the order of the record
  std::vector<double> sigmas;        // ascending, as those of
  std::vector<Compared> compared;
  std::vector<Ranking> rankings;

  // Probabilities, or scores. A method's place here is its colour in every chart.
  [[nodiscard]] std::vector<std::string> of_kind(bool probabilities) const;
};

[[nodiscard]] std::string sigma_words(double sigma);  // "0.05"
[[nodiscard]] Cell sigma_cell(double sigma);
// A quantile of p; a dash with `none` where there is no sample.
[[nodiscard]] Cell quantile_cell(const average_case::Distribution& p, std::size_t quantile,
                                 std::string_view none);

// A row of a chart of quantiles; slot 1 is set off from the others.
struct SpreadRow {
  std::string name, group;  // the row's; what stands before it in the numbers
  average_case::Distribution p;
  bool set_off = false;
};
// Rows below each other on an axis from 0 to 1: 5 to 95%, the middle half, the median, the mean. Data set "rows".
[[nodiscard]] Chart spread_chart(const std::string& title, const std::string& note, const std::string& what,
                                 const std::vector<SpreadRow>& rows);
[[nodiscard]] Blocks spread_key(const std::string& set_off);  // empty: no row is set off

// Sections, in the files average_case_NAME.cpp.
[[nodiscard]] Section error_section(const RobustnessView& record);
[[nodiscard]] Section class_bias_section(const RobustnessView& record);
[[nodiscard]] Section group_bias_section(const RobustnessView& record);
[[nodiscard]] Section ranking_section(const RobustnessView& record, const Pictures& pictures,
                                      const PageOptions& options);
[[nodiscard]] Section certified_section(const RobustnessView& record);
[[nodiscard]] Section convergence_section(const RobustnessView& record);
[[nodiscard]] Section runtime_section(const RobustnessView& record);

}  // namespace leeway::tasks
