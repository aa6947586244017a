// Reads outputs by a command's options: columns, class names, label and group files, rows of a split.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/core/shards.h"
#include "leeway/data/training_data.h"
#include "leeway/record/reading.h"

namespace leeway::tasks {

// "logit" or "prob".
[[nodiscard]] Binary binary_of(const std::optional<std::string>& binary);

// OptionError for a separator or a first label that is none. Error: the file of class names cannot be read.
// `check_finite`: as in OutputsOptions; false where the task reads every logit and names the row that is not finite.
[[nodiscard]] OutputsOptions reading_of(const record::OutputsReading& reading, bool check_finite = false);

// Of "y.npy,prod=p.npy" the labels and groups for a set that goes by one of these names; without names, those that bear none.
[[nodiscard]] record::OutputsReading reading_for(record::OutputsReading reading,
                                                 const std::vector<std::string>& names);
// OptionError: a name before "=" that is none of these, and no file either.
void require_names(const record::OutputsReading& reading, const std::vector<std::string>& names);

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
[[nodiscard]] OutputsShards read_set(const std::string& text, const record::OutputsReading& reading,
                                     SetRole role, bool check_finite, const NoteInput& note);

// The same of outputs that are open already, read with `options`.
[[nodiscard]] OutputsShards with_reading(OutputsShards set, const record::OutputsReading& reading,
                                         SetRole role, const OutputsOptions& options, const NoteInput& note);

}  // namespace leeway::tasks
