// Data sets rendered from geometry: every image is a function of a few known factors.
//
// A family: render.cpp lists the members; each has one file with geometry, colors and source. Names and order
// follow the published data sets: the first factor is the slowest. The attribute table has a column for every
// factor, and columns for ranges of a factor (sizes, colors) as in conds/conds.h.
//
// Rows are numbers of factor combinations. Images are rendered and written in blocks, so a set may exceed the
// memory. Deterministic, the same bits for any number of threads and any selection of images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/io/png.h"

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

class RenderedRows {
 public:
  // Every combination of the values asked for: `only` names columns and their values, a factor that is in none has its
  // standard values. Error for a column or value that the set lacks, and where no combination is left.
  RenderedRows(const RenderedSet& set, const std::map<std::string, std::vector<std::string>>& only);

  // The rows of a CSV table with a column per factor. Error (file, expected, found, row): missing column,
  // unknown value.
  static RenderedRows from_table(const RenderedSet& set, const std::filesystem::path& table);

  // `count` different ones, at random, in order; all where there are no more.
  [[nodiscard]] RenderedRows sample(std::size_t count, std::uint64_t seed) const;
  [[nodiscard]] RenderedRows take(std::span<const std::size_t> rows) const;

  [[nodiscard]] const RenderedSet& set() const { return *set_; }
  [[nodiscard]] std::size_t n() const { return chosen_ ? chosen_->size() : total_; }
  // Index into the values of every factor.
  [[nodiscard]] std::vector<std::uint16_t> codes(std::size_t row) const;

 private:
  explicit RenderedRows(const RenderedSet& set) : set_(&set) {}

  const RenderedSet* set_;
  std::vector<std::vector<std::uint16_t>> grid_;  // codes of every factor that are combined
  std::size_t total_ = 1;
  std::optional<std::vector<std::size_t>> chosen_;  // numbers of combinations
};

// Position of a column of the set; Error that lists the names there are.
[[nodiscard]] std::size_t find_column(const RenderedSet& set, std::string_view column);
// The different texts of a column, in order: what labels count.
[[nodiscard]] std::vector<std::string> values_of(const RenderedColumn& column);

// Draws all rows in order and hands them on in blocks, (rows, 3, size, size). Cost: one image a thread at a time; 64
// MiB at most. Interrupted where `progress` asks for it. Error for sizes below 8 and above 1024.
void render(const RenderedRows& rows, std::size_t size,
            const std::function<void(std::span<const std::uint8_t>)>& write, Progress* progress);

// The images file: x (n,3,size,size) in u8, and y, the values of column `label`.
void write_rendered(const std::filesystem::path& path, const RenderedRows& rows, std::size_t size,
                    std::size_t label, Progress* progress);

// The table of attributes, a row for each image.
void write_attributes(const std::filesystem::path& path, const RenderedRows& rows);

// `count` of the images drawn at random (all where there are no more), ten in a row.
[[nodiscard]] Bitmap sheet_of(const RenderedRows& rows, std::size_t size, std::size_t count,
                              std::uint64_t seed);

}  // namespace leeway::data
