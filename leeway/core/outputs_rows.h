// Some rows of a set of outputs.
#pragma once

#include <cstddef>
#include <span>

#include "leeway/core/shards.h"

namespace leeway {

// The rows that `rows` names, in that order, of logits and of all that goes with them; a copy. Rows below set.n().
[[nodiscard]] OutputsShards take(const OutputsShards& set, std::span<const std::size_t> rows);

}  // namespace leeway
