// One step of an algorithm against a program in Python: a program of tests/reference/steps writes NAME.json (keys: common.py).
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "tests/nn/reference_weights.h"

namespace leeway::nn::toy {

// flatten - linear 5 - batch normalization, where asked for - tanh - linear k. The features are the five.
class TinyNetwork : public Network {
 public:
  TinyNetwork(std::int64_t pixels, std::int64_t classes, bool with_normalization) {
    hidden_ = register_module("hidden", torch::nn::Linear(pixels, 5));
    if (with_normalization) norm_ = register_module("norm", torch::nn::BatchNorm1d(5));
    last_ = register_module("last", torch::nn::Linear(5, classes));
  }
  Forward forward(const torch::Tensor& x) override {
    torch::Tensor z = hidden_(x.flatten(1));
    if (norm_) z = norm_(z);
    z = torch::tanh(z);
    return {last_(z), z};
  }

 private:
  torch::nn::Linear hidden_{nullptr}, last_{nullptr};
  torch::nn::BatchNorm1d norm_{nullptr};
};

class ReferenceStep {
 public:
  explicit ReferenceStep(const std::string& name)
      : json(nlohmann::json::parse(std::ifstream(LEEWAY_REFERENCE "/steps/" + name + ".json"))) {}

  static constexpr double tolerance = 1e-5;
  const nlohmann::json json;

  // A learning rate of 0; `features` where the network has a last hidden layer.
  [[nodiscard]] AlgorithmSetting setting() const {
    const std::vector<std::int64_t> shape = json["labelled"]["shape"];
    const InputShape input{static_cast<std::size_t>(shape[1]), static_cast<std::size_t>(shape[2]),
                           static_cast<std::size_t>(shape[3])};
    const auto classes = json.value<std::size_t>("classes", 3);
    const std::string name = json["architecture"];
    AlgorithmSetting setting;
    setting.another = [=]() -> std::shared_ptr<Network> {
      if (!name.starts_with("tiny")) return make_network(nn::architecture(name), input, classes);
      return std::make_shared<TinyNetwork>(static_cast<std::int64_t>(input.pixels()),
                                           static_cast<std::int64_t>(classes), name != "tiny");
    };
    setting.input = input, setting.network = setting.another();
    setting.network->eval();
    const torch::NoGradGuard no_grad;
    const Forward found = setting.network->forward(torch::zeros(sizes_of(2, input)));
    if (found.features.defined()) setting.features = found.features.size(1);
    setting.classes = static_cast<std::int64_t>(classes), setting.head = "last.";
    if (!name.starts_with("tiny")) {
      const std::string_view output = nn::architecture(name).output;
      setting.head = output.substr(0, output.rfind('.') + 1);
    }
    setting.parameters = complete_parameters(
        algorithm(json["algorithm"].get<std::string>()),
        json.value<std::map<std::string, double>>("parameters", std::map<std::string, double>{}));
    setting.optimizer.learning_rate = 0;
    return setting;
  }

  // Sharing memory of this object.
  [[nodiscard]] Minibatches batches() {
    Minibatches all;
    all.labelled = batch(json["labelled"]);
    if (json["labelled"].contains("environment")) {
      const std::vector<std::int64_t> codes = json["labelled"]["environment"];
      for (std::size_t from = 0, to = 0; from < codes.size(); from = to) {
        while (to < codes.size() && codes[to] == codes[from]) ++to;
        all.environments.push_back(
            all.labelled.slice(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to)));
      }
    }
    if (json.contains("unlabelled")) all.unlabelled = batch(json["unlabelled"]);
    all.epoch = json.value<std::size_t>("epoch", 1);
    all.step = json.value<std::size_t>("step", 1);
    all.steps = json.value<std::size_t>("steps", 100);
    return all;
  }

