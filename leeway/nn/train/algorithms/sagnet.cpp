#include <fmt/format.h>

#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Style and content randomization of feature maps (Nam et al., CVPR 2021, section 3.1).

// For each row: the row that gives style or content, and the share of its own style that it keeps.
struct StyleMix {
  torch::Tensor order;  // (n), a permutation: z' = z[order]
  torch::Tensor share;  // (n), alpha in (0,1)
};

// Mean mu and standard deviation sigma of each of the maps z (n,c,h,w), sigma^2 = variance + 1e-5, and
// (z - mu) / sigma.
struct Style {
  explicit Style(const torch::Tensor& z)
      : cells(z.flatten(2)),
        mean(cells.mean(2, true)),
        deviation(((cells - mean).square().sum(2, true) / static_cast<double>(cells.size(2)) + 1e-5).sqrt()),
        content((cells - mean) / deviation) {}
  torch::Tensor cells, mean, deviation, content;
};

StyleMix draw_style_mix(std::int64_t n, std::uint64_t seed, std::size_t step, torch::Device device) {
  Random random(seed, stream("exchanged styles"), step);
  const auto order = permutation<std::int64_t>(static_cast<std::size_t>(n), random);
  std::vector<float> share;
  for (std::int64_t i = 0; i < n; ++i) share.push_back(static_cast<float>(random.uniform()));
  return {torch::tensor(order).to(device), torch::tensor(share).to(device)};
}

// SR(z) = (alpha sigma + (1 - alpha) sigma') (z - mu) / sigma + alpha mu + (1 - alpha) mu'.
torch::Tensor with_other_style(const torch::Tensor& z, const StyleMix& mix) {
  const Style own(z);
  const torch::Tensor share = mix.share.view({-1, 1, 1});
  const auto mixed = [&](const torch::Tensor& numbers) {
    return share * numbers + (1 - share) * numbers.index_select(0, mix.order);
  };
  return (own.content * mixed(own.deviation) + mixed(own.mean)).view(z.sizes());
}

// CR(z) = sigma (z' - mu') / sigma' + mu, where (z' - mu') / sigma' has no gradient.
torch::Tensor with_other_content(const torch::Tensor& z, const StyleMix& mix) {
  const Style own(z);
  const torch::Tensor content = own.content.detach().index_select(0, mix.order);
  return (content * own.deviation + own.mean).view(z.sizes());
}

// Style-agnostic networks (Nam et al., CVPR 2021, section 3). A network is cut in front of a stage: G_f makes maps z = G_f(x), the content
// network G_c and the style network G_s, a copy of G_c, classify them. With the style or the content of z randomized:
//   content    L_c = CE(G_c(SR(z)), y)                                   trains G_f and G_c,
//   style      L_s = CE(G_s(CR(z)), y)                                   trains G_s,
//   adversary  L_adv = -weight mean_i (1/K) sum_k log softmax(G_s(CR(z)))_ik   trains scales and shifts of batch normalization in G_f.
// One pass gives all gradients and the optimizer takes one step along their sum: a step of Adam along L_adv alone would not depend on
// its weight. The network predicts G_c(G_f(x)).
class SagNet : public Algorithm {
 public:
  explicit SagNet(const AlgorithmSetting& setting)
      : Algorithm(setting), stage_(static_cast<std::size_t>(setting.parameters.at("stage"))) {
    Network& network = *setting.network;
    if (stage_ >= network.stages())
      refuse("algorithm sagnet", fmt::format("a backbone with stages up to {} (stage)", stage_),
             network.stages() == 0 ? "none" : fmt::format("up to {}", network.stages() - 1));
    style_network_ = setting.another();
    copy_tensors(network, *style_network_);
    train_beside("style", style_network_, 1);
    for (const auto& module : network.modules(false))
      if (auto* const normalization = module->as<torch::nn::BatchNorm2d>())
        for (const torch::Tensor& one : normalization->parameters())
          if (one.requires_grad()) of_adversary_.push_back(one);  // those behind z have no gradient
  }

