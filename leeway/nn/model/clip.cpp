#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t clip_patch = 32, clip_width = 768, attention_heads = 12, clip_outputs = 512;
constexpr int transformer_layers = 12;

// CLIP's image tower, its outputs scaled to length 1 (the features), and a linear layer. With text embeddings
// of length 1, times 100, as head.weight, this is CLIP's zero-shot classifier. A vision transformer with
// QuickGELU and layer normalization before and after the blocks.
class ClipImages : public Network {
 public:
  ClipImages(const InputShape& input, std::int64_t classes) {
    const auto side = [](std::size_t size) { return static_cast<std::int64_t>(size) / clip_patch; };
    torch::nn::Module& visual = group(*this, "visual");
    conv1_ = visual.register_module(
        "conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(static_cast<std::int64_t>(input.channels),
                                                            clip_width, clip_patch)
                                       .stride(clip_patch)
                                       .bias(false)));
    class_embedding_ = visual.register_parameter("class_embedding", torch::empty({clip_width}));
    positions_ = visual.register_parameter(
        "positional_embedding", torch::empty({1 + side(input.height) * side(input.width), clip_width}));
    ln_pre_ = visual.register_module("ln_pre", layer_norm(clip_width, 1e-5));
    torch::nn::Module& blocks = group(group(visual, "transformer"), "resblocks");
    for (int i = 0; i < transformer_layers; ++i)
      blocks_.push_back(blocks.register_module(
          std::to_string(i),
          std::make_shared<TransformerBlock>(BlockShape{clip_width, attention_heads, 4 * clip_width, 1e-5,
                                                        true, "attn", "c_fc", "c_proj"})));
    ln_post_ = visual.register_module("ln_post", layer_norm(clip_width, 1e-5));
    proj_ = visual.register_parameter("proj", torch::empty({clip_width, clip_outputs}));
    head_ = register_module("head",
                            torch::nn::Linear(torch::nn::LinearOptions(clip_outputs, classes).bias(false)));
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
          made_as<ClipImages>,
          32};
}

}  // namespace leeway::nn
