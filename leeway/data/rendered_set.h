// Data sets made from geometry: every image is a function of a few factors, all of which are known.
//
// A family: this header is its interface, rendered_set.cpp the visible list of members, and every member is one file
// with its geometry, its colours and its source. Names of factors and values follow the published data sets, as does
// the order of images: the first factor is the slowest.
//
// A table of attributes has a column for every factor, and columns that name ranges of a factor (sizes, colours) as
// the ConDS protocol does (conds/protocol_sets.h). Drawing is a pure function of the values and the size: the same bits for
// any number of threads, whatever else is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::data {

struct Factor {
  std::string name;
  std::vector<std::string> values;  // all that can be drawn, in order
  std::size_t standard;             // the first so many make the data set unless others are asked for
};

struct RenderedColumn {
  std::string name;
  std::size_t factor;
  std::vector<std::string> texts;  // of every value of the factor
};

struct RenderedSet : Member {
  std::vector<Factor> factors;
  std::vector<RenderedColumn> columns;  // the label first; every factor has one whose texts are its values
  // One image, (3, size, size) in u8. `codes`: an index into the values of every factor.
  void (*draw)(std::span<const std::uint16_t> codes, std::size_t size, std::span<std::uint8_t> out);
};

[[nodiscard]] std::span<const RenderedSet> rendered_sets();
[[nodiscard]] const RenderedSet& rendered_set(std::string_view name);  // Error that lists the names there are

// `count` numbers from `low` to `high`, both included, and their text with six significant digits.
[[nodiscard]] std::vector<double> evenly(double low, double high, std::size_t count);
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<double>& values);

struct Color {
  std::string_view name;
  std::array<std::uint8_t, 3> rgb;
};

}  // namespace leeway::data
