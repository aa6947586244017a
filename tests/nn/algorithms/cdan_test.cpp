// DANN and CDAN against another program, and what is CDAN's own.
#include <gtest/gtest.h>

#include "leeway/core/random.h"
#include "leeway/nn/train/conditional_map.h"
#include "leeway/nn/train/domain_adversarial.h"
#include "leeway/nn/train/reversal.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(DomainAdversarial, OneStepOfAnotherProgram) {
  for (const char* const name :
       {"dann", "cdan", "cdan_entropy", "cdan_joint", "cdan_random", "dann_one_output"}) {
    SCOPED_TRACE(name);
    toy::expect_reference_step(name);
  }
}

TEST(Cdan, TheOuterProductMultipliesInnerProducts) {
  const torch::Tensor f = torch::tensor({{1.f, 2.f, -1.f}, {.5f, 0.f, 3.f}}),
                      p = torch::tensor({{.2f, .8f}, {.7f, .3f}});
  const torch::Tensor t = outer_product(f, p);
  EXPECT_TRUE(t[0].allclose(torch::tensor({.2f, .4f, -.2f, .8f, 1.6f, -.8f}))) << "the first class first";
  EXPECT_NEAR(t[0].dot(t[1]).item<double>(), f[0].dot(f[1]).item<double>() * p[0].dot(p[1]).item<double>(),
              1e-6);
  EXPECT_TRUE(outer_product(f, torch::ones({2, 1})).equal(f)) << "of one class: as DANN";
  // of the random map, in the mean: a hundred maps of 1000 numbers
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const torch::Tensor r = RandomMap(3, 2, 1000, seed).forward(f, p);
    sum += r[0].dot(r[1]).item<double>() / 100;
  }
  EXPECT_NEAR(sum, t[0].dot(t[1]).item<double>(), .1);
}

// A linear D with weights a_k on p_k f: dL/df = -c (D - t) sum_k p_k a_k, and nothing for the logits.
TEST(Cdan, GradientsThroughTheProductByHand) {
  const torch::Tensor f = torch::tensor({{1.f, 2.f, -1.f}}).requires_grad_(),
                      logits = torch::tensor({{.3f, -.9f}}).requires_grad_(),
                      a = torch::tensor({{.5f, -.2f, .1f}, {.7f, .4f, -.6f}});
  const torch::Tensor p = logits.softmax(1);
  const double c = .4, t = 1;
  const torch::Tensor d = torch::sigmoid(reversed(outer_product(f, p.detach()), c).mv(a.flatten()));
  const auto gradients = torch::autograd::grad({-(t * d.log() + (1 - t) * (1 - d).log()).sum()}, {f, logits},
                                               {}, c10::nullopt, false, true);
  EXPECT_TRUE(gradients[0].allclose(-c * (d - t).detach() * p.detach().mm(a), 1e-4, 1e-6));
  EXPECT_FALSE(gradients[1].defined());
}

AlgorithmSetting cdan_of_tiny_network(std::map<std::string, double> given, std::uint64_t seed) {
  toy::ReferenceStep step("cdan");
  AlgorithmSetting setting = step.setting();
  initialize(*setting.network, 1);
  setting.seed = seed;
  setting.parameters = complete_parameters(algorithm("cdan"), given);
  return setting;
}

TEST(Cdan, ARandomMapIsKeptInTheState) {
  const auto make = [](std::uint64_t seed) {
    return algorithm("cdan").make(cdan_of_tiny_network({{"map", 1}, {"random-dim", 8}}, seed));
  };
  const auto first = make(3), again = make(3), other = make(4);
  EXPECT_TRUE(first->state().at("map.features").equal(again->state().at("map.features")));
  EXPECT_FALSE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  other->restore(first->state(), "state");
  EXPECT_TRUE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  const Tensors outer = algorithm("cdan").make(cdan_of_tiny_network({}, 3))->state();
  EXPECT_FALSE(outer.contains("map.classes")) << "15 numbers are few enough";
  EXPECT_EQ(outer.at("discriminator.0.weight").size(1), 15);
}

