// Weights and images by a formula that the scripts of tests/reference repeat (cifar_resnet.py).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "leeway/nn/io/weights.h"

namespace leeway::nn::toy {

// In [-1, 1): the FNV-1a hash of the name and multiples of 2^32 over the golden ratio.
inline std::vector<double> noise(const std::string& name, std::size_t count) {
  std::uint32_t value = 2166136261U;
  for (const char c : name) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
  std::vector<double> values(count);
  for (double& v : values) {
    v = value / 2147483648. - 1;
    value += 2654435761U;
  }
  return values;
}

inline Array reference_weights(const std::string& name, const Array& like) {
  const std::vector<double> v = noise(name, like.size());
  const double fan = static_cast<double>(like.size()) / static_cast<double>(like.shape[0]);
  std::vector<float> values;
  values.reserve(v.size());
  for (const double x : v) {
    const bool matrix = like.shape.size() > 1;
    values.push_back(static_cast<float>(matrix                          ? 1.5 * x / std::sqrt(fan)
                                        : name.ends_with("running_var") ? 1 + .5 * x
                                        : name.ends_with("weight")      ? 1 + .2 * x
                                                                        : .1 * x));
  }
  return make_array(like.shape, std::move(values));
}

// All tensors but the counters of batches become what the scripts have, and the network evaluates.
inline ArrayMap fill_with_reference_weights(Network& network) {
  ArrayMap tensors = weights_of(network);
  std::erase_if(tensors, [](const auto& item) { return item.first.ends_with("num_batches_tracked"); });
  for (auto& [name, array] : tensors) array = reference_weights(name, array);
  copy_weights(tensors, network, "weights");
  network.eval();
  return tensors;
}

// In [0, 1).
inline torch::Tensor reference_images(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  std::vector<float> x;
  for (const double v : noise("images", count)) x.push_back(static_cast<float>((v + 1) / 2));
  return torch::tensor(x).reshape(shape);
}

inline void expect_logits(const torch::Tensor& logits, const std::vector<std::vector<double>>& wanted) {
  double scale = 1;
  for (const auto& row : wanted)
    for (const double value : row) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(logits.sizes(), torch::IntArrayRef({static_cast<std::int64_t>(wanted.size()),
                                                static_cast<std::int64_t>(wanted[0].size())}));
  for (std::int64_t i = 0; i < logits.size(0); ++i)
    for (std::int64_t k = 0; k < logits.size(1); ++k)
      EXPECT_NEAR(logits[i][k].item<double>(),
                  wanted[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)], 1e-5 * scale);
}

}  // namespace leeway::nn::toy
