#include "leeway/nn/train/domain_adversarial.h"

#include <algorithm>

#include "leeway/core/random.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/train/reversal.h"

namespace leeway::nn {
Discriminator::Discriminator(std::int64_t features, std::int64_t width, bool normalized, bool one_output)
    : first_(register_module("0", torch::nn::Linear(features, width))),
      second_(register_module("1", torch::nn::Linear(width, width))),
      last_(register_module("2", torch::nn::Linear(width, one_output ? 1 : 2))) {
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
  x = last_(x * mask(x, 2 * step + 1));
  return x.size(1) == 2 ? x : torch::cat({x, torch::zeros_like(x)}, 1);
}

DomainAdversarial::DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown)
    : LossAlgorithm(setting),
      discriminator_(std::make_shared<Discriminator>(
          shown, static_cast<std::int64_t>(setting.parameters.at("discriminator-width")),
          setting.parameters.at("discriminator-batchnorm") != 0, setting.parameters.at("one-output") != 0)) {
  initialize(*discriminator_, setting.seed, stream("discriminator"));
  if (parameter("glorot-start") != 0) {
    begin_as_glorot(
        *discriminator_, [](const std::string&) { return true; }, setting.seed, stream("discriminator"));
    begin_as_glorot(
        *setting.network, [&](const std::string& name) { return is_new(name); }, setting.seed,
        stream("new layers"));
  }
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
  const std::vector<Part> parts = parts_of(batches, static_cast<std::int64_t>(parameter("parts")));
  std::vector<torch::Tensor> logits;
  torch::Tensor loss, domain_loss;
  double right = 0;
  const auto most = batches.parts.empty() ? parts.size() : static_cast<std::size_t>(parameter("parts"));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& rows = parts[i];
    const Passed part = passed(source.slice(rows.begin, rows.end),
                               batches.unlabelled.x.slice(0, rows.unlabelled_begin, rows.unlabelled_end),
                               batches.step * most + i, c);
    loss = loss.defined() ? loss + part.loss : part.loss;
    domain_loss = domain_loss.defined() ? domain_loss + part.domain_loss : part.domain_loss;
    logits.push_back(part.logits);
    right += part.right;
  }
  const auto count = static_cast<double>(parts.size());
  return {most == 1 ? loss : loss / static_cast<double>(most),
          parts.size() == 1 ? logits[0] : torch::cat(logits),
          {},
          {{"domain_loss", domain_loss.item<double>() / count},
           {"domain_accuracy", right / count},
           {"reversal", c}}};
}

DomainAdversarial::Passed DomainAdversarial::passed(const Batch& source, const torch::Tensor& target,
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
      full_parts_parameter(),
      {"one-output", 0, 0, 1,
       "1: the discriminator has one output, whose sigmoid is the probability of the source, as in the "
       "programs of Long et al. and of TLL",
       true},
      {"glorot-start", 0, 0, 1,
       "1: its layers, and the network's last layer or head, begin with normal numbers of variance 2 / "
       "(inputs + outputs) and biases of 0, "
       "also where weights are given, as in the program of Long et al.",
       true},
      {"feature-rate", .1, 0, 1e6,
       "from given weights: learning rate of all but the last layer, or head, times --lr"}};
}

Requirements adversarial_needs(const std::map<std::string, double>& parameters) {
  Requirements needs;
  need_parts(needs, parameters);
  needs.parts_together = parameters.at("separate-passes") == 0;
  needs.features = needs.unlabelled = true;
  return needs;
}

}  // namespace leeway::nn
