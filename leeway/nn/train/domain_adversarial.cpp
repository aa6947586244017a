#include "leeway/nn/train/domain_adversarial.h"

#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn {
namespace {

// Gradient reversal (section 4.2): x; multiplies gradients by -c.
struct Reversal : torch::autograd::Function<Reversal> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double c) {
    context->saved_data["c"] = c;
    return x.view_as(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0] * -context->saved_data["c"].toDouble(), torch::Tensor()};
  }
};

}  // namespace

// linear(width) - ReLU - dropout - linear(width) - ReLU - dropout - linear(2).
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(std::int64_t features, std::int64_t width)
      : first_(register_module("0", torch::nn::Linear(features, width))),
        second_(register_module("1", torch::nn::Linear(width, width))),
        last_(register_module("2", torch::nn::Linear(width, 2))) {}

  // Dropout masks depend on seed, `step` and row.
  torch::Tensor forward(const torch::Tensor& features, double dropout, std::uint64_t seed, std::size_t step) {
    const auto mask = [&](const torch::Tensor& x, std::size_t number) {
      return dropout_rows(x.sizes(), dropout, seed, stream("discriminator dropout"), number).to(x.device());
    };
    torch::Tensor x = torch::relu(first_(features));
    x = torch::relu(second_(x * mask(x, 2 * step)));
    return last_(x * mask(x, 2 * step + 1));
  }

 private:
  torch::nn::Linear first_, second_, last_;
};

double reversal_weight(double p) { return 2 / (1 + std::exp(-10 * p)) - 1; }

DomainAdversarial::DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown)
    : Algorithm(setting),
      discriminator_(std::make_shared<Discriminator>(
          shown, static_cast<std::int64_t>(setting.parameters.at("discriminator-width")))) {
  initialize(*discriminator_, setting.seed, stream("discriminator"));
  discriminator_->to(setting.device);
  train_beside("discriminator", discriminator_, parameter("discriminator-rate"));
  if (setting.pretrained) scale_features(parameter("feature-rate"));
}

Algorithm::Objective DomainAdversarial::objective(const Minibatches& batches) {
  using namespace torch::nn::functional;
  const Batch& source = batches.labelled;
  if (parameter("weight") == 0) return plain(source);
  const double c =
      reversal_weight(static_cast<double>(batches.step - 1) / static_cast<double>(batches.steps));
  const std::int64_t n = source.x.size(0);
  const Forward both = forward(torch::cat({source.x, batches.unlabelled.x}));
  const torch::Tensor logits = both.logits.slice(0, 0, n);
  const torch::Tensor of_domain = discriminator_->forward(Reversal::apply(shown(both), c),
                                                          parameter("dropout"), setting().seed, batches.step);
  torch::Tensor domain = torch::zeros({of_domain.size(0)}, torch::kInt64).to(of_domain.device());
  domain.slice(0, n).fill_(1);
  const torch::Tensor w = row_weights(both, n);
  const torch::Tensor domain_loss =
      w.defined()
          ? (w * cross_entropy(of_domain, domain, CrossEntropyFuncOptions().reduction(torch::kNone))).sum()
          : cross_entropy(of_domain, domain);
  const torch::Tensor right = (of_domain.detach().argmax(1) == domain).to(torch::kFloat64);
  return {mean_loss(logits, source) + parameter("weight") * domain_loss,
          logits,
          {{"domain_loss", domain_loss.item<double>()},
           {"domain_accuracy", right.mean().item<double>()},
           {"reversal", c}}};
}

std::vector<Parameter> adversarial_parameters() {
  return {{"weight", 1, 0, 1e6, "weight of the domain loss; 0: plain training"},
          {"discriminator-width", 1024, 1, 65536, "units in each of the two hidden layers", true},
          {"dropout", .5, 0, .99, "dropout probability in the discriminator"},
          {"discriminator-rate", 1, 0, 1e6, "learning rate of the discriminator, relative to --lr"},
          {"feature-rate", .1, 0, 1e6,
           "with --start: learning rate of all but the last layer or head, relative to --lr"}};
}

Requirements adversarial_needs(const Parameters& /*parameters*/) {
  return {.features = true, .unlabelled = true};
}

}  // namespace leeway::nn
