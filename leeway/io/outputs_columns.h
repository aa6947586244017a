// Detects the columns of a table of outputs by name and, where names are ambiguous, by value. Options
// override.
//
// Scores, one column per class (case-insensitive): logit_*, logits_* (logits); p_*, prob_*, proba_*,
// y_pred_proba_*, ... (probabilities); score_*, class_*, output_* (either); * is the class. Or columns named
// by the classes alone: the label values, numbers from 0 or 1, or all remaining numeric columns if every row
// sums to 1. Of two classes known as negative and positive (no, yes), the negative one is first unless
// options list them. One column score, prob, proba, y_score, decision_function, ... is the positive class of two.
// Labels: y_true, label, labels, y; else in another case, target, class, truth, ... if unique. Groups:
// attr_*; features: feat_*; `id`, `norm`; times, if requested: time, timestamp, datetime, date, ...
//
// Errors (Error, named `name`; they name the columns and the option to use): a requested column that is
// missing, two columns for one purpose or of one name, ambiguous names. Unknown columns are listed.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/utf8.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"

namespace leeway {

// Columns by name. A name in `classes` or `groups` may contain a star: "prob_*" selects every match, in order
// (numbers by value).
struct ColumnOptions {
  std::optional<std::string> label, id;  // "none": the table has none
  std::optional<std::string> time;       // of an array file: the array
  bool times = false;                    // require a column of times
  std::vector<std::string> classes, groups;
  std::vector<std::string> class_names;  // of all classes in order; also orders columns with these names
  std::optional<char> separator;         // unset: find_separator
  Encoding encoding = Encoding::utf8;
  bool frame = false;  // a data frame: if no column name is known, all columns are scores
};

struct ClassColumns {
  std::vector<std::size_t> columns;
  std::vector<std::string> names;  // of the classes; empty: 0 to k-1
  ScoreKind kind = ScoreKind::open;
  bool standard = false;  // logit_* or p_*, with classes numbered from 0 or named
  bool positive = false;  // one column, whose name shows that it is the positive class of two
};

struct OutputsColumns {
  ClassColumns classes;
  std::optional<std::size_t> label, id, norm, time;
  std::vector<std::size_t> features, groups;
  std::vector<std::string> group_names;
  std::vector<std::pair<std::size_t, std::string>> ignored;  // column and reason; no reason: unknown column
};

[[nodiscard]] OutputsColumns name_columns(const CsvTable& table, const ColumnOptions& options,
                                          std::string_view name);

// The label column of a table that may have no scores: as above, or the only column that is not an id.
[[nodiscard]] std::size_t find_label_column(const CsvTable& table, const ColumnOptions& options,
                                            std::string_view name);

// A field as a number. If the separator is not a comma, a comma is a decimal mark.
[[nodiscard]] std::optional<double> csv_number(std::string_view field, char separator);

// The values of the label column, without missing ones; empty without a label column.
[[nodiscard]] std::set<std::string> label_values_of(const CsvTable& table, std::optional<std::size_t> label);

// "a, b, c" or, of many, "a, b, ..., z (200)".
[[nodiscard]] std::string column_list(const CsvTable& table, const std::vector<std::size_t>& columns);

}  // namespace leeway