// Each half of the source with half of the target.
TEST(DomainAdversarial, PartsOfABatchAreAveraged) {
  for (const double conditioning : {0., 1.}) {
    const auto step = [&](double parts, std::int64_t begin, std::int64_t end) {
      toy::ReferenceStep reference("cdan");
      const auto member = algorithm("cdan").make(cdan_of_tiny_network(
          {{"entropy-conditioning", conditioning}, {"dropout", 0}, {"parts", parts}, {"reversal", .5}}, 3));
      Minibatches batches = reference.batches();
      batches.labelled = batches.labelled.slice(begin, end);
      batches.unlabelled.x = batches.unlabelled.x.slice(0, begin, end);
      return member->update(batches);
    };
    const Step both = step(2, 0, 6), first = step(1, 0, 3), second = step(1, 3, 6);
    EXPECT_NEAR(both.loss, (first.loss + second.loss) / 2, 1e-6);
    EXPECT_NEAR(both.parts.at("domain_loss"),
                (first.parts.at("domain_loss") + second.parts.at("domain_loss")) / 2, 1e-6);
    EXPECT_EQ(both.right, first.right + second.right);
  }
}

// Of two full parts one is missing at an epoch's end: half of the loss of what is there.
TEST(DomainAdversarial, APartThatIsMissingCountsAsNothing) {
  const auto step = [](double parts, std::vector<Part> given) {
    toy::ReferenceStep reference("cdan");
    const auto member = algorithm("cdan").make(
        cdan_of_tiny_network({{"dropout", 0}, {"parts", parts}, {"full-parts", 1}, {"reversal", .5}}, 3));
    Minibatches batches = reference.batches();
    const std::int64_t begin = given.front().begin, target = given.front().unlabelled_begin;
    batches.labelled = batches.labelled.slice(begin, given.back().end);
    batches.unlabelled.x = batches.unlabelled.x.slice(0, target, given.back().unlabelled_end);
    for (Part& part : given) {
      part.begin -= begin, part.end -= begin;
      part.unlabelled_begin -= target, part.unlabelled_end -= target;
    }
    batches.parts = std::move(given);
    return member->update(batches);
  };
  const Step whole = step(1, {{0, 3, 0, 6}}), half = step(2, {{0, 3, 0, 6}});
  EXPECT_NEAR(half.loss, whole.loss / 2, 1e-6);
  EXPECT_EQ(half.parts.at("domain_loss"), whole.parts.at("domain_loss"));
  EXPECT_EQ(half.right, whole.right);
  const Step first = step(1, {{0, 2, 0, 4}}), second = step(1, {{2, 3, 4, 6}}),
             both = step(2, {{0, 2, 0, 4}, {2, 3, 4, 6}});
  EXPECT_NEAR(both.loss, (first.loss + second.loss) / 2, 1e-6);
}

// Variance 2 / (inputs + outputs) of the discriminator's layers and of the network's last one, biases 0; all else as it was.
TEST(DomainAdversarial, NewLayersMayBeginAsGlorotAndBengioSay) {
  const auto state = [](double glorot) {
    return algorithm("cdan")
        .make(cdan_of_tiny_network({{"glorot-start", glorot}, {"discriminator-width", 200}}, 3))
        ->state();
  };
  const Tensors plain = state(0), found = state(1);
  for (const auto& [key, tensor] : found) {
    const bool is_new = key.starts_with("network.last.") || key.starts_with("discriminator.");
    if (!key.ends_with("weight") && !key.ends_with("bias")) continue;
    EXPECT_EQ(tensor.equal(plain.at(key)), !is_new) << key;
    if (is_new && key.ends_with("bias")) {
      EXPECT_EQ(tensor.abs().max().item<double>(), 0) << key;
    }
    if (!is_new || !key.ends_with("weight") || tensor.numel() < 400) continue;
    const double variance = 2. / static_cast<double>(tensor.size(0) + tensor.size(1));
    EXPECT_NEAR(tensor.pow(2).mean().item<double>() / variance, 1, .25) << key;
    if (tensor.numel() > 1000) {
      EXPECT_NEAR(tensor.pow(4).mean().item<double>() / variance / variance, 3, .6) << key << ": normal";
    }
  }
  // a bottleneck and the layer behind it, not the backbone's
  const auto network = make_network(architecture("bottleneck:small-cnn"), {1, 8, 8}, 4);
  initialize(*network, 3);
  Tensors before, after;
  add_tensors(before, "n", *network);
  for (auto& [key, tensor] : before) tensor = tensor.clone();
  AlgorithmSetting setting;
  setting.network = network, setting.features = hidden_units(*network, {1, 8, 8}), setting.classes = 4;
  setting.parameters = complete_parameters(algorithm("dann"), {{"glorot-start", 1}});
  (void)algorithm("dann").make(setting);
  add_tensors(after, "n", *network);
  for (const auto& [key, tensor] : after)
    EXPECT_EQ(tensor.equal(before.at(key)), key.starts_with("n.backbone.")) << key;
}

