#include "leeway/nn/train/domain_adversarial.h"

#include <algorithm>

#include "leeway/core/random.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/train/reversal.h"

namespace leeway::nn {
Discriminator::Discriminator(std::int64_t features, std::int64_t width, bool normalized)
    : first_(register_module("0", torch::nn::Linear(features, width))),
      second_(register_module("1", torch::nn::Linear(width, width))),
      last_(register_module("2", torch::nn::Linear(width, 2))) {
  if (!normalized) return;
  for (std::size_t i = 0; i < 2; ++i)
    norms_.push_back(register_module("norm" + std::to_string(i), torch::nn::BatchNorm1d(width)));
}

torch::Tensor Discriminator::forward(const torch::Tensor& features, double dropout, std::uint64_t seed,
                                     std::size_t step) {
  const auto mask = [&](const torch::Tensor& x, std::size_t number) {
    return dropout_rows(x.sizes(), dropout, seed, stream("discriminator dropout"), number).to(x.device());
  };
  const auto active = [&](const torch::Tensor& x, std::size_t i) {
    return torch::relu(norms_.empty() ? x : norms_[i](x));
  };
  torch::Tensor x = active(first_(features), 0);
  x = active(second_(x * mask(x, 2 * step)), 1);
  return last_(x * mask(x, 2 * step + 1));
}

DomainAdversarial::DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown)
    : LossAlgorithm(setting),
      discriminator_(std::make_shared<Discriminator>(
          shown, static_cast<std::int64_t>(setting.parameters.at("discriminator-width")),
          setting.parameters.at("discriminator-batchnorm") != 0)) {
  initialize(*discriminator_, setting.seed, stream("discriminator"));
  discriminator_->to(setting.device);
  train_beside("discriminator", discriminator_, parameter("discriminator-rate"));
  if (setting.pretrained) scale_features(parameter("feature-rate"));
}

LossAlgorithm::Objective DomainAdversarial::objective(const Minibatches& batches) {
  const Batch& source = batches.labelled;
  if (parameter("weight") == 0) return plain(source);
  const std::size_t before = batches.step - 1, lag = parameter("late") != 0 && before > 0 ? 1 : 0;
  const double done = static_cast<double>(before - lag) / static_cast<double>(batches.steps);
  const double c = parameter("reversal") * reversal_weight(done, parameter("slope"));
  const std::int64_t n = source.x.size(0), m = batches.unlabelled.x.size(0);
  const auto parts = std::min(static_cast<std::int64_t>(parameter("parts")), n);
  std::vector<torch::Tensor> logits;
  torch::Tensor loss, domain_loss;
  double right = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const Part part =
        part_of(source.slice(i * n / parts, (i + 1) * n / parts),
                batches.unlabelled.x.slice(0, i * m / parts, (i + 1) * m / parts),
                batches.step * static_cast<std::size_t>(parts) + static_cast<std::size_t>(i), c);
    loss = loss.defined() ? loss + part.loss : part.loss;
    domain_loss = domain_loss.defined() ? domain_loss + part.domain_loss : part.domain_loss;
    logits.push_back(part.logits);
    right += part.right;
  }
  const auto count = static_cast<double>(parts);
  return {parts == 1 ? loss : loss / count,
          parts == 1 ? logits[0] : torch::cat(logits),
          {},
          {{"domain_loss", domain_loss.item<double>() / count},
           {"domain_accuracy", right / count},
           {"reversal", c}}};
}

DomainAdversarial::Part DomainAdversarial::part_of(const Batch& source, const torch::Tensor& target,
                                                   std::size_t number, double c) const {
  using namespace torch::nn::functional;
  const std::int64_t n = source.x.size(0);
  const Forward both = [&]() -> Forward {
    if (parameter("separate-passes") == 0) return forward(torch::cat({source.x, target}));
    const Forward one = forward(source.x), other = forward(target);
    return {torch::cat({one.logits, other.logits}), torch::cat({one.features, other.features})};
  }();
  const torch::Tensor logits = both.logits.slice(0, 0, n);
  const torch::Tensor told =
      discriminator_->forward(reversed(shown(both), c), parameter("dropout"), setting().seed, number);
  torch::Tensor domain = torch::zeros({told.size(0)}, torch::kInt64).to(told.device());
  domain.slice(0, n).fill_(1);
  const torch::Tensor weights = row_weights(both, n, c);
  const torch::Tensor domain_loss =
      weights.defined()
          ? (weights * cross_entropy(told, domain, CrossEntropyFuncOptions().reduction(torch::kNone))).sum()
          : cross_entropy(told, domain);
  return {mean_loss(logits, source) + parameter("weight") * domain_loss, domain_loss, logits,
          (told.detach().argmax(1) == domain).to(torch::kFloat64).mean().item<double>()};
}

std::vector<Parameter> adversarial_parameters() {
  return {
      {"weight", 1, 0, 1e6, "of the domain loss; 0: plain training"},
      {"slope", 10, 0, 1e6, "how fast the reversal grows from 0 to its full strength"},
      {"reversal", 1, 0, 1e6, "full strength of the reversal; 0: the features ignore the discriminator"},
      {"discriminator-width", 1024, 1, 65536, "units of its two hidden layers", true},
      {"dropout", .5, 0, .99, "share of them left out in a step"},
      {"discriminator-rate", 1, 0, 1e6, "its learning rate, times --lr"},
      {"discriminator-batchnorm", 0, 0, 1,
       "1: batch normalization before each ReLU of the discriminator, as in the programs of TLL and WILDS",
       true},
      {"separate-passes", 0, 0, 1,
       "1: source and target pass one after the other, each with its own batch statistics, as in the program "
       "of "
       "Long et al.",
       true},
      {"late", 0, 0, 1, "1: the reversal is that of the step before, as in the program of RLSbench", true},
      {"parts", 1, 1, 1024, "of every batch, each of which passes by itself: 2 in the program of RLSbench",
       true},
      {"feature-rate", .1, 0, 1e6,
       "from given weights: learning rate of all but the last layer, or head, times --lr"}};
}

Requirements adversarial_needs(const std::map<std::string, double>& parameters) {
  Requirements needs;
  const auto parts = static_cast<std::size_t>(parameters.at("parts"));
  if (parts > 1) needs.least_batch = 2 * parts;  // two rows of each
  needs.features = needs.unlabelled = true;
  return needs;
}

}  // namespace leeway::nn
