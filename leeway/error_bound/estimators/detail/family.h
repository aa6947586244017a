// What the members of the family of estimators share. Internal.
#pragma once

#include <span>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

// Mean over rows, summed in a fixed order.
[[nodiscard]] double mean_of(std::span<const double> values);

}  // namespace leeway::error_bound
