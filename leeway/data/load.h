// Reads published data sets in their original files, as images and a table of attributes.
//
// A family: load.cpp lists the members; load_KIND.cpp implements those of one format, each with its layout
// and source. Nothing is downloaded. Sizes and values are validated before any allocation; text becomes value
// numbers, 4 bytes per row and column. Columns and values are those of conds/conds.h, so that the
// tables work with `conds draw --dataset`, if necessary after protocol_rows. Rows keep the order of the
// files.
//
// Errors (Error: file, expected, found, row): a file that is missing, truncated or of another layout; an
// invalid value; pictures of different sizes or kinds.
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
#include <variant>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/progress.h"
#include "leeway/io/attribute_table.h"
#include "leeway/io/png.h"

namespace leeway::data {

struct LoadedColumn {
  std::string name;
  std::vector<std::string> values;
  std::vector<std::uint32_t> codes;  // (n) indices into values
};

// A picture by itself.
struct Planes {
  std::array<std::size_t, 3> shape{0, 0, 0};  // channels, height, width
  std::vector<std::uint8_t> pixels;
};

struct Loaded {
  std::size_t n = 0;
  std::array<std::size_t, 3> shape{0, 0, 0};  // channels, height, width; zeros: a table without pictures
  // Picture `row` in u8; empty without pictures. May be called from several threads.
  std::function<void(std::size_t row, std::span<std::uint8_t> out)> picture;
  // The same as it is stored, where sizes may differ; `shape` is then the first one's, and `picture` refuses others.
  std::function<Planes(std::size_t row)> stored;
  std::vector<LoadedColumn> columns;  // the label first

  [[nodiscard]] bool has_pictures() const { return static_cast<bool>(picture); }
};

using Paths = std::vector<std::filesystem::path>;

inline constexpr std::size_t any_number = 1000;  // of paths

inline constexpr std::size_t severities = 5;  // of each corruption

// What is read of a set that comes as corruptions and severities.
struct CorruptionPart {
  std::optional<std::string> corruption;  // "gaussian_noise" or "gaussian-noise"; none: all there are
  std::optional<std::size_t> severity;    // 1 to 5; none: all

