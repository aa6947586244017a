#include <fmt/format.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/style.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// z: the maps in front of a stage, or the last hidden layer; G_f makes it, G_c and G_s, which begin alike, make logits of it.
// L_c = CE(G_c(SR(z)), y) trains G_f and G_c, L_s = CE(G_s(CR(z)), y) trains G_s, and
// L_adv = -weight mean_i (1/k) sum_c log softmax(G_s(CR(z)))_c trains the scales and shifts of G_f's batch normalization, or
// all of G_f where z is the last hidden layer. SR gives z another style, CR another content, those of another row each
// (style.h). The gradients are of one pass, and what two losses train takes one step along the sum: a step of Adam along the
// second alone would not see its weight. The network is G_c(G_f(x)).
//
// With separate the three losses step one after the other, content, style, adversary, each after a pass and with draws of its own, and
// by an optimizer of its own; where z is the last hidden layer the adversary's is that of the features, which the content's step uses, too.
// With style-held the content's holds G_s, too. With separate 2 the gradients are of one pass, in the order style, adversary, content: those of
// the second and third meet activations of before and weights that have changed.
//
// With dropout G_c and G_s see their last hidden layer with numbers left out, others each and in every pass.
class SagNet : public LossAlgorithm {
 public:
  explicit SagNet(const AlgorithmSetting& setting)
      : LossAlgorithm(setting),
        stage_(static_cast<std::size_t>(setting.parameters.at("stage"))),
        pooled_(setting.parameters.at("pooled") != 0) {
    pooled_ ? begin_pooled() : begin_maps();
    train_beside("style", style_, 1);
    if (parameter("own-head") != 0 && !pooled_) refuse("algorithm sagnet", "pooled 1, as own-head is 1", "0");
    if (!separate() && holds_style()) refuse("algorithm sagnet", "separate 1 or 2, as style-held is 1", "0");
    if (!separate()) return;
    std::vector<torch::Tensor> of_network = trained_weights(*setting.network);
    if (pooled_) of_network = {last_weight_, last_bias_};
    if (holds_style())
      for (const torch::Tensor& one : trained_weights(*style_)) of_network.push_back(one);
    content_turn_ = make_turn(of_network), style_turn_ = make_turn(trained_weights(*style_));
    adversary_turn_ = make_turn(moved_);
  }

  void prepare(TrainingSet& set) override {
    set_training(false);
    const torch::Tensor z = front(set.batch(std::span(set.training()).first(1)).x);
    bool moves = parameter("weight") == 0;
    if (!moves && !moved_.empty())
      for (const torch::Tensor& one : gradients_of(z.sum(), moved_)) moves |= one.defined();
    if (!moves && setting().frozen_backbone)
      refuse("algorithm sagnet", "a backbone that learns, as the adversary moves it (or weight 0)",
             "a frozen one");
    if (!moves)
      refuse("algorithm sagnet",
             fmt::format("a backbone with batch normalization before stage {} (or weight 0)", stage_),
             "none");
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const Pass pass = make_pass(batch, batches.step);
    const torch::Tensor logits = of_content(pass), told = of_style(pass);
    style_loss_ = mean_loss(told, batch);
    adversarial_loss_ = adversarial_loss(told);
    return {mean_loss(logits, batch), logits, {}, parts(batch, told, style_loss_, adversarial_loss_)};
  }

