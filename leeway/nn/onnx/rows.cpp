#include "leeway/nn/onnx/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/random.h"

namespace leeway::nn::onnx {
namespace {

constexpr double most_difference = 1e-3;  // of the largest output; kernels differ by 1e-5 with the batch

torch::Tensor random_rows(std::int64_t rows, const torch::Tensor& like, double scale) {
  Integers sizes = like.sizes().vec();
  sizes.at(0) = rows;
  torch::Tensor x = torch::empty(sizes, torch::kFloat32);
  Random random(0, stream("onnx rows"), 0);
  std::generate_n(x.data_ptr<float>(), x.numel(),
                  [&] { return static_cast<float>(random.uniform() * scale); });
  return x.to(like.device(), like.scalar_type());
}

bool agree(const Forward& a, const Forward& b) {
  if (a.logits.sizes() != b.logits.sizes() || a.features.defined() != b.features.defined()) return false;
  const torch::Tensor x = a.logits.to(torch::kFloat64), y = b.logits.to(torch::kFloat64);
  return (x - y).abs().max().item<double>() <= most_difference * y.abs().max().item<double>();
}

}  // namespace

RowRunner::RowRunner(std::shared_ptr<const Program> program, bool has_features, std::int64_t declared_batch,
                     double scale, std::string name)
    : program_(std::move(program)),
      has_features_(has_features),
      declared_(declared_batch),
      group_(std::max<std::int64_t>(declared_batch, 1)),
      scale_(scale),
      name_(std::move(name)) {}

Forward RowRunner::operator()(const torch::Tensor& x) const {
  if (x.size(0) == group_) return run(x);
  return goes_together(x) ? run(x) : run_in_groups(x, group_);
}

bool RowRunner::goes_together(const torch::Tensor& like) const {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = together_.emplace(like.sizes().slice(1).vec(), false);
  if (is_new) {
    try {
      found->second = check(like);
    } catch (...) {
      together_.erase(found);
      throw;
    }
  }
  return found->second;
}

Forward RowRunner::run(const torch::Tensor& x) const {
  Tensors results = program_->run({x}, {declared_, x.size(0)});
  Forward forward;
  forward.logits = results[0];
  while (forward.logits.dim() > 2 && forward.logits.size(-1) == 1)
    forward.logits = forward.logits.squeeze(-1);
  if (has_features_ && results[1].dim() > 1 && results[1].size(0) == x.size(0) &&
      results[1].is_floating_point())
    forward.features = results[1];
  return forward;
}

Forward RowRunner::run_in_groups(const torch::Tensor& x, std::int64_t group) const {
  const std::int64_t n = x.size(0);
  Tensors logits, features;
  for (std::int64_t begin = 0; begin < n; begin += group) {
    torch::Tensor rows = x.slice(0, begin, std::min(n, begin + group));
    const std::int64_t there = rows.size(0);
    if (there < group) {
      Integers copies(static_cast<std::size_t>(x.dim()), -1);
      copies[0] = group - there;
      rows = torch::cat({rows, rows.slice(0, there - 1).expand(copies)});
    }
    const Forward part = run(rows);
    TORCH_CHECK(part.logits.dim() > 0 && part.logits.size(0) == group, "outputs with one row for each input");
    logits.push_back(part.logits.slice(0, 0, there));
    if (part.features.defined()) features.push_back(part.features.slice(0, 0, there));
  }
  return {torch::cat(logits), features.empty() ? torch::Tensor() : torch::cat(features)};
}

bool RowRunner::check(const torch::Tensor& like) const {
  const torch::NoGradGuard no_grad;
  if (group_ <= most_checked) return agrees_in_groups(like, group_ == 1 ? 3 : group_ + 1, group_);
  try {
    if (agrees_in_groups(like, 3, 1)) return true;
  } catch (const std::exception&) {  // one row alone does not run: its shapes say how many there are
  }
  const std::int64_t each = like.numel() / like.size(0);
  if (group_ > most_numbers / std::max<std::int64_t>(each, 1))
    refuse(name_, "a graph with a dynamic batch axis (see dynamic axes in the exporter)",
           fmt::format(
               "one for exactly {0} rows: every pass would compute all {0}, {1:.3g} GB for the input alone",
               group_, 4e-9 * static_cast<double>(group_) * static_cast<double>(each)));
  return agrees_in_groups(like, group_ + 1, group_);
}

bool RowRunner::agrees_in_groups(const torch::Tensor& like, std::int64_t rows, std::int64_t group) const {
  const torch::Tensor x = random_rows(rows, like, scale_);
  const Forward expected = run_in_groups(x, group);
  try {
    return agree(run(x), expected);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace leeway::nn::onnx
