#include "leeway/nn/detail/random_tensors.h"

#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// Every number of row r is draw(random), the random numbers keyed by 2^24 `number` + r.
template <class Draw>
torch::Tensor drawn_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                         std::uint64_t number, const Draw& draw) {
  torch::Tensor tensor = torch::empty(shape);
  const auto rows = static_cast<std::size_t>(shape[0]);
  const std::size_t size = static_cast<std::size_t>(tensor.numel()) / rows;
  auto* const data = tensor.data_ptr<float>();
  parallel_for(rows, [&](std::size_t row) {
    Random random(seed, purpose, number << 24 | row);
    std::generate_n(data + row * size, size, [&] { return draw(random); });
  });
  return tensor;
}

}  // namespace

torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                          std::uint64_t number) {
  return drawn_rows(shape, seed, purpose, number,
                    [](Random& random) { return static_cast<float>(random.normal()); });
}

torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                           std::uint32_t purpose, std::uint64_t number) {
  const auto least = static_cast<std::uint32_t>(probability * 4294967296.);
  const auto kept = static_cast<float>(1 / (1 - probability));
  return drawn_rows(shape, seed, purpose, number,
                    [&](Random& random) { return random.bits() >= least ? kept : 0.f; });
}

}  // namespace leeway::nn
