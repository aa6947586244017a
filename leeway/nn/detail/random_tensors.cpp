#include "leeway/nn/detail/random_tensors.h"

#include "leeway/core/parallel.h"
#include "leeway/nn/detail/draw_kernel.h"

namespace leeway::nn {
namespace {

// fill(sample, numbers) of every row.
template <class Fill>
torch::Tensor rows_of(torch::IntArrayRef shape, std::uint64_t number, const Fill& fill) {
  torch::Tensor tensor = torch::empty(shape);
  const auto rows = static_cast<std::size_t>(shape[0]);
  const std::size_t size = static_cast<std::size_t>(tensor.numel()) / rows;
  auto* const data = tensor.data_ptr<float>();
  parallel_for(rows,
               [&](std::size_t row) { fill(number << 24 | row, std::span<float>(data + row * size, size)); });
  return tensor;
}

}  // namespace

torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                          std::uint64_t number) {
  return rows_of(shape, number, [&](std::uint64_t sample, std::span<float> out) {
    draw_normals({seed, purpose, sample}, out);
  });
}

torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                           std::uint32_t purpose, std::uint64_t number) {
  const auto least = static_cast<std::uint32_t>(probability * 4294967296.);
  const auto kept = static_cast<float>(1 / (1 - probability));
  return rows_of(shape, number, [&](std::uint64_t sample, std::span<float> out) {
    draw_kept({seed, purpose, sample}, least, kept, out);
  });
}

}  // namespace leeway::nn