  [[nodiscard]] Step update(const Minibatches& batches) override {
    if (!separate()) return LossAlgorithm::update(batches);
    const Batch& batch = batches.labelled;
    torch::Tensor logits, loss, told, style_loss, against = torch::zeros({});
    const auto content_step = [&] {
      pooled_ ? step(loss, {&content_turn_, &adversary_turn_}, batches.rate)
              : step(loss, {&content_turn_}, batches.rate);
    };
    const auto adversary_step = [&] {
      if (parameter("weight") > 0)
        adversary_turn_.optimizer->step(clipped(gradients_of(against, adversary_turn_.weights)),
                                        batches.rate);
    };
    if (parameter("separate") == 2) {
      const Pass pass = make_pass(batch, batches.step);
      logits = of_content(pass), told = of_style(pass);
      loss = mean_loss(logits, batch), style_loss = mean_loss(told, batch);
      against = adversarial_loss(told);
      step(style_loss, {&style_turn_}, batches.rate);
      adversary_step();
      content_step();
    } else {
      logits = of_content(make_pass(batch, 3 * batches.step)), loss = mean_loss(logits, batch);
      content_step();
      told = of_style(make_pass(batch, 3 * batches.step + 1)), style_loss = mean_loss(told, batch);
      step(style_loss, {&style_turn_}, batches.rate);
      if (parameter("weight") > 0)
        against = adversarial_loss(of_style(make_pass(batch, 3 * batches.step + 2)));
      adversary_step();
    }
    const torch::Tensor right = logits.detach().argmax(1) == batch.y;
    return {loss.item<double>(),
            static_cast<std::size_t>(right.sum().item<std::int64_t>()),
            {},
            parts(batch, told, style_loss, against)};
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    for (const auto& [prefix, turn] : turns())
      for (const auto& [key, tensor] : turn->optimizer->state()) state[prefix + key] = tensor;
    return state;
  }
  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    for (const auto& [prefix, turn] : turns()) {
      Tensors own;
      for (const auto& [key, tensor] : state)
        if (key.starts_with(prefix)) own[key.substr(prefix.size())] = tensor;
      turn->optimizer->restore(own, name);
    }
  }

  void set_training(bool on) override {
    LossAlgorithm::set_training(on);
    nn::set_training(*style_, setting(), on);
  }

 protected:
  [[nodiscard]] std::vector<torch::Tensor> gradients(const Objective& found) override {
    const std::vector<torch::Tensor> all = weights(), of_style = trained_weights(*style_);
    std::vector<torch::Tensor> sum = gradients_of(found.loss, all);
    const auto add = [&](const std::vector<torch::Tensor>& to, const std::vector<torch::Tensor>& gradients) {
      for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
          if (gradients[i].defined() && all[j].is_same(to[i]))
            sum[j] = sum[j].defined() ? sum[j] + gradients[i] : gradients[i];
    };
    add(of_style, gradients_of(style_loss_, of_style));
    if (parameter("weight") > 0) add(moved_, clipped(gradients_of(adversarial_loss_, moved_)));
    style_loss_.reset(), adversarial_loss_.reset();
    return sum;
  }

 private:
  // One of the three losses' weights, where they step one after the other.
  struct Turn {
    std::vector<torch::Tensor> weights;
    std::unique_ptr<Optimizer> optimizer;
  };
  struct Pass {
    torch::Tensor z;
    StyleMix mix;
    std::size_t draw = 0;
  };

  [[nodiscard]] bool separate() const { return parameter("separate") != 0; }
  [[nodiscard]] bool holds_style() const { return parameter("style-held") != 0; }

  [[nodiscard]] Turn make_turn(const std::vector<torch::Tensor>& weights) const {
    std::vector<torch::Tensor> moved = weights;
    if (parameter("separate") ==
        2)  // torch does not notice a change of data, and goes backwards through a pass of before
      for (torch::Tensor& weight : moved) weight = weight.data();
    return {weights, make_optimizer(setting().optimizer, moved)};
  }
  // None where all take one step.
  [[nodiscard]] std::map<std::string, const Turn*> turns() const {
    if (!separate()) return {};
    return {{"steps.content.", &content_turn_},
            {"steps.style.", &style_turn_},
            {"steps.adversary.", &adversary_turn_}};
  }
  // All gradients are of the weights before the step; of a style network that is held they are 0.
  void step(const torch::Tensor& loss, const std::vector<const Turn*>& turns, double rate) const {
    std::vector<std::vector<torch::Tensor>> gradients;
    for (const Turn* const turn : turns) {
      gradients.push_back(gradients_of(loss, turn->weights));
      for (std::size_t i = 0; i < turn->weights.size() && holds_style() && turn == &content_turn_; ++i)
        if (torch::Tensor& one = gradients.back()[i]; !one.defined())
          one = torch::zeros_like(turn->weights[i]);
    }
    for (std::size_t i = 0; i < turns.size(); ++i) turns[i]->optimizer->step(gradients[i], rate);
  }

  [[nodiscard]] Pass make_pass(const Batch& batch, std::size_t draw) const {
    torch::Tensor z = front(batch.x);
    StyleMix mix = draw_style_mix(z.size(0), setting().seed, draw, z.device());
    return {std::move(z), std::move(mix), draw};
  }
  [[nodiscard]] torch::Tensor of_content(const Pass& pass) const {
    return rest(with_other_style(pass.z, pass.mix, parameter("variance") != 0), *setting().network,
                last_weight_, last_bias_, 2 * pass.draw);
  }
  [[nodiscard]] torch::Tensor of_style(const Pass& pass) const {
    const torch::Tensor other = with_other_content(pass.z, pass.mix, parameter("variance") != 0);
    return pooled_
               ? rest(other, *setting().network, style_layer_->weight, style_layer_->bias, 2 * pass.draw + 1)
               : rest(other, *style_network_, style_weight_, style_bias_, 2 * pass.draw + 1);
  }
  [[nodiscard]] torch::Tensor adversarial_loss(const torch::Tensor& told) const {
    const double offset = parameter("log-offset");
    const torch::Tensor logarithms =
        offset == 0 ? torch::log_softmax(told, 1) : (torch::softmax(told, 1) + offset).log();
    return -parameter("weight") * logarithms.mean();
  }
  [[nodiscard]] static std::map<std::string, double> parts(const Batch& batch, const torch::Tensor& told,
                                                           const torch::Tensor& style_loss,
                                                           const torch::Tensor& adversarial_loss) {
    return {{"style_loss", style_loss.item<double>()},
            {"style_accuracy", (told.argmax(1) == batch.y).to(torch::kFloat64).mean().item<double>()},
            {"adversarial_loss", adversarial_loss.item<double>()}};
  }

  static std::vector<torch::Tensor> gradients_of(const torch::Tensor& loss,
                                                 const std::vector<torch::Tensor>& weights) {
    if (weights.empty()) return {};
    return torch::autograd::grad({loss}, weights, {}, /*retain_graph=*/true, /*create_graph=*/false,
                                 /*allow_unused=*/true);
  }

  // All of them together to a norm of at most `clip`.
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

  // z
  [[nodiscard]] torch::Tensor front(const torch::Tensor& images) const {
    if (pooled_) return forward(images).features;
    Network& network = *setting().network;
    torch::Tensor maps = network_input(network, setting().normalization, images);
    for (std::size_t i = 0; i < stage_; ++i) maps = network.stage(i, maps);
    return maps;
  }

  // Weight and bias are of its last layer, where they are known.
  [[nodiscard]] torch::Tensor rest(torch::Tensor z, Network& network, const torch::Tensor& weight,
                                   const torch::Tensor& bias, std::size_t draw) const {
    const double left_out = parameter("dropout");
    if (!pooled_) {
      for (std::size_t i = stage_; i < network.stages(); ++i) z = network.stage(i, z);
      const Forward end = network.finish(z);
      if (left_out == 0) return end.logits;
      z = end.features;
    }
    if (left_out > 0)
      z = z *
          dropout_rows(z.sizes(), left_out, setting().seed, stream("sagnet dropout"), draw).to(z.device());
    return torch::linear(z, weight, bias);
  }

  // Weight and bias of a network's last layer.
  [[nodiscard]] std::pair<torch::Tensor, torch::Tensor> last_of(const Network& network) const {
    auto parameters = network.named_parameters();
    const std::string& head = setting().head;
    if (!parameters.contains(head + "weight") || !parameters.contains(head + "bias") ||
        parameters[head + "weight"].dim() != 2 || parameters[head + "weight"].size(1) != setting().features)
      refuse("algorithm sagnet", "a linear layer on the last hidden one (or pooled 0 and dropout 0)",
             "another");
    return {parameters[head + "weight"], parameters[head + "bias"]};
  }

  void begin_pooled() {
    const auto parameters = setting().network->named_parameters();
    const std::string& head = setting().head;
    std::tie(last_weight_, last_bias_) = last_of(*setting().network);
    style_layer_ = std::make_shared<torch::nn::LinearImpl>(last_weight_.size(1), last_weight_.size(0));
    const torch::NoGradGuard no_grad;
    if (parameter("own-head") == 0) {
      style_layer_->weight.copy_(last_weight_);
      style_layer_->bias.copy_(last_bias_);
    } else {
      initialize(*style_layer_, setting().seed, stream("sagnet style"));
    }
    style_layer_->to(setting().device);
    style_ = style_layer_;
    for (const auto& item : parameters)
      if (!item.key().starts_with(head) && item.value().requires_grad()) moved_.push_back(item.value());
  }

  void begin_maps() {
    Network& network = *setting().network;
    if (stage_ >= network.stages())
      refuse("algorithm sagnet", fmt::format("a backbone with stages up to {} (stage)", stage_),
             network.stages() == 0 ? "none" : fmt::format("up to {}", network.stages() - 1));
    style_network_ = setting().another();
    Tensors tensors;
    add_tensors(tensors, "style", network);
    take_tensors(tensors, "style", *style_network_, "algorithm sagnet");
    style_ = style_network_;
    if (parameter("dropout") > 0) {
      std::tie(last_weight_, last_bias_) = last_of(network);
      std::tie(style_weight_, style_bias_) = last_of(*style_network_);
    }
    for (const auto& module : network.modules(false))
      if (auto* const normalization = module->as<torch::nn::BatchNorm2d>())
        for (const torch::Tensor& one : normalization->parameters())
          if (one.requires_grad()) moved_.push_back(one);  // those behind z have no gradient
  }

  std::size_t stage_;
  bool pooled_;
  // Of the last layers of G_c and of a network G_s, where z is the last hidden layer or dropout meets it
  torch::Tensor last_weight_, last_bias_, style_weight_, style_bias_;
  std::shared_ptr<torch::nn::LinearImpl> style_layer_;
  std::shared_ptr<Network> style_network_;
  std::shared_ptr<torch::nn::Module> style_;  // either
  std::vector<torch::Tensor> moved_;          // by the adversary
  torch::Tensor style_loss_, adversarial_loss_;
  Turn content_turn_, style_turn_, adversary_turn_;
};

}  // namespace

