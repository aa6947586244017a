#include "leeway/nn/train/algorithm.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/family.h"
#include "leeway/core/message.h"

namespace leeway::nn {

std::span<const AlgorithmMember> algorithms() {
  static const AlgorithmMember list[] = {
      erm(),
      gradient_norm(),
      pgd_training(),
  };
  return list;
}

const AlgorithmMember& algorithm(std::string_view name) {
  return find_member(algorithms(), "algorithm", name);
}

std::map<std::string, double> complete_parameters(const AlgorithmMember& member,
                                                  const std::map<std::string, double>& given) {
  std::map<std::string, double> complete;
  for (const Parameter& parameter : member.parameters)
    complete[std::string(parameter.name)] = parameter.value;
  for (const auto& [name, value] : given) {
    const auto parameter = std::find_if(member.parameters.begin(), member.parameters.end(),
                                        [&](const Parameter& one) { return one.name == name; });
    if (parameter == member.parameters.end())
      refuse(fmt::format("algorithm {}", member.name),
             complete.empty() ? "no parameters" : "parameters among " + names_of(member.parameters),
             in_quotes(name));
    if (!(value >= parameter->low && value <= parameter->high))
      refuse(fmt::format("algorithm {}: {}", member.name, name),
             fmt::format("a number from {} to {}", parameter->low, parameter->high),
             fmt::format("{}", value));
    complete[name] = value;
  }
  return complete;
}

}  // namespace leeway::nn
