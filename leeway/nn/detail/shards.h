// Splits rows into fixed shards, each computed by one thread on LibTorch's single-threaded kernels.
//
// LibTorch's last bits depend on its threads and on the batch. Both are fixed here by the number of rows
// alone: the same bits for any set_threads() on one machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "leeway/core/progress.h"

namespace leeway::nn {

inline constexpr std::size_t shard_rows = 32;

// Rows per shard when n rows are split evenly into shards of at most `most` rows.
[[nodiscard]] std::size_t even_shard(std::size_t n, std::size_t most);

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

}  // namespace leeway::nn
