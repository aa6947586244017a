#include "leeway/nn/train/conditional_map.h"

#include <cmath>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

torch::Tensor normal_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                            std::uint32_t purpose) {
  torch::Tensor matrix = torch::empty({rows, columns});
  auto* out = matrix.data_ptr<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    Random random(seed, purpose, static_cast<std::uint64_t>(row));
    for (std::int64_t j = 0; j < columns; ++j) *out++ = static_cast<float>(random.normal());
  }
  return matrix;
}

}  // namespace

torch::Tensor outer_product(const torch::Tensor& f, const torch::Tensor& p) {
  return (p.unsqueeze(2) * f.unsqueeze(1)).flatten(1);
}

RandomMap::RandomMap(std::int64_t features, std::int64_t classes, std::int64_t numbers, std::uint64_t seed)
    : of_features_(register_buffer("features",
                                   normal_matrix(features, numbers, seed, stream("random map of features")))),
      of_classes_(register_buffer("classes",
                                  normal_matrix(classes, numbers, seed, stream("random map of classes")))) {}

torch::Tensor RandomMap::forward(const torch::Tensor& f, const torch::Tensor& p) const {
  return f.mm(of_features_) * p.mm(of_classes_) / std::sqrt(static_cast<double>(of_features_.size(1)));
}

}  // namespace leeway::nn
