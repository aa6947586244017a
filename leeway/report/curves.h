// Agreement curves as figures, for assessments and for plain PA records.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/report/chart.h"
#include "leeway/report/record.h"

namespace leeway::report {

struct Curve {
  std::string panel, line;  // the figure it stands in, its label
  std::size_t slot = 0;     // colour and dash, 0..series-1
  double log_k = 0;
  std::optional<double> beta, pa;
  std::vector<Point> points;  // A(beta)
  std::vector<Point> maxima;  // local ones; the global one may be among them
};

// One figure for each panel, at most `series` lines each; all share both axes: beta (logarithmic) and A(beta)
// + log k.
[[nodiscard]] std::vector<Chart> curve_charts(const std::vector<Curve>& curves);

}  // namespace leeway::report
