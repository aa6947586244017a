// k-means with cosine distance, 1 - cosine.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace leeway::nn {

// The cluster of each row (n,d), from 0; at most `clusters`, fewer if there are fewer directions. Starts with
// k-means++ (Arthur and Vassilvitskii, SODA 2007), drawn by seed and number; at most 100 Lloyd steps. A
// cluster that loses its rows keeps its center; one that ends empty has no number.
[[nodiscard]] std::vector<std::int64_t> cosine_kmeans(const torch::Tensor& rows, std::size_t clusters,
                                                      std::uint64_t seed, std::uint64_t number);

}  // namespace leeway::nn
