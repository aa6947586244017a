// Pictures made block by block, so that a set larger than the memory can be written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/parallel.h"
#include "leeway/core/progress.h"

namespace leeway::data {

// Calls fill(row, picture) for n pictures of `each` bytes, those of a block (64 MiB at most) in parallel, then take(block).
// Interrupted with the message `stopped` where `progress` asks for a stop between two blocks.
template <class Fill, class Take>
void in_blocks(std::size_t n, std::size_t each, std::string_view task, const std::string& stopped,
               Progress* progress, const Fill& fill, const Take& take) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const std::size_t most = std::clamp<std::size_t>(bytes / std::max<std::size_t>(each, 1), 1, 4096);
  std::vector<std::uint8_t> block(std::min(n, most) * each);
  for (std::size_t begin = 0; begin < n; begin += most) {
    const std::size_t count = std::min(most, n - begin);
    parallel_for(count, [&](std::size_t i) { fill(begin + i, std::span(block).subspan(i * each, each)); });
    take(std::span<const std::uint8_t>(block).first(count * each));
    if (progress == nullptr) continue;
    progress->update(task, begin + count, n, "");
    if (begin + count < n && progress->stop_requested()) throw Interrupted(stopped);
  }
}

}  // namespace leeway::data
