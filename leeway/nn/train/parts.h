// Parts of single algorithms that tests check by themselves.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

// Adversarial images by gradient ascent from x' = x (ADA: Volpi et al., NeurIPS 2018, equations 2 to 4;
// ME-ADA: Zhao et al., NeurIPS 2020, section 3). z is the last hidden layer, of d numbers:
//   x' <- x' + rate grad [CE(F(x'), y) + entropy H(softmax F(x')) - gamma |z(x') - z(x)|^2 / d].
// Images are independent. Pixels are clamped to [0,1] after the last step. The distance is a mean over features,
// as in the programs whose constants are the defaults: with the paper's |.|^2 / 2 they diverge for large d.

struct Ascent {
  std::size_t steps = 15;
  double rate = 20. / 128, gamma = 1, entropy = 0;
};

struct Ascended {
  torch::Tensor images;
  torch::Tensor rose;  // (b), bool: the objective is larger than at the given image
};

// Images (b,c,h,w), labels (b). The network must be in evaluation mode: batch statistics would couple images.
[[nodiscard]] Ascended ascended(const ForwardFunction& forward, const torch::Tensor& x,
                                const torch::Tensor& y, const Ascent& ascent);

// k-means with cosine distance, 1 - cosine.

// The cluster of each row (n,d), from 0; at most `clusters`, fewer if there are fewer directions. Starts with
// k-means++ (Arthur and Vassilvitskii, SODA 2007), drawn by seed and number; at most 100 Lloyd steps. A
// cluster that loses its rows keeps its center; one that ends empty has no number.
[[nodiscard]] std::vector<std::int64_t> cosine_kmeans(const torch::Tensor& rows, std::size_t clusters,
                                                      std::uint64_t seed, std::uint64_t number);

// Finds partners by label and environment for algorithms that mix images. No LibTorch here.

class Partners {
 public:
  // `rows`: candidates; labels and environments: of all rows of the data.
  Partners(std::span<const std::int64_t> rows, const std::vector<std::int64_t>& labels,
           const std::vector<std::int32_t>& environments);

  [[nodiscard]] bool any(bool same_label) const;
  // A row of the same label and another environment (same_label), else of another label and the same
  // environment: first a uniform (label, environment) pair, then a uniform row. Nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> draw(std::int64_t label, std::int32_t environment,
                                                 bool same_label, Random& random) const;

 private:
  struct Pool {
    std::int64_t label = 0;
    std::int32_t environment = 0;
    std::vector<std::int64_t> rows = {};
  };
  std::vector<Pool> pools_;
};

}  // namespace leeway::nn
