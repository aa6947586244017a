// Options of commands that read outputs, on how to read them: columns, class names, label and group
// files, rows of a split.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/data/training_data.h"
#include "leeway/describe/fields.h"
#include "leeway/io/outputs.h"
#include "leeway/io/shards.h"

namespace leeway::tasks {

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

// Names by commas, or a file of them: one a line, or an array of texts called class_names.
[[nodiscard]] std::vector<std::string> class_names_in(const std::string& text);

// "logit" or "prob".
[[nodiscard]] Binary binary_of(const std::optional<std::string>& binary);

// OptionError for a separator or a first label that is none. Error: the file of class names cannot be read.
// `check_finite`: as in OutputsOptions; false where the task reads every logit and names the row that is not finite.
[[nodiscard]] OutputsOptions reading_of(const OutputsReading& reading, bool check_finite = false);

// Of "y.npy,prod=p.npy" the labels and groups for a set that goes by one of these names; without names, those that bear none.
[[nodiscard]] OutputsReading reading_for(OutputsReading reading, const std::vector<std::string>& names);
// OptionError: a name before "=" that is none of these, and no file either.
void require_names(const OutputsReading& reading, const std::vector<std::string>& names);

// The first set of a command, clean or source, has the labels and groups of the reading's files.
enum class SetRole { first, other };

struct ReadFile {
  std::string path;
  std::vector<std::size_t> shape;
  std::string reading;  // as in Outputs
  bool beside = false;  // labels, groups, a split: it may serve several sets
};
using NoteInput = std::function<void(const ReadFile&)>;

// The rows that a separate file of labels or groups describes. Rows are matched by id if the set and the file have ids;
// otherwise the file has n rows in the order of the set.
struct SetRows {
  std::size_t n = 0;
  std::vector<std::string> ids = {};
  std::string path = {};  // of the set, in messages
};
// As read_class_labels.
[[nodiscard]] ClassLabels read_labels(const std::string& text, const SetRows& set, std::size_t k,
                                      const OutputsOptions& options);
// A CSV, a column each, or an array `groups`. Error: another number of rows, no column of groups.
[[nodiscard]] std::vector<GroupColumn> read_groups(const std::string& path, const SetRows& set,
                                                   const ColumnOptions& columns = {});

// The rows of train, val or test. Error (named `file`) where there are none.
[[nodiscard]] const std::vector<std::size_t>& rows_called(const data::RowSplit& split,
                                                          const std::string& word, const std::string& file);

// The set `text` (shards.h). Labels and groups from separate files replace its own for all rows; then the
// split selects rows. Errors: those of reading; a split without rows.
[[nodiscard]] OutputsShards read_set(const std::string& text, const OutputsReading& reading, SetRole role,
                                     bool check_finite, const NoteInput& note);

// The same of outputs that are open already, read with `options`.
[[nodiscard]] OutputsShards with_reading(OutputsShards set, const OutputsReading& reading, SetRole role,
                                         const OutputsOptions& options, const NoteInput& note);

}  // namespace leeway::tasks
