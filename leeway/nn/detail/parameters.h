// The numbers that members of families take besides the common options.
#pragma once

#include <map>
#include <span>
#include <string>

#include "leeway/core/family.h"

namespace leeway::nn {

// The parameters with `given` ones in place of their defaults. Error, which begins with `member`: a name that is not among
// them, a value outside its range, a count that is not whole.
[[nodiscard]] std::map<std::string, double> complete_parameters(const std::string& member,
                                                                std::span<const Parameter> parameters,
                                                                const std::map<std::string, double>& given);

}  // namespace leeway::nn
