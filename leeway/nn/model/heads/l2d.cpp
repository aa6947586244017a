#include "leeway/nn/model/heads/l2d.h"

#include "leeway/core/message.h"

namespace leeway::nn {

L2d::L2d(const Backbone& on) : HeadedNetwork(on, 0) {
  const std::int64_t units = hidden_units(backbone(), on.input);
  if (units == 0)
    refuse("architecture " + on.name, "a backbone with a last hidden layer",
           std::string(on.architecture.name));
  mean_ = register_module("mean", torch::nn::Linear(units, embedded));
  log_variance_ = register_module("log_variance", torch::nn::Linear(units, embedded));
  classifier_ = register_module("classifier", torch::nn::Linear(embedded, on.classes));
}

L2d::Embedding L2d::embed(const torch::Tensor& x) {
  const torch::Tensor z = backbone().forward(x).features;
  return {mean_of(z), torch::relu(log_variance_(z))};
}

Forward L2d::forward(const torch::Tensor& x) {
  const torch::Tensor mean = mean_of(backbone().forward(x).features);
  return {classify(mean), mean};
}

HeadMember l2d_head() {
  return {{"l2d", "embedding of 512 dimensions with mean and variance", "Wang et al., ICCV 2021"},
          "classifier.bias",
          make_head<L2d>};
}

}  // namespace leeway::nn
