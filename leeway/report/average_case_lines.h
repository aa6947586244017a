// Line charts over the strength of noise and over numbers of copies, for the page of average-case robustness.
#pragma once

#include <string>
#include <vector>

#include "leeway/report/lines.h"

namespace leeway::report {

// An x axis with a tick at every value, ascending; logarithmic where the values are positive and span 20 times or
// more. position() is where a value stands on it.
struct ValueAxis {
  std::vector<double> values;
  bool logarithmic = false;
  [[nodiscard]] double position(double value) const;
  void put_on(LineAxes& axes) const;
};
[[nodiscard]] ValueAxis value_axis(std::vector<double> values);

// Figures of at most `series` lines each that share axes; x of the points is sigma. y from 0 to at most `most`.
// Nothing where there is a single sigma: the tables and the distributions say all there is.
[[nodiscard]] std::string sigma_charts(const std::string& title, const std::string& note,
                                       std::vector<Line> lines, const std::vector<double>& sigmas,
                                       double most);

}  // namespace leeway::report
