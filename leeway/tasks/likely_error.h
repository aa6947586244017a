// Results of Dis2 and the estimators for the error without labels (leeway/error_bound), as stored in records.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"
#include "leeway/error_bound/component_range.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/divergence.h"
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

void fields(Dis2& dis2, Fields& f);  // "critic_warning" is what critic_warning() says of it
void fields(ComponentRange& range, Fields& f);
void fields(Divergences& divergences, Fields& f);

}  // namespace leeway::error_bound

namespace leeway::tasks {

struct ErrorMethod {
  std::string method;          // "dis2", "atc-conf"
  std::string summary;         // what it is, in a line
  std::string assumes, fails;  // complete "it is right if ..." and "it is too low if ..."
};

struct MethodError {
  ErrorMethod method;
  double error = 0;  // of a bound, the bound
  std::optional<Interval> interval;
  bool is_bound = false;
  std::optional<double> likely_low = {}, likely_high = {};  // of `combined`: the likely range
  std::optional<bool> margins_moved = {};                   // and that of Movement
};

[[nodiscard]] ErrorMethod method_of(const error_bound::Estimator& estimator);
[[nodiscard]] std::vector<MethodError> errors_of(const error_bound::Estimates& estimates);

void fields(ErrorMethod& method, Fields& f);
void fields(MethodError& error, Fields& f);

// From the lowest to the highest: "8 to 24%" where `between` is " to ", "8%" where both read alike; empty of none.
[[nodiscard]] std::string percent_range(std::span<const double> errors, std::string_view between = " to ");

// The answer without labels (error_bound/estimator.h).
struct LikelyError {
  Measured error;                     // the estimate, with the interval of its sampling error alone
  double low = 0, high = 0;           // the likely range
  std::optional<bool> margins_moved;  // that of error_bound::Movement; records before it lack it
  std::string moved;                  // what the outputs show of the shift
};

// The bound's assumption is in doubt if the margins of the outputs moved and the likely range reaches beyond the bound
// (docs/studies/answers.md).
[[nodiscard]] bool bound_in_doubt(double bound, double likely_high, bool margins_moved);

// A sentence if so, else empty. `kernel`: kernel critics were run.
[[nodiscard]] std::string bound_warning(double bound, const Interval& likely, bool margins_moved,
                                        bool kernel);

void fields(LikelyError& error, Fields& f);

}  // namespace leeway::tasks
