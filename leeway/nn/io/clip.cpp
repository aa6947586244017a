#include "leeway/nn/io/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/byte_pairs.h"
#include "leeway/nn/io/tensor_names.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/model/clip.h"

namespace leeway::nn {
namespace {

constexpr std::size_t prompts_at_once = 32;

// Parts of Hugging Face's names, and OpenAI's for them.
constexpr std::pair<std::string_view, std::string_view> clip_names[] = {
    {"text_model.embeddings.token_embedding.", "token_embedding."},
    {"text_model.embeddings.position_embedding.weight", "positional_embedding"},
    {"text_model.final_layer_norm.", "ln_final."},
    {"text_model.encoder.layers.", "transformer.resblocks."},
    {"text_projection.weight", "text_projection"},
    {"visual_projection.weight", "visual.proj"},
    {"vision_model.embeddings.class_embedding", "visual.class_embedding"},
    {"vision_model.embeddings.patch_embedding.", "visual.conv1."},
    {"vision_model.embeddings.position_embedding.weight", "visual.positional_embedding"},
    {"vision_model.pre_layrnorm.", "visual.ln_pre."},
    {"vision_model.post_layernorm.", "visual.ln_post."},
    {"vision_model.encoder.layers.", "visual.transformer.resblocks."},
    {".self_attn.", ".attn."},
    {".layer_norm1.", ".ln_1."},
    {".layer_norm2.", ".ln_2."},
    {".mlp.fc1.", ".mlp.c_fc."},
    {".mlp.fc2.", ".mlp.c_proj."}};

bool has_hugging_face_names(const ArrayMap& tensors) { return tensors.contains("text_projection.weight"); }

// Queries, keys and values become one matrix, and projections are transposed.
ArrayMap by_openai_names(const ArrayMap& given) {
  ArrayMap tensors;
  for (const auto& [key, array] : given) {
    std::string name = key;
    for (const auto& [from, to] : clip_names)
      if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
    const bool transposed = name == "text_projection" || name == "visual.proj";
    tensors[name] = transposed && array.shape.size() == 2 ? to_array(to_tensor(array, key).t()) : array;
  }
  for (const std::string& name : array_names(tensors)) {
    const auto at = name.find("q_proj.");
    if (at == std::string::npos) continue;
    std::vector<torch::Tensor> parts;
    for (const char part : {'q', 'k', 'v'}) {
      std::string other = name;
      other[at] = part;
      if (const auto found = tensors.extract(other)) parts.push_back(to_tensor(found.mapped(), other));
    }
    tensors[name.substr(0, at) + "in_proj_" + name.substr(at + 7)] = to_array(torch::cat(parts));
  }
  return tensors;
}

const Array& clip_tensor(const ArrayMap& tensors, const std::string& key, const std::string& name) {
  const auto found = tensors.find(key);
  if (found == tensors.end()) refuse(name, fmt::format("a tensor {} of CLIP's transformers", key), "none");
  return found->second;
}

const std::vector<std::size_t>& clip_shape(const ArrayMap& tensors, const std::string& key, std::size_t rank,
                                           const std::string& name) {
  const Array& array = clip_tensor(tensors, key, name);
  const std::vector<std::size_t>& shape = array.shape;
  if (shape.size() != rank || std::ranges::count(shape, 0) > 0)
    refuse(name, fmt::format("tensor {} of {} dimensions", key, rank), array.shape_text());
  return shape;
}

// A layer has a matrix of (3 width, width): what is allocated for it is at most four times that.
ClipTower tower_of(const ArrayMap& tensors, const std::string& prefix, std::size_t width,
                   const std::string& name) {
  ClipTower tower{static_cast<std::int64_t>(width), static_cast<std::int64_t>(width / 64), 0};
  const auto key = [&] {
    return fmt::format("{}transformer.resblocks.{}.attn.in_proj_weight", prefix, tower.layers);
  };
  for (; tensors.contains(key()); ++tower.layers)
    if (const Array& array = tensors.at(key()); array.shape != std::vector{3 * width, width})
      refuse(name, fmt::format("tensor {} of shape ({}, {})", key(), 3 * width, width), array.shape_text());
  return tower;
}

struct ClipPlans {
  ClipImagePlan images;
  ClipTextPlan text;
};

std::int64_t checked_positions(const ArrayMap& tensors, const std::string& name) {
  const std::size_t positions = clip_shape(tensors, "visual.positional_embedding", 2, name)[0];
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(positions - 1))));
  if (side == 0 || side * side + 1 != positions)
    refuse(name,
           "positions of a class token and the patches of a square image in visual.positional_embedding",
           std::to_string(positions));
  return static_cast<std::int64_t>(positions);
}