// Batch statistics of two passes or of one; the domain loss of networks without them does not see it.
TEST(DomainAdversarial, SourceAndTargetPassApartWhereAskedFor) {
  const torch::Tensor x = torch::rand({4, 1, 2, 3}), target = torch::rand({4, 1, 2, 3});
  for (const double apart : {0., 1.}) {
    AlgorithmSetting setting;
    const auto network = std::make_shared<toy::TinyNetwork>(6, 2, true);
    initialize(*network, 3);
    setting.network = network, setting.features = hidden_units(*network, {1, 2, 3}), setting.classes = 2;
    setting.parameters = complete_parameters(algorithm("dann"), {{"separate-passes", apart}});
    setting.optimizer.learning_rate = 0;
    const auto before = network->named_buffers()["norm.running_mean"].clone();
    const auto member = algorithm("dann").make(setting);
    member->set_training(true);
    Minibatches batches{Batch{x, torch::tensor({0, 1, 1, 0})}};
    batches.unlabelled.x = target;
    (void)member->update(batches);
    const Tensors state = member->state();
    const auto mean = [&](const torch::Tensor& images) { return toy::hidden_of(state, images).mean(0); };
    const torch::Tensor wanted = apart == 0 ? .9 * before + .1 * mean(torch::cat({x, target}))
                                            : .9 * (.9 * before + .1 * mean(x)) + .1 * mean(target);
    EXPECT_TRUE(state.at("network.norm.running_mean").allclose(wanted, 1e-4, 1e-6)) << apart;
  }
}

TEST(DomainAdversarial, TheReversalMayBeThatOfTheStepBefore) {
  const auto reversal = [](double late, std::size_t step) {
    toy::ReferenceStep reference("cdan");
    Minibatches batches = reference.batches();
    batches.step = step, batches.steps = 10;
    return algorithm("cdan")
        .make(cdan_of_tiny_network({{"late", late}}, 3))
        ->update(batches)
        .parts.at("reversal");
  };
  EXPECT_EQ(reversal(1, 1), 0);
  EXPECT_EQ(reversal(1, 2), 0);
  EXPECT_GT(reversal(0, 2), 0);
  EXPECT_EQ(reversal(1, 6), reversal(0, 5));
}

// linear - normalization - ReLU, twice, and a linear layer.
TEST(DomainAdversarial, ADiscriminatorMayBeNormalized) {
  Discriminator plain(3, 8), normalized(3, 8, true);
  initialize(plain, 3, stream("discriminator"));
  initialize(normalized, 3, stream("discriminator"));
  const torch::Tensor x = torch::rand({6, 3});
  auto weights = normalized.named_parameters();
  const auto layer = [&](const torch::Tensor& of, const char* name, bool last) {
    const torch::Tensor z =
        torch::linear(of, weights[std::string(name) + ".weight"], weights[std::string(name) + ".bias"]);
    if (last) return z;
    return torch::relu((z - z.mean(0)) / (z.var(0, false) + 1e-5).sqrt());
  };
  const torch::Tensor wanted = layer(layer(layer(x, "0", false), "1", false), "2", true);
  EXPECT_TRUE(normalized.forward(x, 0, 1, 1).allclose(wanted, 1e-4, 1e-5));
  EXPECT_FALSE(plain.forward(x, 0, 1, 1).allclose(wanted, 1e-4, 1e-5));
  const auto member = algorithm("cdan").make(cdan_of_tiny_network({{"discriminator-batchnorm", 1}}, 3));
  EXPECT_TRUE(member->state().contains("discriminator.norm1.running_mean"));
}

// Equal predictions are equally sure.
TEST(Cdan, OfUniformPredictionsConditioningChangesNothing) {
  std::vector<double> losses;
  for (const double conditioning : {0., 1., 2.}) {
    toy::ReferenceStep step("cdan");
    AlgorithmSetting setting =
        cdan_of_tiny_network({{"entropy-conditioning", conditioning}, {"dropout", 0}}, 3);
    const torch::NoGradGuard no_grad;
    for (auto& item : setting.network->named_parameters())
      if (item.key().starts_with("last.")) item.value().zero_();
    const auto member = algorithm("cdan").make(setting);
    Minibatches batches = step.batches();
    batches.labelled = batches.labelled.slice(0, 6);  // as many as of the target
    const torch::AutoGradMode grad(true);
    losses.push_back(member->update(batches).parts.at("domain_loss"));
  }
  EXPECT_NEAR(losses[1], losses[0], 1e-6);
  EXPECT_NEAR(losses[2], losses[0], 1e-6);
}

