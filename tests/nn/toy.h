// Small images, models and files that several tests use.
#pragma once

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/session.h"
#include "tests/files.h"
#include "tests/message_of.h"

namespace leeway::nn::toy {

using Folder = TemporaryFolder;

inline Images images(std::size_t n, const InputShape& shape, std::size_t k, std::uint64_t seed = 1) {
  Images result;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, stream("toy images"), i);
    labels.push_back(static_cast<std::int64_t>(random.below(k)));
    for (std::size_t j = 0; j < shape.pixels(); ++j)
      pixels.push_back(static_cast<float>(random.uniform() * .999));
  }
  result.path = "toy.npz";
  result.pixels = make_array({n, shape.channels, shape.height, shape.width}, std::move(pixels));
  result.labels = labels;
  return result;
}

// Classes told apart by a bright square of their own, in noise.
inline Images squares(std::size_t n, std::size_t k, std::uint64_t seed = 1) {
  Images result = images(n, {1, 8, 8}, k, seed);
  std::vector<float> pixels(result.pixels.view<float>().begin(), result.pixels.view<float>().end());
  for (std::size_t i = 0; i < n; ++i) {
    const auto corner = static_cast<std::size_t>((*result.labels)[i]) * 2;
    for (float* p = &pixels[i * 64]; p < &pixels[i * 64] + 64; ++p) *p *= .4f;
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t x = 0; x < 2; ++x) pixels[i * 64 + y * 8 + (corner + x) % 8] += .5f;
  }
  result.pixels = make_array({n, 1, 8, 8}, std::move(pixels));
  return result;
}

inline std::unique_ptr<Model> model(const std::string& name, const InputShape& shape, std::size_t k,
                                    std::uint64_t seed = 1, const Normalization& normalization = {}) {
  ModelInfo info;
  info.architecture = name, info.input = shape, info.classes = k;
  info.normalization = normalization;
  auto network = make_network(architecture(name), shape, k);
  initialize(*network, seed);
  return make_model(info, network);
}

// F(x) = W x + b with the weights given, over images of shape (1,1,d).
inline std::unique_ptr<Model> linear_model(const torch::Tensor& weight, const torch::Tensor& bias) {
  ModelInfo info;
  info.architecture = "linear", info.input = {1, 1, static_cast<std::size_t>(weight.size(1))};
  info.classes = static_cast<std::size_t>(weight.size(0));
  auto network = make_network(architecture("linear"), info.input, info.classes);
  const torch::NoGradGuard no_grad;
  for (auto& item : network->named_parameters()) item.value().copy_(item.key() == "weight" ? weight : bias);
  return make_model(info, network);
}

// Programs of model files run in this process: starting another one, which loads LibTorch, takes 0.6 s.
// tests/nn/process covers the confined process and shows that both give the same bits.
inline ModelSource source_of(const std::filesystem::path& path, const std::string& architecture = "",
                             const InputShape& input = {}) {
  ModelSource source;
  source.path = path, source.architecture = architecture, source.input = input, source.trust = true;
  return source;
}
inline std::unique_ptr<Model> loaded(const std::filesystem::path& path, const std::string& architecture = "",
                                     const InputShape& input = {}) {
  return session().load(source_of(path, architecture, input));
}

// (n,d), as classifiers take them.
inline std::vector<float> rows_of(const Images& images) {
  const torch::Tensor x = pixels(images, 0, images.n());
  return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()};
}

// Gradients of every logit by x_i: (n,k,d).
inline Array class_gradients(const Model& model, const Images& images) {
  const Classifier classifier = model.classifier(shape_of(images));
  return make_array({images.n(), classifier.k, classifier.d},
                    leeway::class_gradients(classifier.linearize(rows_of(images)), classifier.k));
}

inline attack::AttackResult attacked(const Model& model, const Images& images,
                                     const attack::AttackOptions& options) {
  return attack::run({model.classifier(shape_of(images)), rows_of(images), images.labels,
                      images.are_rows() ? attack::anywhere : attack::Box{}},
                     options);
}

inline double accuracy(const Outputs& outputs, const std::vector<std::int64_t>& labels) {
  const std::vector<std::int64_t> found = predictions(outputs.logits);
  double right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == labels.at(i) ? 1 : 0;
  return right / static_cast<double>(found.size());
}

inline double largest_gap(const Array& a, const Array& b) {
  if (a.shape != b.shape) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double gap = std::abs(static_cast<double>(a.view<float>()[i]) - b.view<float>()[i]);
    if (!(gap <= largest)) largest = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
  }
  return largest;
}

inline bool same_bits(const Array& a, const Array& b) {
  return a.shape == b.shape && a.type == b.type && std::ranges::equal(a.bytes(), b.bytes());
}
inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

}  // namespace leeway::nn::toy
