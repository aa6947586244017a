#include "leeway/nn/train/algorithm.h"

#include <fmt/format.h>

#include "leeway/nn/detail/parameters.h"

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
  return complete_parameters(fmt::format("algorithm {}", member.name), member.parameters, given);
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
