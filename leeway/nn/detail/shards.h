// Rows cut into fixed shards, each computed by one thread on LibTorch's single-threaded kernels.
//
// LibTorch's results change in their last bits with its number of threads and with the rows of a batch, so
// both are fixed here, by the number of rows alone: shards of shard_rows rows, or of few rows smaller ones, which keep more
// threads busy; the same bits for any set_threads() on one machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "leeway/core/progress.h"

namespace leeway::nn {

inline constexpr std::size_t shard_rows = 32;

// n rows in shards as even as can be, of at most that many rows: the rows of one.
[[nodiscard]] std::size_t even_shard(std::size_t n, std::size_t most);

// shard_rows; below 64 rows an even part of them of at most 16. Larger shards are slower: what a layer makes of 128 images
// does not fit into a core's cache.
[[nodiscard]] std::size_t shard_of(std::size_t n);

// body(begin, end) for every shard of `rows` of n rows, several at a time. `task` names the work for progress. Throws
// Interrupted when the user asked to stop; otherwise what the lowest failing shard threw.
void for_shards(std::size_t n, std::size_t rows, const std::string& task, Progress* progress,
                const std::function<void(std::size_t, std::size_t)>& body);

// Shards of shard_of(n) rows.
inline void for_shards(std::size_t n, const std::string& task, Progress* progress,
                       const std::function<void(std::size_t, std::size_t)>& body) {
  for_shards(n, shard_of(n), task, progress, body);
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
