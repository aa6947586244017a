// Which images of a rendered data set (rendered_set.h), and their way to disk.
//
// Rows are numbers of factor combinations: nothing is drawn before it is written, and blocks of images are written
// as they are drawn, so that a set larger than the memory can be made. Deterministic, the same bits for any number of
// threads, and an image does not depend on which others are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/png.h"
#include "leeway/core/progress.h"
#include "leeway/data/rendered_set.h"

namespace leeway::data {

class RenderedRows {
 public:
  // Every combination of the values asked for: `only` names columns and their values, a factor that is in none has its
  // standard values. Error for a column or value that the set lacks, and where no combination is left.
  RenderedRows(const RenderedSet& set, const std::map<std::string, std::vector<std::string>>& only);

  // The rows of a table (CSV) with a column for every factor; other columns are not looked at. Error (file, expected,
  // found, row) for a column that is missing and a value that the set lacks.
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
