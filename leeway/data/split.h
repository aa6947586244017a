// Reads the index,split file of `leeway conds draw`: rows of the training, validation and test set, in file
// order.
//
// Errors (Error: file, expected, found, row): other columns, an index that is not a whole number below n, an
// unknown set, a row in two sets. A row listed twice in a set occurs twice.
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