  // Weights by the formula, and what else the file says.
  void fill(Algorithm& member) const {
    Tensors state = member.state();
    for (auto& [key, tensor] : state) {
      for (const std::string prefix : json["filled"])
        if (key.starts_with(prefix) && tensor.is_floating_point() && !key.ends_with("running_mean") &&
            !key.ends_with("running_var"))
          tensor = to_tensor(reference_weights(key, to_array(tensor.detach())), key);
    }
    if (json.contains("state"))
      for (const auto& item : json["state"].items())
        state[item.key()] = torch::tensor(item.value().get<std::vector<double>>(), torch::kFloat64);
    member.restore(state, "reference");
  }

  // To `tolerance` of the largest number of a tensor, or of 1.
  void compare(const Step& step, const Tensors& state) const {
    const double loss = json["loss"];
    EXPECT_NEAR(step.loss, loss, tolerance * std::max(1., std::abs(loss)));
    const auto parts = json.value("parts", nlohmann::json::object());
    for (const auto& item : parts.items()) {
      const double value = item.value();
      EXPECT_NEAR(step.parts.at(item.key()), value, tolerance * std::max(1., std::abs(value))) << item.key();
    }
    for (const auto& item : json["gradients"].items()) {
      ASSERT_TRUE(state.contains(item.key())) << item.key();
      compare_gradient(state.at(item.key()).to(torch::kFloat64).flatten() / .1, item.value(), item.key());
    }
  }

 private:
  void expect_close(const torch::Tensor& found, const torch::Tensor& wanted, double scale,
                    const std::string& name) const {
    EXPECT_LE((found - wanted).abs().max().item<double>(), tolerance * scale) << name;
  }

  void compare_gradient(const torch::Tensor& found, const nlohmann::json& wanted,
                        const std::string& name) const {
    if (wanted.is_array()) {
      const torch::Tensor values = torch::tensor(wanted.get<std::vector<double>>(), torch::kFloat64);
      ASSERT_EQ(found.numel(), values.numel()) << name;
      return expect_close(found, values, std::max(1., values.abs().max().item<double>()), name);
    }
    const double norm = wanted["norm"], scale = std::max(1., norm);
    const std::int64_t stride = found.numel() / 16;
    const torch::Tensor direction =
        torch::tensor(noise("gradient", static_cast<std::size_t>(found.numel())), torch::kFloat64);
    EXPECT_NEAR(found.norm().item<double>(), norm, tolerance * scale) << name;
    EXPECT_NEAR(found.dot(direction).item<double>(), wanted["along"], tolerance * scale) << name;
    expect_close(found.slice(0, 0, 16 * stride, stride),
                 torch::tensor(wanted["some"].get<std::vector<double>>(), torch::kFloat64), scale, name);
  }

  static torch::Tensor pictures(const nlohmann::json& levels, const nlohmann::json& shape) {
    return torch::tensor(levels.get<std::vector<std::int64_t>>())
        .to(torch::kFloat32)
        .div_(255)
        .view(shape.get<std::vector<std::int64_t>>());
  }

  [[nodiscard]] Batch batch(const nlohmann::json& from) {
    Batch batch;
    batch.x = pictures(from["x"], from["shape"]);
    const auto numbers = [&](const char* name) {
      return from.contains(name) ? torch::tensor(from[name].get<std::vector<std::int64_t>>())
                                 : torch::Tensor();
    };
    batch.y = numbers("y"), batch.group = numbers("group");
    if (from.contains("views"))
      for (const auto& view : from["views"]) batch.views.push_back(pictures(view, from["shape"]));
    rows_.emplace_back(static_cast<std::size_t>(batch.x.size(0)));
    std::iota(rows_.back().begin(), rows_.back().end(), std::int64_t{0});
    batch.rows = rows_.back();
    return batch;
  }

  std::deque<std::vector<std::int64_t>> rows_;
};

// One step of an algorithm. `before`: what comes before the weights are filled in.
inline void expect_reference_step(const std::string& name,
                                  const std::function<void(Algorithm&)>& before = {}) {
  ReferenceStep step(name);
  const auto member = algorithm(step.json["algorithm"].get<std::string>()).make(step.setting());
  if (before) before(*member);
  step.fill(*member);
  member->set_training(true);
  const Step done = member->update(step.batches());
  step.compare(done, member->state());
}

}  // namespace leeway::nn::toy
