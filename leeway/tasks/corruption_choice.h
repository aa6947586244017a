// How common corruptions (shift/corruption.h) are applied, as options of commands, and as what was done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "leeway/describe/fields.h"
#include "leeway/io/images.h"
#include "leeway/shift/corruption.h"

namespace leeway::tasks {

struct CorruptionChoice {
  std::string set = "auto";              // whose constants
  std::string variant = "corrected";     // or "published"
  std::optional<std::string> frost_dir;  // unset: procedural pictures

  bool operator==(const CorruptionChoice&) const = default;
};

struct CorruptionUse {
  std::string set;     // never "auto"
  double lengths = 1;  // what the set's lengths were multiplied with
  std::string variant;
  std::string frost;  // "procedural", or the folder

  bool operator==(const CorruptionUse&) const = default;
};

void fields(CorruptionChoice& choice, Fields& f);
void fields(CorruptionUse& use, Fields& f);

// Reads the pictures of frost from a folder, if `frost` requires them. Error: those of read_frost_pictures.
[[nodiscard]] shift::CorruptionOptions options_of(const CorruptionChoice& choice, bool frost,
                                                  std::uint64_t seed);

// What that choice comes to on such images.
[[nodiscard]] CorruptionUse use_of(const CorruptionChoice& choice, const Images& images);

// Whether the corruption changes such images at all.
[[nodiscard]] bool defined_on(const shift::Corruption& corruption, const Images& images);

[[nodiscard]] std::string name_of(shift::CorruptionGroup group);

// Mean |x' - x| over all pixels of `after`, whose row i is row first + i of `before`.
[[nodiscard]] double mean_change(const Images& before, const Images& after, std::size_t first = 0);

}  // namespace leeway::tasks
