// Where the corrupted images of a unit come from, and the pass over them in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/nn/predictor.h"
#include "leeway/shift/corruption.h"

namespace leeway::tasks {

// One corruption at one severity.
struct CorruptionUnit {
  const shift::Corruption* corruption = nullptr;
  std::size_t severity = 1;
};

// The images of a unit, in blocks of rows.
struct CorruptedImages {
  std::vector<std::size_t> shape;  // n, channels, height, width
  std::optional<std::vector<std::int64_t>> labels;
  std::function<Images(std::size_t begin, std::size_t end)> block;  // u8 where they are corrupted
};

// The images themselves; nothing is copied.
[[nodiscard]] CorruptedImages as_they_are(const Images& images);
[[nodiscard]] CorruptedImages corrupted(const Images& images, const CorruptionUnit& unit,
                                        const shift::CorruptionOptions& options);
// From files of a folder of that format (data/load.h). Error where they do not have the shape of `like`.
[[nodiscard]] CorruptedImages published(const std::string& folder, std::string_view format,
                                        const CorruptionUnit& unit, const Images& like);

// "gaussian_noise", as files of corruptions are called.
[[nodiscard]] std::string published_name(std::string_view corruption);

// Blocks of at most 64 MiB (u8), in whole shards of a model (32 rows) except the last, which has at least
// two: the logits equal those of one pass over all rows. `whole`: all units' progress, `before` of `total`
// rows done.
struct PassProgress {
  Progress* whole = nullptr;
  std::string note = {};
  std::size_t before = 0, total = 0;
  std::string task = "corruptions";
};
void for_blocks(const CorruptedImages& images, const PassProgress& progress,
                const std::function<void(std::size_t begin, const Images& block, Progress* of_block)>& use);

}  // namespace leeway::tasks
