// Shifted sets of images: how common corruptions (shift/shift.h) are applied, as options of commands and as
// what was done; where the images of a set come from, and the pass over them in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/describe/fields.h"
#include "leeway/io/images.h"
#include "leeway/shift/shift.h"

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
[[nodiscard]] shift::Options options_of(const CorruptionChoice& choice, bool frost, std::uint64_t seed);

// What that choice comes to on such images.
[[nodiscard]] CorruptionUse use_of(const CorruptionChoice& choice, const Images& images);

// Whether severities of the shift change such images at all.
[[nodiscard]] bool defined_on(const shift::Member& member, const Images& images);

// Sum of |x' - x| over all pixels of `after`, whose row i is row first + i of `before`.
[[nodiscard]] double sum_of_changes(const Images& before, const Images& after, std::size_t first);

// One shift at one severity, or without it at one strength.
struct ShiftUnit {
  const shift::Member* member = nullptr;
  std::optional<std::size_t> severity = {};
  double strength = 0;
};

// The images of a set, in blocks of rows.
struct ShiftedImages {
  ElementType type = ElementType::u8;
  std::vector<std::size_t> shape;  // n, channels, height, width
  std::optional<std::vector<std::int64_t>> labels;
  std::function<Images(std::size_t begin, std::size_t end)> block;
};

// The images themselves; nothing is copied.
[[nodiscard]] ShiftedImages as_they_are(const Images& images);
// Of a unit that does not select rows.
[[nodiscard]] ShiftedImages shifted(const Images& images, const ShiftUnit& unit,
                                    const shift::Options& options);
// From files of a folder of that format (data/load.h). Error where they do not have the shape of `like`.
[[nodiscard]] ShiftedImages published(const std::string& folder, std::string_view format,
                                      const ShiftUnit& unit, const Images& like);

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
void for_blocks(const ShiftedImages& images, const PassProgress& progress,
                const std::function<void(std::size_t begin, const Images& block, Progress* of_block)>& use);

}  // namespace leeway::tasks
