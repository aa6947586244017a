#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/model/heads.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

Algorithm::Algorithm(AlgorithmSetting setting)
    : setting_(std::move(setting)), forward_(forward_of(setting_.network, setting_.normalization)) {
  forget_moments();
}

Algorithm::Objective Algorithm::plain(const Batch& batch) const {
  const torch::Tensor logits = forward(batch.x).logits;
  return {mean_loss(logits, batch), logits};
}

void Algorithm::train_beside(const std::string& name, std::shared_ptr<torch::nn::Module> module,
                             double rate) {
  beside_.push_back({name, std::move(module), rate});
  forget_moments();
}

void Algorithm::scale_features(double rate) {
  feature_rate_ = rate;
  forget_moments();
}

bool Algorithm::is_new(const std::string& name) const {
  const bool headed = dynamic_cast<const HeadedNetwork*>(setting_.network.get()) != nullptr;
  return headed ? !name.starts_with("backbone.") : name.starts_with(setting_.head);
}

void Algorithm::forget_moments() {
  std::vector<double> rates;
  for (const auto& item : setting_.network->named_parameters())
    if (item.value().requires_grad()) rates.push_back(is_new(item.key()) ? 1 : feature_rate_);
  for (const Beside& beside : beside_)
    rates.resize(rates.size() + trained_weights(*beside.module).size(), beside.rate);
  optimizer_ = make_optimizer(setting_.optimizer, weights(), std::move(rates));
}

std::vector<torch::Tensor> Algorithm::weights() const {
  std::vector<torch::Tensor> all = trained_weights(*setting_.network);
  for (const Beside& beside : beside_)
    for (const torch::Tensor& weight : trained_weights(*beside.module)) all.push_back(weight);
  return all;
}

std::vector<torch::Tensor> Algorithm::gradients(const Objective& found) {
  return torch::autograd::grad({found.loss}, weights(), {}, c10::nullopt, /*create_graph=*/false,
                               /*allow_unused=*/true);
}

Step Algorithm::update(const Minibatches& batches) {
  Objective found = objective(batches);
  optimizer_->step(gradients(found), batches.rate);
  const torch::Tensor right = found.logits.detach().argmax(1) == batches.labelled.y;
  return {found.loss.item<double>(), static_cast<std::size_t>(right.sum().item<std::int64_t>()),
          found.zero_gradients, std::move(found.parts)};
}

void Algorithm::set_training(bool on) {
  nn::set_training(*setting_.network, setting_, on);
  for (const Beside& beside : beside_) beside.module->train(on);
}

void Algorithm::archive(Archive& state) {
  optimizer_->archive(state);
  state.add("network", *setting_.network);
  for (const Beside& beside : beside_) state.add(beside.name, *beside.module);
}

void set_training(torch::nn::Module& network, const AlgorithmSetting& setting, bool on) {
  // a head's own layers are never frozen
  auto* const headed = network.as<HeadedNetwork>();
  std::vector<torch::nn::Module*> backbones{&network};
  if (headed != nullptr) {
    const auto inner = headed->backbones();
    backbones.assign(inner.begin(), inner.end());
  }
  network.train(on);
  for (torch::nn::Module* const backbone : backbones) {
    if (setting.frozen_backbone) backbone->eval();
    if (!setting.frozen_statistics) continue;
    for (const auto& module : backbone->modules())
      if (module->as<torch::nn::BatchNorm2d>() || module->as<torch::nn::BatchNorm1d>()) module->eval();
  }
}

void check_single_row(const AlgorithmSetting& setting, const std::string& architecture) {
  const torch::NoGradGuard no_grad;
  const auto network = setting.another();
  initialize(*network, setting.seed);
  set_training(*network, setting, true);
  try {
    (void)network->forward(torch::zeros(sizes_of(1, setting.input)).to(setting.device));
  } catch (const c10::Error&) {
    refuse("train: batch",
           fmt::format("at least 2 rows, for batch normalization in architecture {} on images of shape {}",
                       architecture, text_of(setting.input)),
           "1");
  }
}

std::vector<torch::Tensor> trained_weights(const torch::nn::Module& module) {
  std::vector<torch::Tensor> weights;
  for (const torch::Tensor& weight : module.parameters())
    if (weight.requires_grad()) weights.push_back(weight);
  return weights;
}

void copy_tensors(const torch::nn::Module& from, torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto copy = [](const auto& tensors, const auto& others) {
    for (std::size_t i = 0; i < tensors.size(); ++i) torch::Tensor(others[i]).copy_(tensors[i]);
  };
  copy(from.parameters(), to.parameters());
  copy(from.buffers(), to.buffers());
}

void Archive::add(const std::string& key, torch::Tensor tensor) {
  const torch::NoGradGuard no_grad;
  if (fills())
    tensor.copy_(find(key, tensor.sizes()));
  else
    tensors_[key] = tensor;
}

void Archive::add(const std::string& prefix, const torch::nn::Module& module) {
  for (const auto& item : module.named_parameters()) add(prefix + "." + item.key(), item.value());
  for (const auto& item : module.named_buffers()) add(prefix + "." + item.key(), item.value());
}

void Archive::add(const std::string& key, torch::Tensor& tensor, torch::IntArrayRef shape,
                  torch::ScalarType type, double low, double high) {
  if (!fills()) return add(key, tensor);
  tensor = find(key, shape).to(type, false, true).contiguous();
  if (!((tensor >= low) & (tensor <= high)).all().item<bool>())
    refuse(name_, fmt::format("{} from {} to {}", key, low, high), "another number");
}

torch::Tensor Archive::find(const std::string& key, torch::IntArrayRef shape) const {
  const auto found = from_->find(key);
  if (found == from_->end()) refuse(name_, "a tensor " + key, "none");
  const torch::Tensor& tensor = found->second;
  if (tensor.dim() != static_cast<std::int64_t>(shape.size()) ||
      !std::ranges::equal(tensor.sizes(), shape,
                          [](std::int64_t is, std::int64_t wanted) { return wanted < 0 || is == wanted; }))
    refuse(name_, fmt::format("{} of shape {}", key, text_of(shape)), text_of(tensor.sizes()));
  return tensor;
}

Tensors Stateful::state() {
  Archive collected;
  archive(collected);
  return collected.tensors();
}

void Stateful::restore(const Tensors& state, const std::string& name) {
  Archive given(state, name);
  archive(given);
}

}  // namespace leeway::nn