AlgorithmMember sagnet() {
  return {
      {"sagnet",
       "style-agnostic training: classes from contents under other styles, features that hide the style",
       "Nam et al., CVPR 2021, section 3",
       {{"weight", .1, 0, 1e6, "of the adversarial loss; 0: styles are exchanged alone"},
        {"stage", 3, 1, 100, "whose input is given other styles: 3 is layer3 of a residual network", true},
        {"clip", .1, 0, 1e6, "largest norm of the adversarial gradient; 0: any"},
        {"variance", 0, 0, 1,
         "1: variances of two styles, over n - 1 numbers, are mixed in place of deviations, as programs do",
         true},
        {"separate", 0, 0, 2,
         "1: content, style and adversary step one after the other, each after a pass and by an optimizer of "
         "its own, as programs do; 2: style, adversary and content after one pass, whose weights have "
         "changed "
         "by then, as the method's program; 0: one step along the sum of their gradients",
         true},
        {"style-held", 0, 0, 1,
         "1: with separate the content's optimizer holds the style network, too, so that its decay and "
         "momentum "
         "move it, as in the method's program",
         true},
        {"dropout", 0, 0, .99,
         "share of the last hidden layer that is left out in a step, .5 in the method's program"},
        {"log-offset", 0, 0, 1,
         "added to the probability whose logarithm the adversary takes, 1e-5 in the method's program"},
        {"own-head", 0, 0, 1,
         "1: with pooled the style's layer begins with weights of its own, as ConDS; 0: with those of the "
         "content's",
         true},
        {"pooled", 0, 0, 1,
         "1: the style is mean and deviation of the last hidden layer, and the adversary moves all weights "
         "before it: with clip 0, variance 1 and separate 1 as ConDS",
         true}}},
      [](const std::map<std::string, double>& parameters) {
        Requirements needs;
        needs.stages = parameters.at("pooled") == 0;
        needs.features = parameters.at("pooled") != 0 || parameters.at("dropout") > 0;
        return needs;
      },
      make_algorithm<SagNet>};
}

}  // namespace leeway::nn