  void prepare(TrainingSet& set) override {
    if (parameter("weight") == 0) return;
    set_training(false);
    const torch::Tensor z = front(set.batch(std::span(set.training()).first(1)).x);
    if (!of_adversary_.empty())
      for (const torch::Tensor& one : gradients_of(z.sum(), of_adversary_))
        if (one.defined()) return;
    if (setting().frozen_backbone)
      refuse("algorithm sagnet", "a backbone that is trained, because the adversary changes it (or weight 0)",
             "a frozen one");
    refuse("algorithm sagnet",
           fmt::format("a backbone with batch normalization before stage {} (or weight 0)", stage_), "none");
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor z = front(batch.x);
    const StyleMix mix = draw_style_mix(z.size(0), setting().seed, batches.step, z.device());
    const torch::Tensor content = rest(*setting().network, with_other_style(z, mix)),
                        style = rest(*style_network_, with_other_content(z, mix));
    style_loss_ = mean_loss(style, batch);
    adversarial_loss_ = -parameter("weight") * torch::log_softmax(style, 1).mean();
    return {mean_loss(content, batch),
            content,
            {{"style_loss", style_loss_.item<double>()},
             {"style_accuracy", (style.argmax(1) == batch.y).to(torch::kFloat64).mean().item<double>()},
             {"adversarial_loss", adversarial_loss_.item<double>()}}};
  }

  void set_training(bool on) override {
    Algorithm::set_training(on);
    nn::set_training(*style_network_, setting(), on);
  }

 protected:
  [[nodiscard]] std::vector<torch::Tensor> gradients(const Objective& found) override {
    const std::vector<torch::Tensor> all = weights(), of_style = trained_weights(*style_network_);
    std::vector<torch::Tensor> sum = gradients_of(found.loss, all);
    const auto add = [&](const std::vector<torch::Tensor>& to, const std::vector<torch::Tensor>& gradients) {
      for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
          if (gradients[i].defined() && all[j].is_same(to[i]))
            sum[j] = sum[j].defined() ? sum[j] + gradients[i] : gradients[i];
    };
    add(of_style, gradients_of(style_loss_, of_style));
    if (parameter("weight") > 0) add(of_adversary_, clipped(gradients_of(adversarial_loss_, of_adversary_)));
    style_loss_.reset(), adversarial_loss_.reset();
    return sum;
  }

 private:
  static std::vector<torch::Tensor> gradients_of(const torch::Tensor& loss,
                                                 const std::vector<torch::Tensor>& weights) {
    if (weights.empty()) return {};
    return torch::autograd::grad({loss}, weights, {}, /*retain_graph=*/true, /*create_graph=*/false,
                                 /*allow_unused=*/true);
  }

  // Scaled so that their joint norm is at most `clip`.
  [[nodiscard]] std::vector<torch::Tensor> clipped(std::vector<torch::Tensor> gradients) const {
    double square = 0;
    for (const torch::Tensor& one : gradients)
      if (one.defined()) square += one.to(torch::kFloat64).square().sum().item<double>();
    const double most = parameter("clip"), norm = std::sqrt(square);
    if (most == 0 || norm <= most) return gradients;
    for (torch::Tensor& one : gradients)
      if (one.defined()) one = one * (most / norm);
    return gradients;
  }

  [[nodiscard]] torch::Tensor front(const torch::Tensor& images) const {
    torch::Tensor z = normalize(setting().normalization, setting().network->prepare(images));
    for (std::size_t i = 0; i < stage_; ++i) z = setting().network->stage(i, z);
    return z;
  }

  [[nodiscard]] torch::Tensor rest(Network& network, torch::Tensor z) const {
    for (std::size_t i = stage_; i < network.stages(); ++i) z = network.stage(i, z);
    return network.finish(z).logits;
  }

  std::size_t stage_;
  std::shared_ptr<Network> style_network_;   // G_s; its first stages are not used
  std::vector<torch::Tensor> of_adversary_;  // the weights that L_adv trains
  torch::Tensor style_loss_, adversarial_loss_;
};

}  // namespace

AlgorithmMember sagnet() {
  return {{"sagnet",
           "style-agnostic training: classify content under random styles, against a style adversary",
           "Nam et al., CVPR 2021, section 3",
           {{"weight", .1, 0, 1e6, "weight of the adversarial loss; 0: only style randomization"},
            {"stage", 3, 1, 100, "stage whose input is restyled (3: layer3 of a residual network)", true},
            {"clip", .1, 0, 1e6, "maximum norm of the adversarial gradient (0: no limit)"}}},
          [](const Parameters&) { return Requirements{.stages = true}; },
          make_algorithm<SagNet>};
}

}  // namespace leeway::nn
