// A digest of what a description (fields.h) says: the same for the same values, so that who resumes work knows whether a
// saved state is of its plan.
#pragma once

#include <string>

#include "leeway/record/fields.h"

namespace leeway::record {

// Of the names and values, in the order of the description.
[[nodiscard]] std::string digest_of(const Description& describe);

}  // namespace leeway::record
