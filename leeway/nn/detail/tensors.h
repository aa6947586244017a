// Conversions between arrays and tensors, and from LibTorch's exceptions.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

// (rows,c,h,w)
[[nodiscard]] std::vector<std::int64_t> sizes_of(std::size_t rows, const InputShape& shape);

// The class of the largest logit of each row (n,k), the first of equal ones.
[[nodiscard]] std::vector<std::int64_t> predictions(const Array& logits);

// Rows [begin, end) as (rows,c,h,w) float32. Error names the first row with a pixel outside [0,1] or NaN.
[[nodiscard]] torch::Tensor pixels(const Images& images, std::size_t begin, std::size_t end);

// The given rows in the given order. Pixels are not checked: see check_pixels().
[[nodiscard]] torch::Tensor pixels_of(const Images& images, std::span<const std::int64_t> rows);

// Error as of pixels(), for any row.
void check_pixels(const Images& images);

// x (n,c,h,w) as an array of rank `rank`, without the trailing dimensions of size 1.
[[nodiscard]] inline torch::Tensor of_rank(const torch::Tensor& x, std::size_t rank) {
  return rank < 4 ? x.flatten(static_cast<std::int64_t>(rank) - 1) : x;
}

// A float32 copy of the values of `array`; Error for text.
[[nodiscard]] torch::Tensor to_tensor(const Array& array, const std::string& name);

// A float32 array with the values of a tensor of any device and floating type.
[[nodiscard]] Array to_array(const torch::Tensor& tensor);

// Rows [begin, end) as int64.
[[nodiscard]] torch::Tensor to_tensor(const std::vector<std::int64_t>& labels, std::size_t begin,
                                      std::size_t end);

// "(1, 28, 28)"; of a table "(8)"
[[nodiscard]] std::string text_of(const InputShape& shape);
[[nodiscard]] std::string text_of(torch::IntArrayRef sizes);

// Of "cpu", "cuda" (the first one) or "cuda:1"; on CUDA, convolutions keep float32 precision. Error: no such
// device.
[[nodiscard]] torch::Device device_from_name(const std::string& name);

// LibTorch's message as one line; for failures in TorchScript the reason below the listing.
[[nodiscard]] std::string first_line(const std::exception& failure);

// A model that cannot be differentiated by its input; what() says why.
class NoGradients : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// weights . d of / d by (no weights: 1 and a scalar `of`). NoGradients if there is no derivative.
[[nodiscard]] torch::Tensor gradient_of(const torch::Tensor& of, const torch::Tensor& by,
                                        const torch::Tensor& weights = {}, bool keep_graph = false);

[[noreturn]] void refuse_without_gradients(const std::string& name, const NoGradients& failure);

// Runs `work`; LibTorch's exceptions become std::runtime_error("NAME: first line"), NoGradients an Error.
template <class Work>
auto translated(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const NoGradients& failure) {
    refuse_without_gradients(name, failure);
  } catch (const c10::Error& failure) {
    throw std::runtime_error(name + ": " + first_line(failure));
  }
}

}  // namespace leeway::nn
