// Which columns of a table of outputs hold what, told by their names and, where names leave it open, by their values.
//
// Scores, one column a class: a name that begins with logit_, logits_ (logits), p_, prob_, proba_, y_pred_proba_ and the
// like (probabilities), score_, class_, output_ (either), in any case, what follows being the class; or the names of the
// classes alone: those that the labels bear, numbers from 0 or 1, or all remaining columns of numbers where every row of
// them sums to 1. One column called score, prob, proba, y_score, decision_function, ... is the positive class of two.
// Labels: y_true, label, labels, y; the same in another case, target, class, truth and the like where there is one. Groups: attr_*;
// features: feat_*; `id`, `norm`; where times are asked for: time, timestamp, datetime, date and the like. Options name columns
// where names do not.
//
// Errors (Error, named `name`): a column that options name and the table lacks, two columns for one thing, names that can
// be read in two ways; each names the columns and the option that decides. A column of which nothing is known is left out
// and listed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/column_words.h"
#include "leeway/core/csv.h"

namespace leeway {

// Columns by name. A text of `classes` and `groups` may hold one star: "prob_*" is every column that begins so, in the
// order of the table, numbers in theirs.
struct ColumnOptions {
  std::optional<std::string> label, id;  // "none": the table has none
  std::optional<std::string> time;       // of an array file: the array
  bool times = false;                    // rows must have a time
  std::vector<std::string> classes, groups;
  std::vector<std::string> class_names;  // of all classes in their order: the order of named columns, too
  std::optional<char> separator;         // unset: find_separator
};

struct ClassColumns {
  std::vector<std::size_t> columns;
  std::vector<std::string> names;  // of the classes; empty: 0 to k-1
  ScoreKind kind = ScoreKind::open;
  bool standard = false;  // logit_* or p_*, classes from 0 or by name
  bool positive = false;  // one column that alone says what it is: the positive class of two
};

struct OutputsColumns {
  ClassColumns classes;
  std::optional<std::size_t> label, id, norm, time;
  std::vector<std::size_t> features, groups;
  std::vector<std::string> group_names;
  std::vector<std::pair<std::size_t, std::string>> ignored;  // and why; empty: nothing is known of it
};

[[nodiscard]] OutputsColumns name_columns(const CsvTable& table, const ColumnOptions& options,
                                          std::string_view name);

// The label column of a table that may hold no scores: as above, or its only column but for the one of ids.
[[nodiscard]] std::size_t find_label_column(const CsvTable& table, const ColumnOptions& options,
                                            std::string_view name);

// The column so called. Error: it is not there; `option` is who asked.
[[nodiscard]] std::size_t require_column(const CsvTable& table, std::string_view column,
                                         std::string_view option, std::string_view name);

// A field as a number. Where the separator is no comma, a comma is the decimal mark.
[[nodiscard]] std::optional<double> csv_number(std::string_view field, char separator);

// "a, b, c" or, of many, "a, b, ..., z (200)".
[[nodiscard]] std::string column_list(const CsvTable& table, const std::vector<std::size_t>& columns);

}  // namespace leeway
