// Published data sets as their files come, as images and a table of attributes.
//
// A family: this header is its interface, load.cpp the visible list of members, and the members stand in files
// by the kind of their format (load_arrays, load_binary, load_tables, load_folder, load_hdf5), each with the layout it
// expects and its source. Nothing is downloaded. What a file says is checked against its size and the values the
// format allows before anything is allocated; text becomes numbers of values, 4 bytes a row and column.
//
// Column names and values are those that conds_sets.h knows where the protocol names the data set, so that its tables
// go straight into `shift conds --dataset`. Rows keep the order of the files.
//
// Errors (Error: file, expected, found, row): a file that is missing, cut off or of another layout; a value the format
// does not have; pictures of different sizes or kinds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/progress.h"

namespace leeway::shift {

struct LoadedColumn {
  std::string name;
  std::vector<std::string> values;
  std::vector<std::uint32_t> codes;  // (n) indices into values
};

struct Loaded {
  std::size_t n = 0;
  std::array<std::size_t, 3> shape{0, 0, 0};  // channels, height, width; zeros: a table without pictures
  // Picture `row` in u8; empty without pictures. May be called from several threads.
  std::function<void(std::size_t row, std::span<std::uint8_t> out)> picture;
  std::vector<LoadedColumn> columns;  // the label first

  [[nodiscard]] bool has_pictures() const { return static_cast<bool>(picture); }
};

using Paths = std::vector<std::filesystem::path>;

struct LoadedFormat {
  std::string_view name;     // "cifar10"
  std::string_view summary;  // one line for --help
  std::string_view paths;    // what files it takes
  std::size_t fewest, most;  // how many
  Loaded (*load)(const Paths& paths);
};

[[nodiscard]] std::span<const LoadedFormat> loaded_formats();
// Reads a set; Error for a name that is none, a number of paths that the format does not take, and no rows.
[[nodiscard]] Loaded load_set(std::string_view format, const Paths& paths);

// x (n,c,h,w) in u8, y: the values of column `label`, by number. Piece by piece, as render's are written.
void write_loaded(const std::filesystem::path& path, const Loaded& set, std::size_t label,
                  Progress* progress);
void write_table(const std::filesystem::path& path, const Loaded& set);

// The members.
[[nodiscard]] Loaded load_dsprites(const Paths& paths);
[[nodiscard]] Loaded load_shapes3d(const Paths& paths);
[[nodiscard]] Loaded load_smallnorb(const Paths& paths);
[[nodiscard]] Loaded load_cifar10(const Paths& paths);
[[nodiscard]] Loaded load_cifar100(const Paths& paths);
[[nodiscard]] Loaded load_cifar10_c(const Paths& paths);
[[nodiscard]] Loaded load_cifar10_1(const Paths& paths);
[[nodiscard]] Loaded load_idx(const Paths& paths);
[[nodiscard]] Loaded load_celeba(const Paths& paths);
[[nodiscard]] Loaded load_iwildcam(const Paths& paths);
[[nodiscard]] Loaded load_fmow(const Paths& paths);
[[nodiscard]] Loaded load_camelyon17(const Paths& paths);
[[nodiscard]] Loaded load_folder(const Paths& paths);

// For the fuzzer: the binary formats from memory. `name` opens error messages.
[[nodiscard]] Loaded parse_cifar(const std::vector<MappedFile>& files, const std::vector<std::string>& names,
                                 bool hundred);
[[nodiscard]] Loaded parse_smallnorb(const MappedFile& pictures, const MappedFile& categories,
                                     const MappedFile& information, const std::array<std::string, 3>& names);
[[nodiscard]] Loaded parse_celeba(std::string_view text, std::string_view name);

}  // namespace leeway::shift
