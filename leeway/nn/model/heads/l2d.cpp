#include "leeway/nn/model/heads/l2d.h"

#include "leeway/core/message.h"

namespace leeway::nn {
namespace {

Backbone with_channels(Backbone on, bool colour) {
  if (colour && on.input.channels == 1) on.input.channels = 3;
  return on;
}

}  // namespace

L2d::L2d(const Backbone& on, bool colour) : HeadedNetwork(with_channels(on, colour), 0), colour_(colour) {
  const std::int64_t units = hidden_units(backbone(), with_channels(on, colour).input);
  if (units == 0)
    refuse("architecture " + on.name, "a backbone with a last hidden layer",
           std::string(on.architecture.name));
  mean_ = register_module("mean", torch::nn::Linear(units, embedded));
  log_variance_ = register_module("log_variance", torch::nn::Linear(units, embedded));
  classifier_ = register_module("classifier", torch::nn::Linear(embedded, on.classes));
}

L2d::Embedding L2d::embed(const torch::Tensor& x) {
  const torch::Tensor z = backbone().forward(seen(x)).features;
  return {torch::leaky_relu(mean_(z), .01), torch::relu(log_variance_(z))};
}

Forward L2d::forward(const torch::Tensor& x) {
  const torch::Tensor mean = torch::leaky_relu(mean_(backbone().forward(seen(x)).features), .01);
  return {classify(mean), mean};
}

HeadMember l2d_head() {
  return {{"l2d", "embedding of 512 numbers with its mean and variance", "Wang et al., ICCV 2021"},
          "classifier.bias",
          [](const Backbone& on) -> std::shared_ptr<Network> { return std::make_shared<L2d>(on, false); }};
}

HeadMember l2d_colour_head() {
  return {{"l2d-colour", "the same behind grey images as three equal channels",
           "Wang et al., ICCV 2021, its program"},
          "classifier.bias",
          [](const Backbone& on) -> std::shared_ptr<Network> { return std::make_shared<L2d>(on, true); }};
}

}  // namespace leeway::nn
