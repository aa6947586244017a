// Categorical attributes of the samples, from an array of an outputs file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/outputs.h"

namespace leeway {

// `groups` (n) or (n,g), numbers or text; `names`, if not null, g texts. `where` opens messages.
[[nodiscard]] std::vector<GroupColumn> group_columns(const Array& groups, const Array* names, std::size_t n,
                                                     std::string_view where);

// The columns of the array `groups`, named by `group_names` where it is there; none without `groups`.
[[nodiscard]] std::vector<GroupColumn> group_columns(const ArrayMap& arrays, std::size_t n,
                                                     std::string_view where);

// The same column of several sets, one after the other. Their names are equal.
[[nodiscard]] GroupColumn join_columns(const std::vector<const GroupColumn*>& columns);

}  // namespace leeway
