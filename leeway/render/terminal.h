// A view as text for a terminal and for Python's print(): the headline, the findings, and what the view shows there.
//
// Lines have at most `width` columns where names permit it: in a table that is wider, long names are cut in their middle, and
// then intervals are left out from the right. Brackets hold an interval; a star marks what is wrong; a dash means no value, with its
// reason below.
#pragma once

#include <cstddef>
#include <string>

#include "leeway/describe/view.h"

namespace leeway::render {

[[nodiscard]] std::string terminal(const View& view, std::size_t width = 100);

}  // namespace leeway::render
