#include "leeway/core/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace leeway {

std::map<std::string, double> complete_parameters(const std::string& member,
                                                  std::span<const Parameter> parameters,
                                                  const std::map<std::string, double>& given) {
  std::map<std::string, double> complete;
  for (const Parameter& parameter : parameters) complete[std::string(parameter.name)] = parameter.value;
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found == parameters.end())
      refuse(member, complete.empty() ? "no parameters" : "parameters among " + names_of(parameters),
             in_quotes(name));
    if (!(value >= found->low && value <= found->high) || (found->integer && value != std::floor(value)))
      refuse(fmt::format("{}: {}", member, name),
             fmt::format("{} from {} to {}", found->integer ? "an integer" : "a number", found->low,
                         found->high),
             fmt::format("{}", value));
    complete[name] = value;
  }
  return complete;
}

}  // namespace leeway
