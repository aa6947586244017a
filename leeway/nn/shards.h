// Rows cut into fixed shards, each computed by one thread on LibTorch's single-threaded kernels.
//
// LibTorch's results change in their last bits with its number of threads and with the rows of a batch, so
// both are fixed here: shards of shard_rows rows, whatever the number of threads; the same bits for any
// set_threads() on one machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "leeway/core/progress.h"

namespace leeway::nn {

inline constexpr std::size_t shard_rows = 128;

// body(begin, end) for every shard of `rows` of n rows, several at a time. `task` names the work for progress. Throws
// Interrupted when the user asked to stop; otherwise what the lowest failing shard threw.
void for_shards(std::size_t n, std::size_t rows, const std::string& task, Progress* progress,
                const std::function<void(std::size_t, std::size_t)>& body);

// Shards of shard_rows rows.
inline void for_shards(std::size_t n, const std::string& task, Progress* progress,
                       const std::function<void(std::size_t, std::size_t)>& body) {
  for_shards(n, shard_rows, task, progress, body);
}

// LibTorch's own thread count for this thread while it lives: for training, which uses LibTorch's threads.
class TorchThreads {
 public:
  explicit TorchThreads(int count);
  ~TorchThreads();
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

 private:
  int before_;
};

}  // namespace leeway::nn
