#include "leeway/nn/train/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/family.h"
#include "leeway/core/message.h"

namespace leeway::nn {

// Each is defined in algorithms/, in a file of its name.
AlgorithmMember erm();
AlgorithmMember gradient_norm();
AlgorithmMember pgd_training();
AlgorithmMember group_dro();
AlgorithmMember irm();
AlgorithmMember dann();
AlgorithmMember fixmatch();

std::span<const AlgorithmMember> algorithms() {
  static const AlgorithmMember list[] = {
      erm(), gradient_norm(), pgd_training(), group_dro(), irm(), dann(), fixmatch(),
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
    if (!(value >= parameter->low && value <= parameter->high) ||
        (parameter->integer && value != std::floor(value)))
      refuse(fmt::format("algorithm {}: {}", member.name, name),
             fmt::format("a {}number from {} to {}", parameter->integer ? "whole " : "", parameter->low,
                         parameter->high),
             fmt::format("{}", value));
    complete[name] = value;
  }
  return complete;
}

Batch Batch::slice(std::int64_t begin, std::int64_t end) const {
  const auto part = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? tensor.slice(0, begin, end) : tensor;
  };
  Batch batch{part(x), part(y), part(group), {}, rows};
  for (const torch::Tensor& view : views) batch.views.push_back(part(view));
  if (!rows.empty())
    batch.rows = rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  return batch;
}

}  // namespace leeway::nn
