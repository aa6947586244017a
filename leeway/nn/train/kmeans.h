// k-means of directions: the distance is 1 - cosine.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace leeway::nn {

// The cluster of each of the rows (n,d), scaled to length 1, from 0; at most `clusters` of them, fewer where rows have fewer
// directions. Begins with k-means++ (Arthur and Vassilvitskii, SODA 2007), drawn by the seed and the number; Lloyd's steps until
// nothing changes, at most 100. A cluster that loses its rows keeps its centre; one that ends without rows has no number.
[[nodiscard]] std::vector<std::int64_t> cosine_kmeans(const torch::Tensor& rows, std::size_t clusters,
                                                      std::uint64_t seed, std::uint64_t number);

}  // namespace leeway::nn
