// Steps of training algorithms on batches made by hand.
#pragma once

#include <cmath>

#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "tests/nn/training.h"

namespace leeway::nn {

// F(x) = W x over images (1,1,d), which a step leaves as it is: the learning rate is 0.
inline AlgorithmSetting still(const std::string& name, const torch::Tensor& weight,
                              const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  const InputShape shape{1, 1, static_cast<std::size_t>(weight.size(1))};
  const auto classes = static_cast<std::size_t>(weight.size(0));
  setting.another = [=] { return make_network(architecture("linear"), shape, classes); };
  setting.network = setting.another();
  const torch::NoGradGuard no_grad;
  for (auto& item : setting.network->named_parameters())
    item.key() == "weight" ? item.value().copy_(weight) : item.value().zero_();
  setting.parameters = complete_parameters(algorithm(name), given);
  setting.optimizer.learning_rate = 0;
  return setting;
}

inline std::unique_ptr<Algorithm> made(const std::string& name, const torch::Tensor& weight,
                                       const std::map<std::string, double>& given) {
  return algorithm(name).make(still(name, weight, given));
}

inline torch::Tensor as_images(const torch::Tensor& rows) {
  return rows.view({rows.size(0), 1, 1, rows.size(1)});
}

inline Batch batch_of(const torch::Tensor& rows, std::vector<std::int64_t> labels,
                      std::vector<std::int64_t> groups = {}) {
  Batch batch{as_images(rows), to_tensor(labels, 0, labels.size())};
  if (!groups.empty()) batch.group = to_tensor(groups, 0, groups.size());
  return batch;
}

// Two classes with logits (0, x), so that a row of class 0 with x = log(e^l - 1) has the loss l.
inline const torch::Tensor second_logit = torch::tensor({{0.f}, {1.f}});
inline torch::Tensor with_losses(const std::vector<double>& losses) {
  std::vector<float> x;
  for (const double loss : losses) x.push_back(static_cast<float>(std::log(std::exp(loss) - 1)));
  return torch::tensor(x).view({-1, 1});
}

// One step of `options` on `data` from random weights and one from what came of it: how far each tensor moved in the second.
inline std::map<std::string, double> moved_from_given_weights(const data::TrainingData& data,
                                                              TrainOptions options) {
  const toy::Folder folder;
  options.epochs = 1, options.batch = data.images.n(), options.validation = 0;
  (void)session().train(data, options, folder / "first");
  options.start = folder / "first";
  (void)session().train(data, options, folder / "second");
  const ArrayMap before = read_safetensors(folder / "first").tensors,
                 after = read_safetensors(folder / "second").tensors;
  std::map<std::string, double> moved;
  for (const auto& [name, array] : after)
    moved[name] = (to_tensor(array, name) - to_tensor(before.at(name), name)).abs().max().item<double>();
  return moved;
}

}  // namespace leeway::nn
