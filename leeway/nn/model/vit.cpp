// Vision transformers: a linear embedding of patches behind a class token, positions, transformer blocks, a linear
// layer on what the class token became. The image size is fixed by the positions.

#include "leeway/nn/model/transformer.h"

namespace leeway::nn {
namespace {

class Vit : public Transformer {
 public:
  Vit(const TransformerPlan& plan, const InputShape& input, std::int64_t classes) {
    class_token_ = register_parameter("class_token", torch::empty({1, 1, plan.width}));
    patches_ = register_module("conv_proj", patch_embedding(plan, input, true));
    torch::nn::Module& encoder = group(*this, "encoder");
    positions_ =
        encoder.register_parameter("pos_embedding", torch::empty({1, count_tokens(plan, input), plan.width}));
    blocks_ = transformer_blocks(group(encoder, "layers"), "encoder_layer_", plan);
    ln_ = encoder.register_module("ln", layer_norm(plan));
    head_ = group(*this, "heads").register_module("head", torch::nn::Linear(plan.width, classes));
  }
};

Architecture vision_transformer(std::int64_t patch, std::int64_t width, std::int64_t heads,
                                std::int64_t hidden, std::int64_t layers, const Member& member) {
  const TransformerPlan plan{patch, width, heads, hidden, layers, 1e-6, false, "self_attention", "0", "3"};
  const auto side = static_cast<std::size_t>(patch);
  return {member, "heads.head.bias", side, made_by<Vit>(plan), side};
}

constexpr std::string_view conds_source = "Dosovitskiy et al., ICLR 2021; sizes as in ConDS, Table 8";

}  // namespace

std::vector<Architecture> vision_transformers() {
  return {
      vision_transformer(
          4, 256, 8, 512, 8,
          {"vit", "vision transformer with patches of 4 pixels, 8 layers, 8 heads, width 256", conds_source}),
      vision_transformer(12, 256, 8, 512, 8, {"vit-patch12", "vit with patches of 12 pixels", conds_source}),
      vision_transformer(16, 256, 8, 512, 8, {"vit-patch16", "vit with patches of 16 pixels", conds_source}),
      vision_transformer(
          16, 768, 12, 3072, 12,
          {"vit-b-16", "vision transformer ViT-B/16: patches of 16 pixels, 12 layers, 12 heads, width 768",
           "Dosovitskiy et al., ICLR 2021; names as in torchvision"})};
}

}  // namespace leeway::nn
