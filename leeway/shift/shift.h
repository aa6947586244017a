// Shifts of images: what happens to inputs between the laboratory and the street.
//
// A family: this header is its interface, shift.cpp the visible list of members, and every member is one file of pixels/ or
// rows/ that holds its formula, its code, its default strength and its source.
//
// A shift takes images in [0,1] (and their labels, where it looks at them) and a strength. It changes the
// pixels and gives float32 in [0,1], or it selects rows and leaves the pixels and their type alone. It is a
// pure function of its inputs, the strength and the seed. Where pixels change, image i depends on row i and
// its number alone, so neither threads nor the other rows change it; a random shift draws the same numbers at
// every strength.
//
// Errors (Error): a strength outside the member's range or not whole where it must be, labels that a member needs and the set lacks, a
// class that does not occur, is named twice or is missing from an order of all classes. Cost: one pass,
// images in parallel; the result is in memory. Interrupted is thrown when `progress` says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/images.h"
#include "leeway/core/progress.h"

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