ClipPlans plans_of(const ArrayMap& tensors, const std::string& name) {
  const auto shape = [&](const std::string& key, std::size_t rank) {
    return clip_shape(tensors, key, rank, name);
  };
  const auto patches = shape("visual.conv1.weight", 4), tokens = shape("token_embedding.weight", 2);
  const auto outputs = shape("visual.proj", 2)[1], text_outputs = shape("text_projection", 2)[1];
  if (outputs != text_outputs)
    refuse(name, fmt::format("text_projection with {} columns, as visual.proj", outputs), text_outputs);
  const auto number = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  return {{tower_of(tensors, "visual.", patches[0], name), number(patches[2]), number(outputs),
           checked_positions(tensors, name)},
          {tower_of(tensors, "", tokens[1], name), number(outputs), number(tokens[0]),
           number(shape("positional_embedding", 2)[0])}};
}

// What shapes do not say, of Hugging Face's models.
void read_config(const std::filesystem::path& path, ClipPlans& plans) {
  const std::string name = display_name(path);
  try {
    const nlohmann::json config = nlohmann::json::parse(map_file(path).text());
    for (const auto& [key, tower] :
         {std::pair("vision_config", &plans.images.tower), std::pair("text_config", &plans.text.tower)}) {
      const nlohmann::json part = config.value(key, nlohmann::json::object());
      const std::string activation = part.value("hidden_act", "quick_gelu");
      if (activation != "quick_gelu" && activation != "gelu")
        refuse(name, "hidden_act quick_gelu or gelu", in_quotes(activation));
      tower->quick = activation == "quick_gelu";
      tower->heads = part.value("num_attention_heads", tower->heads);
    }
  } catch (const nlohmann::json::exception&) {
    refuse(name, "the configuration of a CLIP model in JSON", "something else");
  }
}

std::filesystem::path vocabulary_of(const ClipTexts& texts, const std::filesystem::path& model) {
  if (!texts.vocabulary.empty()) return texts.vocabulary;
  for (const char* const file : {"bpe_simple_vocab_16e6.txt.gz", "merges.txt"})
    if (std::filesystem::exists(model.parent_path() / file)) return model.parent_path() / file;
  refuse(display_name(model),
         "its vocabulary in the same folder or by --vocabulary: bpe_simple_vocab_16e6.txt.gz of "
         "github.com/openai/CLIP, or "
         "merges.txt of huggingface.co/openai/clip-vit-base-patch32",
         "neither");
}

std::string prompt(std::string text, std::string class_name) {
  std::ranges::replace(class_name, '_', ' ');
  for (auto at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + class_name.size()))
    text.replace(at, 2, class_name);
  return text;
}

// Token numbers of all texts, class by class, padded with 0: (classes,templates,tokens).
torch::Tensor ids_of(const ModelInfo& info, const ClipTexts& texts, const ClipTextPlan& plan) {
  const std::filesystem::path file = vocabulary_of(texts, info.path);
  const BytePairs vocabulary(file);
  std::vector<torch::Tensor> rows;
  for (const std::string& name : info.class_names)
    for (const std::string& text : texts.templates) {
      const std::vector<std::int32_t> ids = vocabulary.ids(prompt(text, name));
      if (ids.back() + 1 != plan.tokens)
        refuse(display_name(file), fmt::format("{} tokens, as {} has", plan.tokens, display_name(info.path)),
               std::to_string(ids.back() + 1));
      if (static_cast<std::int64_t>(ids.size()) > plan.context)
        refuse(display_name(info.path), fmt::format("texts of at most {} tokens", plan.context),
               fmt::format("{} in {}", ids.size(), in_quotes(prompt(text, name))));
      rows.push_back(torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())));
    }
  return torch::nn::utils::rnn::pad_sequence(rows, true)
      .view({static_cast<std::int64_t>(info.class_names.size()),
             static_cast<std::int64_t>(texts.templates.size()), -1});
}

