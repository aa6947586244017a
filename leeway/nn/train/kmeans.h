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

// The same as the program of ConDS (Jeon et al. 2025). Begins with rows drawn at random; a centre is the mean of its rows as they
// are; ends where the ways that the centres went sum to less than .01, after at most 101 steps. The centre of a cluster without
// rows is no number there, and counts as nearest to all: where a cluster loses its rows, or there are fewer rows than clusters,
// all rows are one.
[[nodiscard]] std::vector<std::int64_t> program_kmeans(const torch::Tensor& rows, std::size_t clusters,
                                                       std::uint64_t seed, std::uint64_t number);

}  // namespace leeway::nn
