// Training data: labeled images, with optional groups and environments.
//
// Pixels stay u8 or float32; training converts them batch by batch. An images file may hold, besides x and y,
// `groups` (n) or (n,g) with `group_names` (g), and `environment` (n): whole numbers or text. A CSV file with
// a header and one row per image may hold them as columns instead. Groups of numbers are bins (io/groups.h).
//
// Errors (Error: file, expected, found): those of images.h and csv.h; no labels; an array or CSV of another
// length; a missing column.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/data/picture_folder.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"

namespace leeway::data {

struct TrainingData {
  TrainingData() = default;
  // Nothing else is known of them. NOLINTNEXTLINE(google-explicit-constructor): images alone are training data
  TrainingData(Images labelled) : images(std::move(labelled)) {}

  Images images;                           // with labels
  std::vector<GroupColumn> groups;         // attributes, n codes each
  std::optional<GroupColumn> environment;  // where or when an image was taken
  std::optional<Images> unlabelled;        // of the target; labels that it may have are never looked at
  std::optional<Images> test;              // labelled; measured after every epoch, they choose nothing
  std::optional<Images> shifted;           // of the validation rows, row by row: a second sample
};

// Where attributes come from.
struct TrainingColumns {
  std::string attributes;           // the CSV; empty: the images file
  std::vector<std::string> groups;  // names of columns; none: the file's groups, all of them
  std::string environment;          // empty: the file's environment
};

// `pictures`: of a folder, which is decoded into memory.
[[nodiscard]] TrainingData read_training_data(const std::string& path_or_name, const TrainingColumns& columns,
                                              const PictureOptions& pictures = {});

// The rows of both, of equal sizes, class names and attributes. Error that names the file of `more`.
[[nodiscard]] TrainingData joined(const TrainingData& data, const TrainingData& more);

// Rows `rows`, in that order, with all that is known of them; unlabelled and test images stay.
[[nodiscard]] TrainingData select_rows(const TrainingData& data, std::span<const std::size_t> rows);

// The group of each row: its label and all its attributes together, "y=1, background=water". Only those that occur.
[[nodiscard]] GroupColumn label_groups(const TrainingData& data);

// Reads the index,split file of `leeway conds draw`: rows of the training, validation and test set, in file
// order. Or a table with a column split and one row per image, as `leeway data load` writes it; rows of id_val,
// id_test and unused are then in no set.
//
// Errors (Error: file, expected, found, row): other columns, an index that is not a whole number below n, an
// unknown set, a row in two sets. A row listed twice in a set occurs twice.

struct RowSplit {
  std::vector<std::size_t> train, validation, test;
  std::size_t rows = 0;  // of the file
};

[[nodiscard]] RowSplit read_split(const std::filesystem::path& path, std::size_t n);

}  // namespace leeway::data
