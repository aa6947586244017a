#include "leeway/nn/model/clip.h"

#include <algorithm>
#include <cmath>

#include "leeway/nn/model/transformer.h"

namespace leeway::nn {
namespace {

TransformerPlan blocks_of(const ClipTower& tower, std::int64_t patch, bool causal) {
  return {patch,       tower.width, tower.heads, 4 * tower.width, tower.layers, 1e-5,
          tower.quick, "attn",      "c_fc",      "c_proj",        causal};
}

torch::Tensor of_length_one(const torch::Tensor& rows) { return rows / rows.norm(2, 1, true); }

class ClipImages : public Transformer {
 public:
  ClipImages(const ClipImagePlan& clip, const InputShape& input, std::int64_t classes)
      : height_(static_cast<std::int64_t>(input.height)), width_(static_cast<std::int64_t>(input.width)) {
    const TransformerPlan plan = blocks_of(clip.tower, clip.patch, false);
    std::int64_t positions = count_tokens(plan, input);
    const bool fits = height_ % clip.patch == 0 && width_ % clip.patch == 0;
    if (clip.positions > 0 && !(fits && positions == clip.positions)) {
      positions = clip.positions;
      height_ = width_ = clip.patch * std::lround(std::sqrt(static_cast<double>(positions - 1)));
    }
    torch::nn::Module& visual = group(*this, "visual");
    patches_ = visual.register_module("conv1", patch_embedding(plan, input, false));
    class_token_ = visual.register_parameter("class_embedding", torch::empty({plan.width}));
    positions_ = visual.register_parameter("positional_embedding", torch::empty({positions, plan.width}));
    ln_before_ = visual.register_module("ln_pre", layer_norm(plan));
    blocks_ = transformer_blocks(group(group(visual, "transformer"), "resblocks"), "", plan);
    ln_ = visual.register_module("ln_post", layer_norm(plan));
    proj_ = visual.register_parameter("proj", torch::empty({plan.width, clip.outputs}));
    head_ = register_module("head",
                            torch::nn::Linear(torch::nn::LinearOptions(clip.outputs, classes).bias(false)));
  }

  torch::Tensor prepare(const torch::Tensor& images) override {
    const std::int64_t height = images.size(2), width = images.size(3);
    if (height == height_ && width == width_) return images;
    const std::int64_t shorter = std::min(height, width);
    const std::int64_t rows = height_ * height / shorter, columns = width_ * width / shorter;
    const auto middle = [](const torch::Tensor& x, std::int64_t dimension, std::int64_t size) {
      const std::int64_t start =
          std::lrint(static_cast<double>(x.size(dimension) - size) / 2);  // half to even
      return x.narrow(dimension, start, size);
    };
    const torch::Tensor resized =
        at::_upsample_bicubic2d_aa(images, {rows, columns}, false, c10::nullopt, c10::nullopt).clamp(0, 1);
    return middle(middle(resized, 2, height_), 3, width_);
  }

 private:
  [[nodiscard]] torch::Tensor features_of(const torch::Tensor& seen) override {
    return of_length_one(torch::matmul(seen, proj_));
  }

  std::int64_t height_, width_;
  torch::Tensor proj_;
};

class ClipText : public Network {
 public:
  explicit ClipText(const ClipTextPlan& clip) : end_(clip.tokens - 1) {
    const TransformerPlan plan = blocks_of(clip.tower, 0, true);
    embedding_ =
        group(*this, "token_embedding").register_parameter("weight", torch::empty({clip.tokens, plan.width}));
    positions_ = register_parameter("positional_embedding", torch::empty({clip.context, plan.width}));
    blocks_ = transformer_blocks(group(group(*this, "transformer"), "resblocks"), "", plan);
    ln_ = register_module("ln_final", layer_norm(plan));
    projection_ = register_parameter("text_projection", torch::empty({plan.width, clip.outputs}));
  }

  Forward forward(const torch::Tensor& ids) override {
    torch::Tensor tokens = torch::embedding(embedding_, ids) + positions_.narrow(0, 0, ids.size(1));
    for (const auto& block : blocks_) tokens = block->forward(tokens);
    const torch::Tensor ends = ids.eq(end_).to(torch::kInt64).argmax(1);
    const torch::Tensor seen = tokens.index({torch::arange(ids.size(0)), ends});
    return {of_length_one(torch::matmul(ln_(seen), projection_)), {}};
  }

 private:
  std::int64_t end_;
  torch::Tensor embedding_, positions_, projection_;
  TransformerBlocks blocks_;
  torch::nn::LayerNorm ln_{nullptr};
};

constexpr std::string_view clip_source = "Radford et al., ICML 2021; names as in OpenAI's weights";

}  // namespace

std::span<const NamedClip> named_clips() {
  static const NamedClip list[] = {
      {{"clip-vit-b-32",
        "CLIP's image encoder ViT-B/32 and a linear layer without bias on its unit-length outputs",
        clip_source},
       {{768, 12, 12}, 32, 512}},
      {{"clip-vit-b-16", "clip-vit-b-32 with patches of 16 pixels", clip_source}, {{768, 12, 12}, 16, 512}},
      {{"clip-vit-l-14", "CLIP's ViT-L/14: patches of 14 pixels, 24 layers, width 1024", clip_source},
       {{1024, 16, 24}, 14, 768}}};
  return list;
}

Architecture clip_images(const Member& member, const ClipImagePlan& plan) {
  const std::size_t step = plan.positions > 0 ? 1 : static_cast<std::size_t>(plan.patch);
  return {member, "head.weight", step, made_by<ClipImages>(plan), step};
}

std::shared_ptr<Network> clip_text(const ClipTextPlan& plan) { return std::make_shared<ClipText>(plan); }

std::vector<Architecture> clips() {
  std::vector<Architecture> all;
  for (const NamedClip& one : named_clips()) all.push_back(clip_images(one, one.plan));
  return all;
}

}  // namespace leeway::nn
