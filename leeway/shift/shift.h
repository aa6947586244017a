// Shifts of images: what happens to inputs between the laboratory and the street.
//
// A family: this header is its interface, shift.cpp the visible list of members, and every member is one file
// that holds its formula, its code, its default strength and its source. The command line, the report and the
// demo read that list.
//
// A shift takes images in [0,1] (and their labels, where it looks at them) and a strength. It changes the
// pixels and gives float32 in [0,1], or it selects rows and leaves the pixels and their type alone. It is a
// pure function of its inputs, the strength and the seed. Where pixels change, image i depends on row i and
// its number alone, so neither threads nor the other rows change it; a random shift draws the same numbers at
// every strength.
//
// Errors (Error): a strength outside the member's range, labels that a member needs and the set lacks, a
// class that does not occur, is named twice or is missing from an order of all classes. Cost: one pass,
// images in parallel; the result is in memory. Interrupted is thrown when `progress` says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct Member {
  std::string_view name;      // "gaussian-noise"
  std::string_view summary;   // one line for --help and the report
  std::string_view strength;  // what the number means, with its unit: "standard deviation, pixels in [0,1]"
  double default_strength;
  double low, high;                // legal strengths, both included; low = high: it has no strength
  std::optional<double> identity;  // the strength that changes nothing, where there is one
  bool selects_rows;               // changes which samples there are, not their pixels
  bool needs_classes = false;      // has no meaning without Options::classes
  Shifted (*apply)(const Images& images, const Options& options, Progress* progress);
};

[[nodiscard]] std::span<const Member> members();
[[nodiscard]] const Member& member(std::string_view name);  // Error that lists the names there are

}  // namespace leeway::shift
