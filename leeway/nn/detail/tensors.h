// Conversions between arrays and tensors, and from LibTorch's exceptions.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
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

// A tensor of an array and an array of a tensor, with the same type and, on the CPU, the same storage; read only. The
// tensor is undefined for texts and for unsigned integers above a byte, which LibTorch lacks.
[[nodiscard]] torch::Tensor shared_tensor(const Array& array);
[[nodiscard]] Array shared_array(const torch::Tensor& tensor);

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

// Random tensors that depend only on seed, purpose, draw number and row number.

// Standard normal, float32.
[[nodiscard]] torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                                        std::uint64_t number);

// Dropout factors: 0 with probability `probability`, else 1 / (1 - probability).
[[nodiscard]] torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                                         std::uint32_t purpose, std::uint64_t number);

// Splits rows into fixed shards, each computed by one thread on LibTorch's single-threaded kernels.
//
// LibTorch's last bits depend on its threads and on the batch. Both are fixed here by the number of rows
// alone: the same bits for any set_threads() on one machine.

inline constexpr std::size_t shard_rows = 32;

// shard_rows; for fewer than 64 rows even shards of at most 16, for more threads. Larger shards exceed a
// core's cache.
[[nodiscard]] std::size_t shard_of(std::size_t n);

// Calls body(begin, end) for all shards in parallel. `task` names the work for progress. Throws Interrupted
// on a stop request, otherwise the exception of the lowest failing shard.
void for_shards(std::size_t n, std::size_t rows, const std::string& task, Progress* progress,
                const std::function<void(std::size_t, std::size_t)>& body);

inline void for_shards(std::size_t n, const std::string& task, Progress* progress,
                       const std::function<void(std::size_t, std::size_t)>& body) {
  for_shards(n, shard_of(n), task, progress, body);
}

// Concatenates rows that arrive shard by shard.
// (n, tail...) float32 on the CPU; the first shard sets the tail. put() is thread-safe.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t n) : n_(static_cast<std::int64_t>(n)) {}

  void put(std::size_t begin, const torch::Tensor& rows) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<std::int64_t> sizes = rows.sizes().vec();
      sizes.front() = n_;
      if (!all_.defined()) all_ = torch::empty(sizes, torch::kFloat32);
    }
    all_.narrow(0, static_cast<std::int64_t>(begin), rows.size(0)).copy_(rows.detach());
  }
  [[nodiscard]] const torch::Tensor& all() const { return all_; }

 private:
  std::int64_t n_;
  torch::Tensor all_;
  std::mutex mutex_;
};

// Sets LibTorch's thread count for this thread, for training, until destroyed.
class TorchThreads {
 public:
  explicit TorchThreads(int count);
  ~TorchThreads();
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

 private:
  int before_;
};

// Converts models with one output per row, for the positive class of two, to models of two classes.
//
//   logit v:       (0, v)               prob v:  (log(1 - v), log v)
//
// Probabilities become logarithms(), as those of a file do.

// log p; of p = 0 the number log_of_zero (core/probabilities.h), without gradient.
[[nodiscard]] torch::Tensor logarithms(const torch::Tensor& probabilities);

// Whether logits of `rows` images are one number a row: (rows) or (rows,1).
[[nodiscard]] bool is_single_output(const torch::Tensor& logits, std::int64_t rows);

// (rows) or (rows,1) to (rows,2). Error, opened by `name`: Binary::refuse, or probabilities more than .001
// outside [0,1].
[[nodiscard]] torch::Tensor two_classes(const torch::Tensor& single, Binary binary, const std::string& name);

}  // namespace leeway::nn
