#include "leeway/nn/train/domain_adversarial.h"

#include "leeway/core/random.h"
#include "leeway/nn/train/random_tensors.h"
#include "leeway/nn/train/reversal.h"

namespace leeway::nn {
Discriminator::Discriminator(std::int64_t features, std::int64_t width)
    : first_(register_module("0", torch::nn::Linear(features, width))),
      second_(register_module("1", torch::nn::Linear(width, width))),
      last_(register_module("2", torch::nn::Linear(width, 2))) {}

torch::Tensor Discriminator::forward(const torch::Tensor& features, double dropout, std::uint64_t seed,
                                     std::size_t step) {
  const auto mask = [&](const torch::Tensor& x, std::size_t number) {
    return dropout_rows(x.sizes(), dropout, seed, stream("discriminator dropout"), number).to(x.device());
  };
  torch::Tensor x = torch::relu(first_(features));
  x = torch::relu(second_(x * mask(x, 2 * step)));
  return last_(x * mask(x, 2 * step + 1));
}

DomainAdversarial::DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown)
    : LossAlgorithm(setting),
      discriminator_(std::make_shared<Discriminator>(
          shown, static_cast<std::int64_t>(setting.parameters.at("discriminator-width")))) {
  initialize(*discriminator_, setting.seed, stream("discriminator"));
  discriminator_->to(setting.device);
  train_beside("discriminator", discriminator_, parameter("discriminator-rate"));
  if (setting.pretrained) scale_features(parameter("feature-rate"));
}

LossAlgorithm::Objective DomainAdversarial::objective(const Minibatches& batches) {
  using namespace torch::nn::functional;
  const Batch& source = batches.labelled;
  const double weight = parameter("weight");
  if (weight == 0) return plain(source);
  const std::int64_t n = source.x.size(0);
  const Forward both = forward(torch::cat({source.x, batches.unlabelled.x}));
  const torch::Tensor logits = both.logits.slice(0, 0, n);
  const double done = static_cast<double>(batches.step - 1) / static_cast<double>(batches.steps);
  const double c = parameter("reversal") * reversal_weight(done, parameter("slope"));
  const torch::Tensor told =
      discriminator_->forward(reversed(shown(both), c), parameter("dropout"), setting().seed, batches.step);
  torch::Tensor domain = torch::zeros({told.size(0)}, torch::kInt64).to(told.device());
  domain.slice(0, n).fill_(1);
  const torch::Tensor weights = row_weights(both, n, c);
  const torch::Tensor domain_loss =
      weights.defined()
          ? (weights * cross_entropy(told, domain, CrossEntropyFuncOptions().reduction(torch::kNone))).sum()
          : cross_entropy(told, domain);
  const double right = (told.detach().argmax(1) == domain).to(torch::kFloat64).mean().item<double>();
  return {mean_loss(logits, source) + weight * domain_loss,
          logits,
          {},
          {{"domain_loss", domain_loss.item<double>()}, {"domain_accuracy", right}, {"reversal", c}}};
}

std::vector<Parameter> adversarial_parameters() {
  return {{"weight", 1, 0, 1e6, "of the domain loss; 0: plain training"},
          {"slope", 10, 0, 1e6, "how fast the reversal grows from 0 to its full strength"},
          {"reversal", 1, 0, 1e6, "full strength of the reversal; 0: the features ignore the discriminator"},
          {"discriminator-width", 1024, 1, 65536, "units of its two hidden layers", true},
          {"dropout", .5, 0, .99, "share of them left out in a step"},
          {"discriminator-rate", 1, 0, 1e6, "its learning rate, times --lr"},
          {"feature-rate", .1, 0, 1e6,
           "from given weights: learning rate of all but the last layer, or head, times --lr"}};
}

Requirements adversarial_needs(const std::map<std::string, double>& /*parameters*/) {
  Requirements needs;
  needs.features = needs.unlabelled = true;
  return needs;
}

}  // namespace leeway::nn
