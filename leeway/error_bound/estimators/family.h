// The members of the family of estimators, one for each file's equation and variant. Internal.
#pragma once

#include <span>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

extern const Estimator ac, doc, atc_conf, atc_ne, cot, cot_corrected;

// Mean over rows, summed in a fixed order.
[[nodiscard]] double mean_of(std::span<const double> values);

}  // namespace leeway::error_bound
