// Float arrays that hold pixels from 0 to 255.
//
// Images are bytes or floats in [0,1]. Floats that nobody divided by 255 would pass for rows of any range, or
// reach a network 255 times too large: every reader of floats of any range refuses them by this rule.
// Bytes of 0 and 1 alone are usually black and white that nobody multiplied by 255; a line warns.
// Errors: none. Cost: a pass; it ends at the first value outside these levels.
#pragma once

#include <string>

#include "leeway/core/array.h"

namespace leeway {

// Floats of three or four dimensions, all from 0 to 255, one of them above 16.
[[nodiscard]] bool are_byte_levels(const Array& array);

// "x: all uint8 pixels are 0 or 1, ..."; empty for other arrays.
[[nodiscard]] std::string doubt_of_levels(const Array& pixels, const std::string& where);

}  // namespace leeway
