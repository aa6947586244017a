// Between arrays and tensors, and between LibTorch's exceptions and ours.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

// Rows [begin, end) as (rows,c,h,w) float32. Error that names the first row of an image with a pixel outside [0,1] or
// NaN.
[[nodiscard]] torch::Tensor pixels(const Images& images, std::size_t begin, std::size_t end);

// Those rows in that order. Pixels are not checked: see check_pixels().
[[nodiscard]] torch::Tensor pixels_of(const Images& images, std::span<const std::int64_t> rows);

// Error as of pixels(), for any row.
void check_pixels(const Images& images);

// What stands outside as an array of that rank: x (n,c,h,w) without its last dimensions, which are 1.
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

// Of "cpu", "cuda" (the first one) or "cuda:1". Error for a device that is not there. On CUDA, convolutions then keep all bits of
// float32.
[[nodiscard]] torch::Device device_from_name(const std::string& name);

// What LibTorch says, as one line without its backtrace: of an operation that failed in TorchScript the reason that stands
// below the listing, else the first line that says anything.
[[nodiscard]] std::string first_line(const std::exception& failure);

// A model that cannot be differentiated by its input; what() says why.
class NoGradients : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// d of / d by, `weights` times (none: 1; then `of` is a scalar), as torch::autograd::grad gives it. NoGradients where `of`
// does not depend on `by`, or by an operator without a derivative.
[[nodiscard]] torch::Tensor gradient_of(const torch::Tensor& of, const torch::Tensor& by,
                                        const torch::Tensor& weights = {}, bool keep_graph = false);

[[noreturn]] void refuse_without_gradients(const std::string& name, const NoGradients& failure);

// Runs `work`; what LibTorch throws becomes std::runtime_error("NAME: first line"), NoGradients an Error.
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
