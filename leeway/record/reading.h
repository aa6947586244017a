// How outputs are read, among the options of commands that take them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "leeway/record/fields.h"

namespace leeway::record {

// Lists of columns and of classes are words by commas.
struct OutputsReading {
  std::optional<std::string> binary, as;  // "logit" or "prob"; "logits" or "probs"
  std::optional<std::string> label_column, class_columns, group_columns, id_column, separator, encoding;
  std::optional<std::string> class_names;     // or a file of them
  std::optional<std::size_t> first_label;     // 0 or 1
  std::optional<std::string> labels, groups;  // files beside the first set of outputs
  std::optional<std::string> index, split;    // which rows: a file of index,split and a word of it
  std::optional<std::string> time_column;
  bool times = false;  // rows must have times; no option, but what a command needs of a set
};

void fields(OutputsReading& reading, Fields& f);
void score_fields(OutputsReading& reading, Fields& f);  // of each file: scores, columns, names of classes
void labels_field(OutputsReading& reading, Fields& f);
void groups_field(OutputsReading& reading, Fields& f);
void row_fields(OutputsReading& reading, Fields& f);  // index, split
void time_field(OutputsReading& reading, Fields& f);  // of commands that know what time is

}  // namespace leeway::record
