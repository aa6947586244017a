// A linear network that remembers the images of its last pass.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "tests/nn/by_hand.h"

namespace leeway::nn {

class RecordingNetwork : public Network {
 public:
  explicit RecordingNetwork(const torch::Tensor& weight)
      : linear_(register_module("linear", torch::nn::Linear(weight.size(1), weight.size(0)))) {
    const torch::NoGradGuard no_grad;
    linear_->weight.copy_(weight);
    linear_->bias.zero_();
  }
  Forward forward(const torch::Tensor& x) override {
    seen = x.detach();
    return {linear_(x.flatten(1)), {}};
  }
  torch::Tensor seen;

 private:
  torch::nn::Linear linear_{nullptr};
};

// A member over such a network, with a learning rate of 0.
struct Recorded {
  std::shared_ptr<RecordingNetwork> network;
  std::unique_ptr<Algorithm> member;
};
inline Recorded recorded(const std::string& name, const torch::Tensor& weight,
                         const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  auto network = std::make_shared<RecordingNetwork>(weight);
  setting.network = network;
  setting.parameters = complete_parameters(algorithm(name), given);
  setting.optimizer.learning_rate = 0;
  return {network, algorithm(name).make(setting)};
}

}  // namespace leeway::nn
