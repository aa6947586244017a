// The JSON type of records, only declared. Headers include this file; sources that use JSON include
// leeway/core/result.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace leeway {

using Json = nlohmann::ordered_json;

}  // namespace leeway
