// Common corruptions (shift/corruption.h) as options and records have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "leeway/core/images.h"
#include "leeway/record/corruption.h"
#include "leeway/shift/corruption.h"

namespace leeway::tasks {

// Reads the pictures of frost from a folder, if `frost` requires them. Error: those of read_frost_pictures.
[[nodiscard]] shift::CorruptionOptions options_of(const record::CorruptionChoice& choice, bool frost,
                                                  std::uint64_t seed);

// What that choice comes to on such images.
[[nodiscard]] record::CorruptionUse use_of(const record::CorruptionChoice& choice, const Images& images);

// Whether the corruption changes such images at all.
[[nodiscard]] bool defined_on(const shift::Corruption& corruption, const Images& images);

[[nodiscard]] std::string name_of(shift::CorruptionGroup group);

// Mean |x' - x| over all pixels of `after`, whose row i is row first + i of `before`.
[[nodiscard]] double mean_change(const Images& before, const Images& after, std::size_t first = 0);

}  // namespace leeway::tasks
