#include "leeway/nn/model/heads/pnd.h"

#include "leeway/nn/model/layers.h"

namespace leeway::nn {

struct PndExpert : torch::nn::Module {
  PndExpert(std::int64_t maps, std::int64_t classes) {
    constexpr std::int64_t inner = 128, outer = 512, units = 16;
    const auto tower = [&] {
      using torch::nn::Conv2dOptions;
      return torch::nn::Sequential(
          torch::nn::Conv2d(Conv2dOptions(maps, inner, 3).padding(1)), torch::nn::BatchNorm2d(inner),
          torch::nn::ReLU(), torch::nn::Conv2d(Conv2dOptions(inner, outer, 3).padding(1)), torch::nn::ReLU());
    };
    const auto classifier = [&] {
      return torch::nn::Sequential(torch::nn::Linear(2 * outer, units), torch::nn::BatchNorm1d(units),
                                   torch::nn::ReLU(), torch::nn::Linear(units, classes));
    };
    debiased_tower = register_module("debiased_tower", tower());
    biased_tower = register_module("biased_tower", tower());
    debiased = register_module("debiased", classifier());
    biased = register_module("biased", classifier());
  }

  torch::nn::Sequential debiased_tower{nullptr}, biased_tower{nullptr}, debiased{nullptr}, biased{nullptr};
};

Pnd::Pnd(const Backbone& on) : HeadedNetwork(on, 2), biased_(register_module("biased", on.make(2))) {
  torch::nn::Module& all = group(*this, "experts");
  const std::vector<StageShape> shapes = stage_shapes(backbone(), on.input);
  for (std::size_t i = 1; i < shapes.size(); ++i)
    experts_.push_back(all.register_module(std::to_string(i - 1),
                                           std::make_shared<PndExpert>(shapes[i].channels, on.classes)));
  const auto count = static_cast<std::int64_t>(experts_.size());
  gate_ = register_module("gate", torch::nn::Linear(count * on.classes, count));
}

std::vector<std::pair<torch::Tensor, torch::Tensor>> Pnd::features(const torch::Tensor& x) {
  std::vector<std::pair<torch::Tensor, torch::Tensor>> found;
  torch::Tensor d = backbone().stage(0, x), b = biased_->stage(0, x);
  for (std::size_t i = 0; i < experts_.size(); ++i) {
    d = backbone().stage(i + 1, d);
    b = biased_->stage(i + 1, b);
    found.emplace_back(map_means(experts_[i]->debiased_tower->forward(d)),
                       map_means(experts_[i]->biased_tower->forward(b)));
  }
  return found;
}

torch::Tensor Pnd::debiased(std::size_t i, const torch::Tensor& d, const torch::Tensor& b) {
  return experts_[i]->debiased->forward(torch::cat({d, b}, 1));
}

torch::Tensor Pnd::biased(std::size_t i, const torch::Tensor& d, const torch::Tensor& b) {
  return experts_[i]->biased->forward(torch::cat({d, b}, 1));
}

std::vector<Pnd::Expert> Pnd::experts(const torch::Tensor& x) {
  std::vector<Expert> found;
  for (const auto& pair : features(x)) {
    const std::size_t i = found.size();
    found.push_back({pair.first, pair.second, debiased(i, pair.first, pair.second.detach()),
                     biased(i, pair.first.detach(), pair.second)});
  }
  return found;
}

torch::Tensor Pnd::mixed(const std::vector<torch::Tensor>& outputs, bool still) {
  const torch::Tensor shares = torch::softmax(gate_(torch::cat(outputs, 1)), 1);  // (n, experts)
  torch::Tensor sum;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i);
    const torch::Tensor part =
        shares.slice(1, column, column + 1) * (still ? outputs[i].detach() : outputs[i]);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

torch::Tensor Pnd::mixture(const std::vector<Expert>& experts) {
  std::vector<torch::Tensor> outputs;
  for (const Expert& expert : experts) outputs.push_back(expert.debiased);
  return mixed(outputs, true);
}

Forward Pnd::forward(const torch::Tensor& x) {
  std::vector<torch::Tensor> outputs;
  for (const auto& pair : features(x)) outputs.push_back(debiased(outputs.size(), pair.first, pair.second));
  return {mixed(outputs, false), {}};
}

HeadMember pnd_head() {
  return {{"pnd", "experts after each block of a debiased and a biased network, with a gate",
           "Li, Vo and Nakayama, ICCV 2023"},
          "experts.0.debiased.3.bias",
          make_head<Pnd>};
}

}  // namespace leeway::nn
