// The file of index,split that `leeway conds draw` writes: which rows of a table (or images of a set) make the
// training, the validation and the test set.
//
// Errors (Error: file, expected, found, row): other columns, an index that is no whole number below n, a word that is
// no set's, a row in two sets. Rows come in the order of the file; one that stands twice in a set comes twice.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace leeway::data {

struct RowSplit {
  std::vector<std::size_t> train, validation, test;
  std::size_t rows = 0;  // of the file
};

[[nodiscard]] RowSplit read_split(const std::filesystem::path& path, std::size_t n);

}  // namespace leeway::data
