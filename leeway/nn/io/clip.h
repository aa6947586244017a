// Files with both towers of CLIP, with OpenAI's or Hugging Face's tensor names.
//
// Sizes are read from the shapes. Activation: quick-GELU, as in OpenAI's weights; for Hugging Face's names,
// `hidden_act` in config.json next to the file. Heads: width / 64, or `num_attention_heads` there.
//
// Row k of the linear layer is exp(logit_scale) times the text tower's output for class k: the mean over the
// templates of vectors of length 1, scaled to length 1. So the logits equal CLIP's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

struct ClipTexts {
  std::vector<std::string> templates = {"a photo of a {}"};  // {}: a class's name, "_" replaced by blanks
  // empty: bpe_simple_vocab_16e6.txt.gz or merges.txt beside the file
  std::filesystem::path vocabulary = {};
};

// Whether the tensors are those of both towers.
[[nodiscard]] bool holds_clip(const ArrayMap& tensors);

// `tensors` become those of the image tower and its linear layer, which classifies into info.class_names.
// Errors: fewer than two names; a template without {}; longer texts than the tower takes; other tensors.
[[nodiscard]] Architecture take_clip(ModelInfo& info, ArrayMap& tensors, const ClipTexts& texts);

// architecture(name); of CLIP's image towers the one whose image size is that of the tensors' positions.
[[nodiscard]] Architecture architecture_for(const std::string& name, const ArrayMap& tensors);

}  // namespace leeway::nn
