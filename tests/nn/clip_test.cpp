#include "leeway/nn/model/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/core/utf8.h"
#include "leeway/io/npy.h"
#include "tests/nn/reference_weights.h"
#include "tests/nn/toy.h"

namespace leeway::nn::clip_test {

constexpr std::size_t tokens = 514;  // bytes, bytes that end a word, start and end
const ClipImagePlan small_images{{64, 1, 2}, 8, 32, 5};
const ClipTextPlan small_text{{128, 2, 2}, 32, tokens, 77};
const InputShape picture{3, 20, 29};

// By OpenAI's names, as tests/reference/clip.py has them.
ArrayMap small_clip() {
  ArrayMap all =
      toy::fill_with_reference_weights(*clip_images(Member{"small", "", ""}, small_images).make(picture, 2));
  all.erase("head.weight");
  all.merge(toy::fill_with_reference_weights(*clip_text(small_text)));
  all["logit_scale"] = make_array({}, std::vector<float>{3});
  return all;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::string hugging_face_name(const std::string& name) {
  const bool image = name.starts_with("visual.");
  const std::string tower = image ? "vision_model." : "text_model.";
  std::string text = image ? name.substr(7) : name;
  for (const auto& [from, to] : {std::pair("transformer.resblocks.", "encoder.layers."),
                                 {".attn.", ".self_attn."},
                                 {".ln_1.", ".layer_norm1."},
                                 {".ln_2.", ".layer_norm2."},
                                 {".c_fc.", ".fc1."},
                                 {".c_proj.", ".fc2."},
                                 {"token_embedding", "embeddings.token_embedding"},
                                 {"positional_embedding", "embeddings.position_embedding.weight"},
                                 {"class_embedding", "embeddings.class_embedding"},
                                 {"conv1", "embeddings.patch_embedding"},
                                 {"ln_pre", "pre_layrnorm"},
                                 {"ln_post", "post_layernorm"},
                                 {"ln_final", "final_layer_norm"}})
    text = replaced(std::move(text), from, to);
  return tower + text;
}

ArrayMap by_hugging_face_names(const ArrayMap& clip) {
  ArrayMap all;
  for (const auto& [name, array] : clip) {
    const torch::Tensor values = to_tensor(array, name);
    if (name == "logit_scale")
      all[name] = array;
    else if (name == "text_projection")
      all["text_projection.weight"] = to_array(values.t());
    else if (name == "visual.proj")
      all["visual_projection.weight"] = to_array(values.t());
    else if (name.find("in_proj_") == std::string::npos)
      all[hugging_face_name(name)] = array;
    else
      for (std::int64_t i = 0; i < 3; ++i)
        all[replaced(hugging_face_name(name), "in_proj_", std::string(1, "qkv"[i]) + "_proj.")] =
            to_array(values.chunk(3)[static_cast<std::size_t>(i)]);
  }
  all["text_model.embeddings.position_ids"] = make_array({1, 1}, std::vector<float>{0});
  return all;
}

// merges.txt without merges, and the ids of the symbols.
void write_small_vocabulary(const std::filesystem::path& folder) {
  nlohmann::json ids{{"<|startoftext|>", tokens - 2}, {"<|endoftext|>", tokens - 1}};
  std::size_t id = 0;
  const auto add = [&](char32_t point) {
    const std::string letter = utf8_from_code_points({&point, 1}).value();
    ids[letter] = id, ids[letter + "</w>"] = 256 + id, ++id;
  };
  for (const auto& [first, last] : {std::pair(33, 126), {161, 172}, {174, 255}, {256, 323}})
    for (int point = first; point <= last; ++point) add(static_cast<char32_t>(point));
  write_bytes(folder / "vocab.json", ids.dump());
  write_bytes(folder / "merges.txt", "#version: 0.2\n");
}

class Clip : public ::testing::Test {
 protected:
  Clip() { write_small_vocabulary(folder_.path()); }

  [[nodiscard]] std::unique_ptr<Model> load(const ArrayMap& tensors) const {
    ModelSource source = source_;
    source.path = folder_ / "clip.npz";
    write_npz(source.path, tensors);
    return session().load(source);
  }

  const toy::Folder folder_;
  const nlohmann::json wanted_ =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/clip.json"));
  ModelSource source_ = [this] {
    ModelSource source = toy::source_of("", "", picture);
    source.classes = wanted_["classes"].get<std::vector<std::string>>();
    source.templates = wanted_["templates"].get<std::vector<std::string>>();
    return source;
  }();
  const Images images_ = [this] {
    Images images = toy::images(2, picture, 2);
    images.pixels = to_array(toy::reference_images(wanted_["shape"]));
    return images;
  }();
};

TEST_F(Clip, HasTheLogitsOfTheReference) {
  const auto model = load(small_clip());
  const torch::Tensor logits = to_tensor(model->outputs(images_).logits, "");
  toy::expect_logits(logits, wanted_["logits"]);
  EXPECT_LE(logits.abs().max().item<double>(), std::exp(3)) << "cosines are at most 1";
  EXPECT_EQ(model->info().class_names, source_.classes);
  EXPECT_EQ(model->info().normalization, clip_normalization());
}

TEST_F(Clip, IsTheSameByHuggingFacesNames) {
  const Array openai = load(small_clip())->outputs(images_).logits;
  const auto model = load(by_hugging_face_names(small_clip()));
  EXPECT_TRUE(toy::same_bits(model->outputs(images_).logits, openai));
  EXPECT_EQ(model->info().notes.size(), 1U);
  write_bytes(folder_ / "config.json", R"({"text_config": {"hidden_act": "gelu"}, "vision_config": {}})");
  EXPECT_GT(toy::largest_gap(load(by_hugging_face_names(small_clip()))->outputs(images_).logits, openai),
            1e-3);
}

TEST_F(Clip, TakesClassesAndTemplatesFromItsNotes) {
  write_bytes(folder_ / "clip.npz.toml",
              "classes = [\"red_fox\", \"sea\", \"z\"]\nvocabulary = \"merges.txt\"\n"
              "template = [\"a photo of a {}\", \"the {}, at night\"]\n");
  const Array wanted = load(small_clip())->outputs(images_).logits;
  source_.classes.clear(), source_.templates.clear();
  EXPECT_TRUE(toy::same_bits(load(small_clip())->outputs(images_).logits, wanted));
}

TEST_F(Clip, RefusesWhatCannotBeRead) {
  const ArrayMap whole = small_clip();
  const auto refused = [&](const char* parts, const auto& change) {
    ArrayMap tensors = whole;
    const ModelSource kept = source_;
    change(source_, tensors);
    EXPECT_REFUSED(load(tensors), parts);
    source_ = kept;
  };
  refused("names of at least two classes ...--classes ...found 0",
          [](auto& source, auto&) { source.classes.clear(); });
  refused("{} in the template, ... found 'a photo'",
          [](auto& source, auto&) { source.templates = {"a photo"}; });
  refused("architecture clip-vit, ... found vit", [](auto& source, auto&) { source.architecture = "vit"; });
  refused("at most 77 tokens ... found 108",
          [](auto& source, auto&) { source.templates = {std::string(100, 'a') + " {}"}; });
  refused("of shape (192, 64), found ...", [](auto&, auto& tensors) {
    tensors["visual.transformer.resblocks.1.attn.in_proj_weight"] = tensors["text_projection"];
  });
  refused("a tensor visual.proj ... found none", [](auto&, auto& tensors) { tensors.erase("visual.proj"); });
  refused("patches of a square image ... found 32", [](auto&, auto& tensors) {
    tensors["visual.positional_embedding"] = tensors["visual.proj"];
    tensors["visual.positional_embedding"].shape = {32, 64};
  });
  refused("the 29 tensors of the architecture, found no ln_final.bias",
          [](auto&, auto& tensors) { tensors.erase("ln_final.bias"); });
  std::filesystem::remove(folder_ / "merges.txt");
  refused("bpe_simple_vocab_16e6.txt.gz ... merges.txt ... found neither", [](auto&, auto&) {});
}

TEST(ClipText, DependsOnTheTokensBeforeTheEndAlone) {
  const auto text = clip_text(small_text);
  (void)toy::fill_with_reference_weights(*text);
  const torch::NoGradGuard no_grad;
  const torch::Tensor ids = torch::tensor({{512, 7, 8, 513, 0, 0}, {512, 9, 513, 5, 6, 7}});
  const torch::Tensor both = text->forward(ids).logits;
  EXPECT_TRUE(torch::allclose(both.norm(2, 1), torch::ones({2})));
  for (const std::int64_t row : {0, 1}) {
    const torch::Tensor alone = text->forward(ids.slice(0, row, row + 1).slice(1, 0, 4 - row)).logits;
    EXPECT_TRUE(torch::allclose(alone, both.slice(0, row, row + 1), 1e-5, 1e-6));
  }
  EXPECT_FALSE(torch::allclose(both[0], both[1], 1e-2, 1e-2));
}

// Resizing, crop and towers; in float64, where the images leave [0,1] nowhere.
TEST(ClipImages, HasTheGradientOfFiniteDifferences) {
  const auto network = clip_images(Member{"small", "", ""}, small_images).make(picture, 3);
  (void)toy::fill_with_reference_weights(*network);
  network->to(torch::kFloat64);
  const ForwardFunction forward = forward_of(network, {});
  torch::Tensor x = .3 + .4 * toy::reference_images({1, 3, 20, 29}).to(torch::kFloat64);
  const torch::Tensor direction =
      torch::tensor(toy::noise("direction", 1740), torch::kFloat64).view({1, 3, 20, 29});
  x.requires_grad_();
  const torch::Tensor logits = forward(x).logits;
  EXPECT_LE(logits.abs().max().item<double>(), 1.5);
  const double slope = (torch::autograd::grad({logits[0][1]}, {x})[0] * direction).sum().item<double>();
  const auto at = [&](double step) {
    return forward(x.detach() + step * direction).logits[0][1].item<double>();
  };
  EXPECT_NEAR((at(1e-5) - at(-1e-5)) / 2e-5, slope, 1e-6 * std::abs(slope) + 1e-9);
}

// The image tower has the published number of weights, beside a layer of 2 classes.
TEST(ClipImages, HasThePublishedSizesTier2) {
  const auto& list = named_clips();
  const std::size_t published[] = {87849216 + 2 * 512, 86192640 + 2 * 512};
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(count_weights(*make_network(clip_images(list[i], list[i].plan), {3, 224, 224}, 2)),
              published[i]);
}

}  // namespace leeway::nn::clip_test