  [[nodiscard]] bool is_all() const { return !corruption && !severity; }
};

// Classes of a BREEDs data set: nodes at a level of the hierarchy, below `ancestor` if given, with at least
// `subclasses` subclasses.
struct BreedsSet {
  std::size_t level = 0, subclasses = 0;
  std::string_view ancestor = {};
};
// How a BREEDs data set divides the subclasses of each class between source and target.
struct BreedsPart {
  std::string division = "good";  // good, bad or rand
  std::uint32_t seed = 2;         // of rand
};

struct LoadedFormat : Member {
  std::string_view paths;  // what files it takes
  std::variant<Loaded (*)(const Paths& paths),
               Loaded (*)(const Paths& paths, const CorruptionPart& part),  // of a set of corruptions
               BreedsSet>
      load;
  std::size_t fewest = 1, most = 1;  // how many files
  [[nodiscard]] bool has_parts() const { return load.index() == 1; }
  [[nodiscard]] bool is_breeds() const { return load.index() == 2; }
};
[[nodiscard]] std::span<const LoadedFormat> loaded_formats();
// Reads a set, or that part of it; Error for a name that is none, a number of paths that the format does not take, a part of a
// set that has none, and no rows.
[[nodiscard]] Loaded load_set(std::string_view format, const Paths& paths, CorruptionPart part = {},
                              const BreedsPart& breeds = {});

// The format "table": that column has the files; empty: the first column whose values look like image files.
[[nodiscard]] Loaded load_table(const Paths& paths, const std::string& path_column);

// A folder of published corruptions: the format that load_set reads it by ("cifar10-c", "cifar100-c" by the largest label,
// "imagenet-c"), and what its corruptions are called there, sorted. Error for a folder of neither layout.
struct CorruptionFolder {
  std::string_view format;
  std::vector<std::string> corruptions;
};
[[nodiscard]] CorruptionFolder corruption_folder(const std::filesystem::path& folder);

inline constexpr std::size_t longest_side = 16'384;
// The set resized to `side` x `side` while reading (picture_file.h). Error: no pictures, or a side not 1 to 16,384.
[[nodiscard]] Loaded resized(Loaded set, std::size_t side);

// Rows whose values are those of the protocol's data set `name` (conds/conds.h, columns_of). The
// columns then have exactly these values in this order, used or not, so that y means the same in every file;
// columns that the set lacks are skipped. Error if the set lacks the label or no row is left.
[[nodiscard]] Loaded protocol_rows(Loaded set, const TableColumns& protocol, std::string_view name);

// Rows whose column `split` has the value `split`. Error: a set without the column, or without such rows.
[[nodiscard]] Loaded split_rows(Loaded set, std::string_view split);

// The protocol of DomainBed: a column split, "test" for the rows of that domain, "val" for a random fifth of
// each other domain, rounded down, "train" for the rest. Error: a set without domains or with a split, or no
// such domain.
[[nodiscard]] Loaded leave_out(Loaded set, const std::string& domain, std::uint64_t seed);

// The crop of WILDS in the ConDS benchmark: resized to 448 x 448, cut to rows 10 to 409, resized to 224 x 224.
[[nodiscard]] Loaded conds_cropped(Loaded set);

// x (n,c,h,w) in u8, y: the values of column `label`, by number, and class_names: these values. Piece by piece,
// as render's are written.
void write_loaded(const std::filesystem::path& path, const Loaded& set, std::size_t label,
                  Progress* progress);
// `count` of the pictures at random (picture_file.h); those of more than 256 pixels a side are shown as 256 x 256.
[[nodiscard]] Bitmap sheet_of(const Loaded& set, std::size_t count, std::uint64_t seed);
void write_table(const std::filesystem::path& path, const Loaded& set);

// For the fuzzer: formats from memory. `name` opens error messages.
[[nodiscard]] Loaded parse_cifar(const std::vector<MappedFile>& files, const std::vector<std::string>& names,
                                 bool hundred);
[[nodiscard]] Loaded parse_smallnorb(const MappedFile& pictures, const MappedFile& categories,
                                     const MappedFile& information, const std::array<std::string, 3>& names);
[[nodiscard]] Loaded parse_celeba(std::string_view text, std::string_view name);
// list_attr_cloth.txt with list_attr_img.txt, and with train_attr.txt and train.txt.
[[nodiscard]] Loaded parse_deepfashion_coarse(const std::array<std::string_view, 2>& texts,
                                              const std::array<std::string, 2>& names);
[[nodiscard]] Loaded parse_deepfashion_fine(const std::array<std::string_view, 3>& texts,
                                            const std::array<std::string, 3>& names);

// A list of pictures and the numbers of their classes (VisDA, DomainNet).
struct ListedPicture {
  std::string file;
  std::uint32_t number = 0;
};
[[nodiscard]] std::vector<ListedPicture> parse_picture_list(std::string_view text, std::string_view name);

// The classes of a BREEDs data set and their subclasses.
struct BreedsClasses {
  struct Subclass {
    std::size_t number = 0, label = 0;  // among ImageNet's classes, among names
    std::uint32_t side = 0;             // 0: source, 1: target
  };
  std::vector<std::string> names;
  std::map<std::string, Subclass> subclasses;  // by WNID
};
// Of dataset_class_info.json, class_hierarchy.txt and node_names.txt.
[[nodiscard]] BreedsClasses parse_breeds(const std::array<std::string_view, 3>& texts,
                                         const std::array<std::string, 3>& files, const BreedsSet& breeds,
                                         const BreedsPart& part);

}  // namespace leeway::data
