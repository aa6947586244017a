#include <fmt/format.h>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

struct VitPlan {
  std::int64_t patch, width, heads, hidden;
  int layers;
};

// Linear patch embedding, class token, positions, blocks; the layer-normalized class token (the features); a
// linear layer. The image size is fixed by the positions.
class Vit : public Network {
 public:
  Vit(const VitPlan& plan, const InputShape& input, std::int64_t classes) {
    const std::int64_t patch = plan.patch, width = plan.width;
    const auto side = [&](std::size_t size) { return static_cast<std::int64_t>(size) / patch; };
    const std::int64_t tokens = 1 + side(input.height) * side(input.width);
    class_token_ = register_parameter("class_token", torch::empty({1, 1, width}));
    conv_proj_ = register_module(
        "conv_proj",
        torch::nn::Conv2d(
            torch::nn::Conv2dOptions(static_cast<std::int64_t>(input.channels), width, patch).stride(patch)));
    torch::nn::Module& encoder = group(*this, "encoder");
    positions_ = encoder.register_parameter("pos_embedding", torch::empty({1, tokens, width}));
    torch::nn::Module& layers = group(encoder, "layers");
    for (int i = 0; i < plan.layers; ++i)
      blocks_.push_back(layers.register_module(
          fmt::format("encoder_layer_{}", i),
          std::make_shared<TransformerBlock>(
              BlockShape{width, plan.heads, plan.hidden, 1e-6, false, "self_attention", "0", "3"})));
    ln_ = encoder.register_module("ln", layer_norm(width, 1e-6));
    head_ = group(*this, "heads").register_module("head", torch::nn::Linear(width, classes));
  }
  Forward forward(const torch::Tensor& x) override {
    torch::Tensor tokens = tokens_of(input_convolution(conv_proj_, x), class_token_, positions_);
    for (const auto& block : blocks_) tokens = block->forward(tokens);
    const torch::Tensor features = ln_(tokens.select(1, 0));
    return {head_(features), features};
  }

 private:
  torch::Tensor class_token_, positions_;
  torch::nn::Conv2d conv_proj_{nullptr};
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  torch::nn::LayerNorm ln_{nullptr};
  torch::nn::Linear head_{nullptr};
};

Architecture vision_transformer(const VitPlan& plan, const Member& member) {
  const auto patch = static_cast<std::size_t>(plan.patch);
  return {member, "heads.head.bias", patch, made_by<Vit>(plan), patch};
}

constexpr std::string_view conds_source = "Dosovitskiy et al., ICLR 2021; sizes of ConDS, Table 8";

}  // namespace

Architecture vit() {
  return vision_transformer(
      {4, 256, 8, 512, 8},
      {"vit", "vision transformer: patches of 4 pixels, 8 layers, 8 heads, width 256", conds_source});
}
Architecture vit_patch12() {
  return vision_transformer({12, 256, 8, 512, 8},
                            {"vit-patch12", "vit with patches of 12 pixels", conds_source});
}
Architecture vit_patch16() {
  return vision_transformer({16, 256, 8, 512, 8},
                            {"vit-patch16", "vit with patches of 16 pixels", conds_source});
}
Architecture vit_b_16() {
  return vision_transformer(
      {16, 768, 12, 3072, 12},
      {"vit-b-16", "vision transformer ViT-B/16: patches of 16 pixels, 12 layers, 12 heads, width 768",
       "Dosovitskiy et al., ICLR 2021; names of torchvision"});
}

}  // namespace leeway::nn
