#include "leeway/nn/detail/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"

namespace leeway::nn {

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
             fmt::format("a {}number from {} to {}", found->integer ? "whole " : "", found->low, found->high),
             fmt::format("{}", value));
    complete[name] = value;
  }
  return complete;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(by, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace leeway::nn
