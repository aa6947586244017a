// The JSON type of records, declared only: headers include this file, sources that use JSON leeway/core/result.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace leeway {

using Json = nlohmann::ordered_json;

}  // namespace leeway
