// Parameters of family members.
#pragma once

#include <map>
#include <span>
#include <string>

#include "leeway/core/family.h"

namespace leeway::nn {

// Defaults replaced by `given`. Error, opened by `member`: unknown names, values out of range, fractional
// counts.
[[nodiscard]] std::map<std::string, double> complete_parameters(const std::string& member,
                                                                std::span<const Parameter> parameters,
                                                                const std::map<std::string, double>& given);

}  // namespace leeway::nn
