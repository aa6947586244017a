// Concatenates rows that arrive shard by shard.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::nn {

// (n, tail...) float32; the first shard sets the tail. put() is thread-safe.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t n) : n_(n) {}

  void put(std::size_t begin, const torch::Tensor& rows) {
    const torch::Tensor plain = rows.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    const std::lock_guard lock(mutex_);
    if (!data_) {
      for (const std::int64_t size : plain.sizes().slice(1)) tail_.push_back(static_cast<std::size_t>(size));
      width_ = static_cast<std::size_t>(plain.numel() / plain.size(0));
      data_ = allocate_bytes(n_ * width_ * sizeof(float));
    }
    std::memcpy(data_.get() + begin * width_ * sizeof(float), plain.data_ptr<float>(),
                static_cast<std::size_t>(plain.numel()) * sizeof(float));
  }
  [[nodiscard]] Array take() {
    Array array;
    array.type = ElementType::f32;
    array.shape = {n_};
    array.shape.insert(array.shape.end(), tail_.begin(), tail_.end());
    array.storage = std::move(data_);
    return array;
  }

 private:
  std::size_t n_, width_ = 0;
  std::vector<std::size_t> tail_;
  std::shared_ptr<std::byte> data_;
  std::mutex mutex_;
};

}  // namespace leeway::nn
