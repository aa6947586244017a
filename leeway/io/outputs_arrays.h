// Arrays of an outputs file by their names, for those who read outputs and labels (outputs.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"

namespace leeway {

using ArrayNames = std::vector<std::string_view>;

// One array, and how messages call it.
struct NamedArray {
  Array array;
  std::string where;
};

// Under any of these names; Error where two of them are there.
[[nodiscard]] std::optional<NamedArray> pick_array(const ArrayMap& arrays, const ArrayNames& names,
                                                   const std::string& file);

// Error unless the shape is (n) or (n,1).
void require_one_a_row(const NamedArray& named, std::size_t n);

// (n,2) of the positive class of two: logits (0, v) or probabilities (1-v, v).
[[nodiscard]] Array positive_class_pairs(std::span<const double> values, bool probabilities);

// Text under the name *.csv, *.tsv or *.csv.gz, or on standard input.
[[nodiscard]] bool is_table_file(const MappedFile& file, const std::filesystem::path& path);

[[nodiscard]] ArrayMap read_array_file(const MappedFile& file, const std::filesystem::path& path,
                                       std::string_view expected, const WantedName& wanted = {});

// The array that --label-column names, that of a standard name, or the only one under another word for labels.
[[nodiscard]] std::optional<NamedArray> labels_among(const ArrayMap& arrays, const std::string& name,
                                                     const ColumnOptions& columns,
                                                     const ArrayNames& standard);

// The array of ids: the one that --id-column names, else `ids` or `id`. Its n ids are texts or whole numbers.
[[nodiscard]] bool is_id(std::string_view name, const ColumnOptions& columns);
[[nodiscard]] std::optional<NamedArray> ids_among(const ArrayMap& arrays, const std::string& name,
                                                  const ColumnOptions& columns);
[[nodiscard]] std::vector<std::string> id_texts(const NamedArray& named, std::size_t n);

// Those of the arrays `others` of a file that hold a class number for every row, such as labels do.
[[nodiscard]] std::vector<std::string> likely_labels(const MappedFile& file, const std::string& name,
                                                     ArrayMap arrays, const std::vector<std::string>& others,
                                                     const Outputs& outputs);

// n labels of k classes.
[[nodiscard]] ClassLabels label_values(const NamedArray& named, std::size_t n, std::size_t k,
                                       const std::vector<std::string>& class_names,
                                       std::optional<std::size_t> first_label = {});

}  // namespace leeway
