// Vision transformers: a linear embedding of patches behind a class token, positions, transformer blocks, a linear
// layer on what the class token became. The image size is fixed by the positions.

#include <cmath>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

struct TransformerPlan {
  std::int64_t patch, width, heads, hidden;
  int layers;
  double eps;                            // of the layer normalizations
  bool quick = false;                    // x sigmoid(1.702 x) in place of GELU
  std::string attention, first, second;  // names: of the attention, of both layers within "mlp"
};

torch::nn::LayerNorm layer_norm(const TransformerPlan& plan) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({plan.width}).eps(plan.eps));
}

// softmax(q k' / sqrt(d)) v per head, then a linear layer; (n,t,width) to the same. One layer for q, k, v, as in
// nn.MultiheadAttention.
class Attention : public torch::nn::Module {
 public:
  Attention(std::int64_t width, std::int64_t heads) : heads_(heads) {
    weight_ = register_parameter("in_proj_weight", torch::empty({3 * width, width}));
    bias_ = register_parameter("in_proj_bias", torch::empty({3 * width}));
    out_proj_ = register_module("out_proj", torch::nn::Linear(width, width));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const std::int64_t n = x.size(0), t = x.size(1), width = x.size(2), each = width / heads_;
    const std::vector<torch::Tensor> parts = torch::nn::functional::linear(x, weight_, bias_)
                                                 .view({n, t, 3, heads_, each})
                                                 .permute({2, 0, 3, 1, 4})
                                                 .unbind(0);  // q, k, v: (n,heads,t,each)
    const torch::Tensor q = parts[0] / std::sqrt(static_cast<double>(each));
    const torch::Tensor shares = torch::matmul(q, parts[1].transpose(2, 3)).softmax(3);
    return out_proj_(torch::matmul(shares, parts[2]).transpose(1, 2).reshape({n, t, width}));
  }

 private:
  std::int64_t heads_;
  torch::Tensor weight_, bias_;
  torch::nn::Linear out_proj_{nullptr};
};

// x + attention(ln(x)), then x + mlp(ln(x)); (n,t,width) to the same.
class TransformerBlock : public torch::nn::Module {
 public:
  explicit TransformerBlock(const TransformerPlan& plan) : quick_(plan.quick) {
    ln_1_ = register_module("ln_1", layer_norm(plan));
    attention_ = register_module(plan.attention, std::make_shared<Attention>(plan.width, plan.heads));
    ln_2_ = register_module("ln_2", layer_norm(plan));
    torch::nn::Module& mlp = group(*this, "mlp");
    first_ = mlp.register_module(plan.first, torch::nn::Linear(plan.width, plan.hidden));
    second_ = mlp.register_module(plan.second, torch::nn::Linear(plan.hidden, plan.width));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor attended = x + attention_->forward(ln_1_(x));
    const torch::Tensor hidden = first_(ln_2_(attended));
    return attended + second_(quick_ ? hidden * torch::sigmoid(1.702 * hidden) : torch::gelu(hidden));
  }

 private:
  bool quick_;
  torch::nn::LayerNorm ln_1_{nullptr}, ln_2_{nullptr};
  std::shared_ptr<Attention> attention_;
  torch::nn::Linear first_{nullptr}, second_{nullptr};
};

class Transformer : public Network {
 public:
  Forward forward(const torch::Tensor& x) override {
    const torch::Tensor patches = input_convolution(patches_, x).flatten(2).transpose(1, 2);  // by rows
    torch::Tensor tokens =
        torch::cat({class_token_.view({1, 1, -1}).expand({x.size(0), 1, -1}), patches}, 1) + positions_;
    if (ln_before_) tokens = ln_before_(tokens);
    for (const auto& block : blocks_) tokens = block->forward(tokens);
    const torch::Tensor features = features_of(ln_(tokens.select(1, 0)));
    return {head_(features), features};
  }

 protected:
  [[nodiscard]] virtual torch::Tensor features_of(const torch::Tensor& seen) { return seen; }

