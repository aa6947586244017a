
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

struct ClipPlan {
  std::int64_t patch, width, heads, outputs;
  int layers;
};

// CLIP's image tower, its outputs scaled to length 1 (the features), and a linear layer. With text embeddings
// of length 1, times 100, as head.weight, this is CLIP's zero-shot classifier. A vision transformer with
// QuickGELU and layer normalization before and after the blocks.
class ClipImages : public Network {
 public:
  ClipImages(const ClipPlan& plan, const InputShape& input, std::int64_t classes) {
    const std::int64_t patch = plan.patch, width = plan.width;
    const auto side = [&](std::size_t size) { return static_cast<std::int64_t>(size) / patch; };
    torch::nn::Module& visual = group(*this, "visual");
    conv1_ = visual.register_module(
        "conv1",
        torch::nn::Conv2d(torch::nn::Conv2dOptions(static_cast<std::int64_t>(input.channels), width, patch)
                              .stride(patch)
                              .bias(false)));
    class_embedding_ = visual.register_parameter("class_embedding", torch::empty({width}));
    positions_ = visual.register_parameter("positional_embedding",
                                           torch::empty({1 + side(input.height) * side(input.width), width}));
    ln_pre_ = visual.register_module("ln_pre", layer_norm(width, 1e-5));
    torch::nn::Module& blocks = group(group(visual, "transformer"), "resblocks");
    for (int i = 0; i < plan.layers; ++i)
      blocks_.push_back(blocks.register_module(
          std::to_string(i), std::make_shared<TransformerBlock>(BlockShape{width, plan.heads, 4 * width, 1e-5,
                                                                           true, "attn", "c_fc", "c_proj"})));
    ln_post_ = visual.register_module("ln_post", layer_norm(width, 1e-5));
    proj_ = visual.register_parameter("proj", torch::empty({width, plan.outputs}));
    head_ = register_module("head",
                            torch::nn::Linear(torch::nn::LinearOptions(plan.outputs, classes).bias(false)));
  }
  Forward forward(const torch::Tensor& x) override {
    torch::Tensor tokens =
        ln_pre_(tokens_of(input_convolution(conv1_, x), class_embedding_.view({1, 1, -1}), positions_));
    for (const auto& block : blocks_) tokens = block->forward(tokens);
    const torch::Tensor seen = torch::matmul(ln_post_(tokens.select(1, 0)), proj_);
    const torch::Tensor features = seen / seen.norm(2, 1, true);
    return {head_(features), features};
  }

 private:
  torch::Tensor class_embedding_, positions_, proj_;
  torch::nn::Conv2d conv1_{nullptr};
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  torch::nn::LayerNorm ln_pre_{nullptr}, ln_post_{nullptr};
  torch::nn::Linear head_{nullptr};
};

}  // namespace

Architecture clip_vit_b_32() {
  return {{"clip-vit-b-32",
           "CLIP's image encoder ViT-B/32 and a linear layer without bias on its unit-length outputs",
           "Radford et al., ICML 2021; names of OpenAI's weights"},
          "head.weight",
          32,
          [](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
            return std::make_shared<ClipImages>(ClipPlan{32, 768, 12, 512, 12}, input, classes);
          },
          32};
}

}  // namespace leeway::nn
