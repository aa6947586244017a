// Float arrays that hold pixels from 0 to 255.
//
// Images are bytes or floats in [0,1]. Floats that nobody divided by 255 would pass for rows of any range, or
// reach a network 255 times too large: every reader of floats of any range refuses them by this rule.
// Errors: none. Cost: a pass; it ends at the first value outside these levels.
#pragma once

#include "leeway/core/array.h"

namespace leeway {

// Floats of three or four dimensions that are all whole numbers from 0 to 255, up to .001, one of them above 127.
[[nodiscard]] bool are_byte_levels(const Array& array);

}  // namespace leeway
