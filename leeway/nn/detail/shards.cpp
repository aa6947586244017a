#include "leeway/nn/detail/shards.h"

#include <torch/torch.h>

#include <algorithm>
#include <mutex>

#include "leeway/core/parallel.h"

namespace leeway::nn {

TorchThreads::TorchThreads(int count) : before_(at::get_num_threads()) {
  if (before_ != count) at::set_num_threads(count);
}

TorchThreads::~TorchThreads() {
  if (at::get_num_threads() != before_) at::set_num_threads(before_);
}

std::size_t even_shard(std::size_t n, std::size_t most) {
  const std::size_t shards = std::max<std::size_t>(1, (n + most - 1) / most);
  return std::max<std::size_t>(1, (n + shards - 1) / shards);
}

std::size_t shard_of(std::size_t n) {
  constexpr std::size_t few_rows = 64, small_shard = 16;
  return n >= few_rows ? shard_rows : even_shard(n, small_shard);
}

void for_shards(std::size_t n, std::size_t rows, const std::string& task, Progress* progress,
                const std::function<void(std::size_t, std::size_t)>& body) {
  const TorchThreads one(1);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for((n + rows - 1) / rows, [&](std::size_t shard) {
    if (progress && progress->stop_requested()) throw Interrupted(task + ": stopped; nothing was written");
    if (at::get_num_threads() != 1) at::set_num_threads(1);  // a setting of the thread
    const std::size_t begin = shard * rows, end = std::min(n, begin + rows);
    body(begin, end);
    if (!progress) return;
    const std::lock_guard lock(mutex);
    done += end - begin;
    progress->update(task, done, n, "");
  });
}

}  // namespace leeway::nn
