#include "leeway/nn/train/algorithm.h"

#include <fmt/format.h>

namespace leeway::nn {

// Each is defined in algorithms/, in a file of its name.
AlgorithmMember erm(), reweight(), resample(), augmix_jsd(), gradient_norm(), pgd_training(), ubnet(), pnd(),
    occamnets(), bpa(), group_dro(), ada(), me_ada(), sagnet(), l2d(), irm(), coral(), mmd(), causirl_coral(),
    causirl_mmd(), mixup(), lisa(), dann(), cdan(), fixmatch();

// A line for each kind.
// clang-format off
std::span<const AlgorithmMember> algorithms() {
  static const AlgorithmMember list[] = {
      erm(), reweight(), resample(), augmix_jsd(),  // plain
      gradient_norm(), pgd_training(),  // against attacks
      ubnet(), pnd(), occamnets(), bpa(),  // bias mitigation
      group_dro(),  // worst case
      ada(), me_ada(), sagnet(), l2d(),  // one source
      irm(), coral(), mmd(), causirl_coral(), causirl_mmd(), mixup(), lisa(),  // several sources
      dann(), cdan(), fixmatch(),  // adaptation
  };
  return list;
}
// clang-format on

const AlgorithmMember& algorithm(std::string_view name) {
  return find_member(algorithms(), "algorithm", name);
}

Parameters complete_parameters(const AlgorithmMember& member, const Parameters& given) {
  return complete_parameters(fmt::format("algorithm {}", member.name), member.parameters, given);
}

std::optional<BaseStage> plain_stage(const Parameters& parameters) {
  return BaseStage{"erm",
                   {},
                   static_cast<std::size_t>(parameters.at("base-epochs")),
                   static_cast<std::size_t>(parameters.at("base-patience"))};
}

// Of every tensor of the batch; those that are not there stay so.
template <class Part>
static Batch part_of(const Batch& whole, const Part& part, std::span<const std::int64_t> rows) {
  const auto of = [&](const torch::Tensor& tensor) { return tensor.defined() ? part(tensor) : tensor; };
  Batch batch{of(whole.x), of(whole.y), of(whole.other), of(whole.share), of(whole.group), {}, rows};
  for (const torch::Tensor& view : whole.views) batch.views.push_back(of(view));
  return batch;
}

Batch Batch::slice(std::int64_t begin, std::int64_t end) const {
  const auto part = [&](const torch::Tensor& tensor) { return tensor.slice(0, begin, end); };
  const auto from = static_cast<std::size_t>(begin), size = static_cast<std::size_t>(end) - from;
  return part_of(*this, part, rows.empty() ? rows : rows.subspan(from, size));
}

Batch Batch::select(const torch::Tensor& numbers) const {
  return part_of(*this, [&](const torch::Tensor& tensor) { return tensor.index_select(0, numbers); }, {});
}

torch::Tensor losses(const torch::Tensor& logits, const Batch& batch) {
  using torch::nn::functional::CrossEntropyFuncOptions;
  const auto of = [&](const torch::Tensor& labels) {
    return torch::nn::functional::cross_entropy(logits, labels,
                                                CrossEntropyFuncOptions().reduction(torch::kNone));
  };
  return batch.other.defined() ? batch.share * of(batch.y) + (1 - batch.share) * of(batch.other)
                               : of(batch.y);
}

torch::Tensor mean_loss(const torch::Tensor& logits, const Batch& batch) {
  return batch.other.defined() ? losses(logits, batch).mean()
                               : torch::nn::functional::cross_entropy(logits, batch.y);
}

torch::Tensor targets(const Batch& batch, std::int64_t classes) {
  const torch::Tensor first = torch::one_hot(batch.y, classes).to(torch::kFloat32);
  if (!batch.other.defined()) return first;
  const torch::Tensor share = batch.share.unsqueeze(1);
  return share * first + (1 - share) * torch::one_hot(batch.other, classes).to(torch::kFloat32);
}

}  // namespace leeway::nn
