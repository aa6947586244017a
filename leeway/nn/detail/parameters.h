// Parameters of family members, and the parts of the texts that name members.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::nn {

// Defaults replaced by `given`. Error, opened by `member`: unknown names, values out of range, fractional
// counts.
[[nodiscard]] std::map<std::string, double> complete_parameters(const std::string& member,
                                                                std::span<const Parameter> parameters,
                                                                const std::map<std::string, double>& given);

// "a,b" -> "a", "b"; of "" one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char by);

}  // namespace leeway::nn