// (classes, outputs), of length 1.
torch::Tensor class_vectors(Network& text, const torch::Tensor& ids) {
  const auto classes = static_cast<std::size_t>(ids.size(0)), each = static_cast<std::size_t>(ids.size(1));
  RowBuffer vectors(classes);
  const std::size_t shard = std::max<std::size_t>(1, prompts_at_once / each);
  for_shards(classes, shard, "class texts", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::NoGradGuard no_grad;
    const torch::Tensor some = ids.slice(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    const torch::Tensor found = text.forward(some.flatten(0, 1)).logits;
    const torch::Tensor mean = found.view({some.size(0), some.size(1), -1}).mean(1);
    vectors.put(begin, mean / mean.norm(2, 1, true));
  });
  return vectors.all();
}

void check_clip(const ModelInfo& info, const ClipTexts& texts, const ClipPlans& plans) {
  const std::string name = display_name(info.path);
  if (info.class_names.size() < 2)
    refuse(
        name,
        "names of at least two classes for its text tower (--classes FILE, or classes = [...] in FILE.toml)",
        std::to_string(info.class_names.size()));
  for (const std::string& text : texts.templates)
    if (text.find("{}") == std::string::npos)
      refuse(name, "{} in the template, for the name of a class", in_quotes(text));
  for (const ClipTower& tower : {plans.images.tower, plans.text.tower})
    if (tower.heads < 1 || tower.width % tower.heads != 0)
      refuse(name, fmt::format("a number of attention heads that divides {}", tower.width), tower.heads);
}

// One of the list, or "clip-vit".
Member clip_member(ClipImagePlan plan) {
  plan.positions = 0;
  for (const NamedClip& one : named_clips())
    if (one.plan == plan) return one;
  return {"clip-vit", "an image encoder of CLIP", ""};
}

}  // namespace

bool holds_clip(const ArrayMap& tensors) {
  const auto has = [&](std::string_view end) {
    return std::ranges::any_of(tensors, [&](const auto& item) { return item.first.ends_with(end); });
  };
  return has("logit_scale") && (has("text_projection") || has("text_projection.weight"));
}

Architecture take_clip(ModelInfo& info, ArrayMap& tensors, const ClipTexts& texts) {
  const std::string name = display_name(info.path);
  ArrayMap given = without_prefixes(std::move(tensors), "logit_scale");
  const bool hugging_face = has_hugging_face_names(given);
  if (hugging_face) given = by_openai_names(given);
  std::erase_if(given, [](const auto& item) {  // sizes that old files hold
    return item.first.ends_with("position_ids") || item.first == "input_resolution" ||
           item.first == "context_length" || item.first == "vocab_size";
  });
  ClipPlans plans = plans_of(given, name);
  const auto config = std::filesystem::path(info.path).parent_path() / "config.json";
  if (hugging_face && std::filesystem::exists(config))
    read_config(config, plans);
  else if (hugging_face)
    info.notes.push_back(name +
                         ": quick-GELU is used, as in OpenAI's models; config.json is not next to the file");
  check_clip(info, texts, plans);
  const double scale =
      std::exp(to_tensor(clip_tensor(given, "logit_scale", name), name).mean().item<double>());
  given.erase("logit_scale");
  tensors.clear();
  for (auto& [key, array] : given)
    if (key.starts_with("visual.")) tensors[key] = std::move(array);
  std::erase_if(given, [](const auto& item) { return item.first.starts_with("visual."); });
  const std::shared_ptr<Network> text = clip_text(plans.text);
  copy_weights(given, *text, name);
  tensors["head.weight"] = to_array(scale * class_vectors(*text, ids_of(info, texts, plans.text)));
  const Member member = clip_member(plans.images);
  if (!info.architecture.empty() && info.architecture != member.name)
    refuse(name, fmt::format("architecture {}, whose sizes it has", member.name), info.architecture);
  info.architecture = member.name;
  return clip_images(member, plans.images);
}

Architecture architecture_for(const std::string& name, const ArrayMap& tensors) {
  const Architecture& found = architecture(name);
  const auto clip = std::ranges::find(named_clips(), found.name, &NamedClip::name);
  if (clip == named_clips().end() || !tensors.contains("visual.positional_embedding")) return found;
  ClipImagePlan plan = clip->plan;
  plan.positions = checked_positions(tensors, name);
  return clip_images(*clip, plan);
}

}  // namespace leeway::nn