  static torch::nn::Conv2d patch_embedding(const TransformerPlan& plan, const InputShape& input, bool bias) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(channels, plan.width, plan.patch).stride(plan.patch).bias(bias));
  }
  static std::int64_t count_tokens(const TransformerPlan& plan, const InputShape& input) {
    const auto side = [&](std::size_t size) { return static_cast<std::int64_t>(size) / plan.patch; };
    return 1 + side(input.height) * side(input.width);
  }
  void add_blocks(torch::nn::Module& owner, const std::string& prefix, const TransformerPlan& plan) {
    for (int i = 0; i < plan.layers; ++i)
      blocks_.push_back(
          owner.register_module(prefix + std::to_string(i), std::make_shared<TransformerBlock>(plan)));
  }

  torch::Tensor class_token_, positions_;
  torch::nn::Conv2d patches_{nullptr};
  std::vector<std::shared_ptr<TransformerBlock>> blocks_;
  torch::nn::LayerNorm ln_before_{nullptr}, ln_{nullptr};  // before the blocks, on the class token after them
  torch::nn::Linear head_{nullptr};
};

class Vit : public Transformer {
 public:
  Vit(const TransformerPlan& plan, const InputShape& input, std::int64_t classes) {
    class_token_ = register_parameter("class_token", torch::empty({1, 1, plan.width}));
    patches_ = register_module("conv_proj", patch_embedding(plan, input, true));
    torch::nn::Module& encoder = group(*this, "encoder");
    positions_ =
        encoder.register_parameter("pos_embedding", torch::empty({1, count_tokens(plan, input), plan.width}));
    add_blocks(group(encoder, "layers"), "encoder_layer_", plan);
    ln_ = encoder.register_module("ln", layer_norm(plan));
    head_ = group(*this, "heads").register_module("head", torch::nn::Linear(plan.width, classes));
  }
};

// CLIP's image tower, its outputs scaled to length 1 (the features), and a linear layer. With text embeddings
// of length 1, times 100, as head.weight, this is CLIP's zero-shot classifier.
class ClipImages : public Transformer {
 public:
  ClipImages(const TransformerPlan& plan, const InputShape& input, std::int64_t classes) {
    constexpr std::int64_t outputs = 512;
    torch::nn::Module& visual = group(*this, "visual");
    patches_ = visual.register_module("conv1", patch_embedding(plan, input, false));
    class_token_ = visual.register_parameter("class_embedding", torch::empty({plan.width}));
    positions_ = visual.register_parameter("positional_embedding",
                                           torch::empty({count_tokens(plan, input), plan.width}));
    ln_before_ = visual.register_module("ln_pre", layer_norm(plan));
    add_blocks(group(group(visual, "transformer"), "resblocks"), "", plan);
    ln_ = visual.register_module("ln_post", layer_norm(plan));
    proj_ = visual.register_parameter("proj", torch::empty({plan.width, outputs}));
    head_ =
        register_module("head", torch::nn::Linear(torch::nn::LinearOptions(outputs, classes).bias(false)));
  }

 private:
  [[nodiscard]] torch::Tensor features_of(const torch::Tensor& seen) override {
    const torch::Tensor projected = torch::matmul(seen, proj_);
    return projected / projected.norm(2, 1, true);
  }

  torch::Tensor proj_;
};

Architecture vision_transformer(std::int64_t patch, std::int64_t width, std::int64_t heads,
                                std::int64_t hidden, int layers, const Member& member) {
  const TransformerPlan plan{patch, width, heads, hidden, layers, 1e-6, false, "self_attention", "0", "3"};
  const auto side = static_cast<std::size_t>(patch);
  return {member, "heads.head.bias", side, made_by<Vit>(plan), side};
}

constexpr std::string_view conds_source = "Dosovitskiy et al., ICLR 2021; sizes of ConDS, Table 8";

}  // namespace

std::vector<Architecture> vision_transformers() {
  const TransformerPlan clip{32, 768, 12, 3072, 12, 1e-5, true, "attn", "c_fc", "c_proj"};
  return {
      vision_transformer(
          4, 256, 8, 512, 8,
          {"vit", "vision transformer: patches of 4 pixels, 8 layers, 8 heads, width 256", conds_source}),
      vision_transformer(12, 256, 8, 512, 8, {"vit-patch12", "vit with patches of 12 pixels", conds_source}),
      vision_transformer(16, 256, 8, 512, 8, {"vit-patch16", "vit with patches of 16 pixels", conds_source}),
      vision_transformer(
          16, 768, 12, 3072, 12,
          {"vit-b-16", "vision transformer ViT-B/16: patches of 16 pixels, 12 layers, 12 heads, width 768",
           "Dosovitskiy et al., ICLR 2021; names of torchvision"}),
      {{"clip-vit-b-32",
        "CLIP's image encoder ViT-B/32 and a linear layer without bias on its unit-length outputs",
        "Radford et al., ICML 2021; names of OpenAI's weights"},
       "head.weight",
       32,
       made_by<ClipImages>(clip),
       32}};
}

}  // namespace leeway::nn