// Of k classes at logits 0: H = -log(1 / k + offset), the same of all rows, so that the loss stays; of other logits it moves.
TEST(Cdan, AnOffsetStandsInsideTheLogarithm) {
  std::vector<double> losses;
  for (const double offset : {0., 1e-9, .5}) {
    toy::ReferenceStep step("cdan");
    const AlgorithmSetting setting =
        cdan_of_tiny_network({{"entropy-conditioning", 2}, {"entropy-offset", offset}, {"dropout", 0}}, 3);
    const auto member = algorithm("cdan").make(setting);
    losses.push_back(member->update(step.batches()).parts.at("domain_loss"));
  }
  EXPECT_NEAR(losses[1], losses[0], 1e-6);
  EXPECT_GT(std::abs(losses[2] - losses[0]), 1e-6);
}

// A discriminator whose last layer is 0 has the loss ln 2 for every row. Then the last layer's bias differs by what goes through the
// weights alone: -c ln 2 / 2 times the sum over each domain's rows of dw_i / dF / sum of its w, dw / dF_c = exp(-H) p_c (log p_c + H).
TEST(Cdan, GradientsThroughTheEntropyWeightsByHand) {
  toy::ReferenceStep step("cdan");
  Minibatches batches = step.batches();
  batches.step = 51, batches.steps = 100;  // c = .986614
  const auto n = batches.labelled.x.size(0);
  std::vector<torch::Tensor> slopes;
  torch::Tensor logits;
  for (const double gradient : {0., 1.}) {
    const AlgorithmSetting setting = cdan_of_tiny_network(
        {{"entropy-conditioning", 1}, {"entropy-gradient", gradient}, {"dropout", 0}}, 3);
    const auto member = algorithm("cdan").make(setting);
    Tensors state = member->state();
    for (auto& [key, tensor] : state)
      tensor = key.starts_with("discriminator.2.") ? torch::zeros_like(tensor) : tensor.detach().clone();
    member->restore(state, "state");
    member->set_training(false);
    logits = member->predict()(torch::cat({batches.labelled.x, batches.unlabelled.x})).logits.detach();
    (void)member->update(batches);
    std::size_t number = 0;
    for (const auto& item : setting.network->named_parameters()) {
      if (item.key() == "last.bias") break;
      ++number;
    }
    slopes.push_back(member->state().at("first." + std::to_string(number)).clone() / .1);
  }
  const torch::Tensor log_p = logits.log_softmax(1), p = log_p.exp(), h = -(p * log_p).sum(1, true),
                      w = 1 + (-h).exp(), slope = (-h).exp() * p * (log_p + h);
  const torch::Tensor each = (slope.slice(0, 0, n) / w.slice(0, 0, n).sum()).sum(0) +
                             (slope.slice(0, n) / w.slice(0, n).sum()).sum(0);
  const torch::Tensor wanted = -.986614 * std::log(2) / 2 * each;
  EXPECT_GT(wanted.abs().max().item<double>(), 1e-4);
  EXPECT_LT((slopes[1] - slopes[0] - wanted).abs().max().item<double>(), 1e-6);
}

// A bottleneck learns as fast as the last layer.
TEST(Cdan, OnlyTheBackboneLearnsSlowlyFromGivenWeights) {
  TrainOptions options = quick("cdan");
  options.architecture = "bottleneck:small-cnn";
  options.learning_rate = .01;
  const auto moved = moved_from_given_weights(squares_of_two_cameras(100), options);
  EXPECT_NEAR(moved.at("classifier.bias"), .01, 1e-4);  // Adam's first step has the length of the rate
  EXPECT_NEAR(moved.at("bottleneck.bias"), .01, 1e-4);
  EXPECT_NEAR(moved.at("backbone.5.bias"), .001, 1e-5);
}

TEST(Cdan, OfWeightZeroHasTheBitsOfPlainTraining) {
  expect_the_bits_of_plain_training("cdan", {{"weight", 0}}, squares_of_two_cameras(100));
}

}  // namespace
}  // namespace leeway::nn
