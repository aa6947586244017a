#include "leeway/error_bound/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "leeway/core/error.h"

namespace leeway::error_bound {
namespace {

void check(std::span<const Shift> shifts) {
  if (shifts.empty()) throw Error("evaluation: expected at least 1 shift, found none");
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto [bad, what] = !(shifts[i].truth >= 0 && shifts[i].truth <= 1)
                                 ? std::pair{shifts[i].truth, "truth"}
                                 : std::pair{shifts[i].predicted, "prediction"};
    if (!(bad >= 0 && bad <= 1))
      throw Error(fmt::format("evaluation: expected a {} within 0 to 1, found {} at row {}", what, bad, i));
  }
}

double lower_quantile(std::vector<double> values, double p) {
  const auto rank = static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// What is taken from, or multiplied to, predictions so that those given are covered as often as wanted.
double learn(const std::vector<const Shift*>& others, Adjustment adjustment, double coverage) {
  std::vector<double> values;
  for (const Shift* shift : others) {
    if (adjustment == Adjustment::shift)
      values.push_back(shift->truth - shift->predicted);
    else
      values.push_back(shift->predicted > 0 ? shift->truth / shift->predicted - 1e-8
                                            : std::numeric_limits<double>::infinity());
  }
  const double q = lower_quantile(std::move(values), 1 - coverage);
  return adjustment == Adjustment::shift ? -std::min(q, 0.) : std::clamp(q, 0., 1.);
}

}  // namespace

Score score(std::span<const Shift> shifts, double level) {
  check(shifts);
  Score result;
  result.n = shifts.size();
  std::size_t covered = 0;
  double distance = 0, excess = 0;
  for (const Shift& shift : shifts) {
    distance += std::abs(shift.truth - shift.predicted);
    if (shift.predicted <= shift.truth)
      ++covered;
    else
      excess += shift.predicted - shift.truth;
  }
  const double n = static_cast<double>(result.n);
  result.mae = distance / n;
  result.coverage = static_cast<double>(covered) / n;
  result.coverage_interval = clopper_pearson(covered, result.n, level);
  if (covered < result.n) result.overestimation = excess / (n - static_cast<double>(covered));
  return result;
}

std::vector<Shift> adjust(std::span<const Shift> shifts, Adjustment adjustment, double coverage) {
  check(shifts);
  if (!(coverage > 0 && coverage < 1))
    throw Error(fmt::format("adjust: coverage: expected a number within (0, 1), found {}", coverage));
  std::map<std::string, double> learnt;
  for (const Shift& shift : shifts) learnt[shift.data_set] = 0;
  if (learnt.size() < 2) throw Error("adjust: expected at least 2 data sets, one of them held out, found 1");
  for (auto& [data_set, value] : learnt) {
    std::vector<const Shift*> others;
    for (const Shift& shift : shifts)
      if (shift.data_set != data_set) others.push_back(&shift);
    value = learn(others, adjustment, coverage);
  }
  std::vector<Shift> adjusted(shifts.begin(), shifts.end());
  for (Shift& shift : adjusted) {
    const double value = learnt[shift.data_set];
    shift.predicted =
        adjustment == Adjustment::shift ? std::max(0., shift.predicted - value) : shift.predicted * value;
  }
  return adjusted;
}

}  // namespace leeway::error_bound
