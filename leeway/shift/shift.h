// Shifts of images.
//
// A family: shift.cpp lists the members; each has one file in pixels/ or rows/ with its formula, default
// strength and source. A shift takes images in [0,1] (with labels if required) and a strength. It changes
// pixels and returns float32 in [0,1], or selects rows without changing pixels or type. It is a pure function
// of inputs, strength and seed. Pixel shifts of image i depend only on row i and its number, not on threads
// or other rows; a random shift draws the same numbers at every strength.
//
// Errors (Error): a strength outside the member's range or not whole where required, missing labels, a class
// that does not occur, is named twice or is missing from an order. Cost: one pass, images in parallel; the
// result is in memory. Throws Interrupted when `progress` requests it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/io/images.h"

namespace leeway::shift {

struct Options {
  double strength = 0;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> classes;  // label-subset: the classes kept; imbalance: all classes, rarest last
};

struct Shifted {
  Images images;  // with the labels of the rows kept
  std::vector<std::size_t>
      rows;  // rows[i]: where image i came from; all rows in order unless the member selects
};

// Its only parameter, where it has one, is the strength: what the number means, with its unit.
struct Member : leeway::Member {
  std::optional<double> identity;  // the strength that changes nothing, where there is one
  // The strength is legal.
  Shifted (*change)(const Images& images, const Options& options, Progress* progress) = nullptr;
  bool selects_rows = false;   // changes which samples there are, not their pixels
  bool needs_classes = false;  // has no meaning without Options::classes

  [[nodiscard]] Parameter strength() const;  // from 0 to 0 where it has none
  [[nodiscard]] Shifted apply(const Images& images, const Options& options, Progress* progress) const;
};

[[nodiscard]] std::span<const Member> members();
[[nodiscard]] const Member& member(std::string_view name);  // Error that lists the names there are

}  // namespace leeway::shift
