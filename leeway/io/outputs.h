// An outputs file: the outputs of a classifier on n samples.
//
// .npz, .safetensors: `logits` or `probs` (alias `pred_probs`) (n,k); optionally `labels` (`y`, `y_true`)
// (n), `features` (`feats`) (n,d), `feature_names` (d), `groups` (n,g), `class_names` (k), `norms` (n), `ids` (n),
// and with ColumnOptions::times `time` (`times`, `timestamp`, `datetime`, `date`; times.h). Without these
// names, the words for scores and labels of tables are used (column_words.h: `y_proba`, `y_test`, a matrix
// `predictions`); ColumnOptions::label and ::classes name arrays as they name columns. Other arrays of a file
// are not read; `reading` lists them; in memory they are refused. A bare .npy is logits. CSV columns:
// outputs_columns.h.
//
// `probs` become logarithms; an exact 0 counts as 2.2e-308 in files of any type
// (probabilities.h), with a warning. A row of
// probs that is negative, above 1 or does not sum to 1 within 1e-3 is an error, unless all are rounded to two
// to four decimals: then every row is divided by its sum, with a warning. Logits whose rows all pass this
// test are taken as probabilities, with a warning. A vector (n) or (n,1) is the positive class of two:
// binary_logit gives logits (0, v), binary_prob gives (log(1-v), log v).
//
// Text labels are class names; a name that several classes share is not a label. Whole numbers: LabelCoding.
// A row without a label (empty, NaN, NA, null; -1 unless LabelCoding::signs) has `no_label`, with a warning
// that counts them; a set of such rows alone has no labels. Ids that occur twice give a warning.
// Errors (Error: file, expected, found, row): n = 0, k < 2, a length that differs from n, a label outside
// 0..k-1 or not whole, and, with check_finite, NaN or infinite logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/io/outputs_columns.h"
#include "leeway/io/times.h"

namespace leeway {

enum class Binary { refuse, logit, prob };  // what a vector means; refuse: an error that names --binary

// What a matrix holds. automatic: what its name says, unless all rows of logits are probabilities.
enum class Scores { automatic, logits, probs };

// How whole numbers name classes: 0 to k-1, 1 to k, or -1 and +1 for two. Decided from all labels of a set:
// both -1 and 1 alone, for two classes, are signs; numbers from 1 to k that include k count from 1; all others
// from 0. A set without 0 and k fits both: it counts from 0, and `either` lets another set of the same classes
// decide (columns.h), as it does for signs and for labels that are all -1 (`missing`).
enum class LabelCoding { none, from_zero, either, from_one, signs, missing };  // none: no numbers
inline constexpr std::int64_t no_label = -1;
// Rows whose label is known.
[[nodiscard]] std::size_t count_labels(std::span<const std::int64_t> labels);
[[nodiscard]] std::vector<std::size_t> rows_with_labels(std::span<const std::int64_t> labels);
// Not two different labels.
[[nodiscard]] inline bool same_label(std::int64_t a, std::int64_t b) {
  return a == b || a == no_label || b == no_label;
}
// "a.csv: 3 of 90 rows have no label: ..."; empty where all have one.
[[nodiscard]] std::string missing_labels_text(const std::string& name, std::span<const std::int64_t> labels);
// "1 to 3", "-1 and 1": what is not the standard; empty for it.
[[nodiscard]] std::string coding_text(LabelCoding coding, std::size_t k);

struct OutputsOptions {
  Binary binary = Binary::refuse;
  bool check_finite = true;  // false where the caller reads every logit anyway and names the row itself
  Scores as = Scores::automatic;
  ColumnOptions columns = {};                   // of tables; the class names of any file
  std::optional<std::size_t> first_label = {};  // the number of the first class in labels, 0 or 1
};

// A categorical attribute: codes[i] indexes levels, sorted numerically if all are numbers, else bytewise.
struct GroupColumn {
  std::string name;  // "background"; "group 0" where the file gives no names
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
};

struct Outputs {
  std::string path;
  Array logits;                                     // (n,k), float32 or float64
  std::optional<std::vector<std::int64_t>> labels;  // 0 to k-1, or no_label
  std::optional<Array> features;                    // (n,d), float32 or float64
  std::vector<std::string> feature_names;           // empty or d
  std::vector<GroupColumn> groups;
  std::vector<std::string> class_names;  // empty or k
  std::optional<std::vector<double>> norms;
  std::optional<std::vector<std::string>> ids;  // what the file calls its rows
  std::optional<Times> times;                   // where they were asked for
  std::vector<std::string> warnings;
  std::string reading;  // what was read as what, in one line; empty where all names are the standard ones
  LabelCoding coding = LabelCoding::none;  // how its labels were numbered
  bool from_probs = false;                 // the logits are logarithms of probabilities
  bool from_table = false;  // class names are columns, which labels that are numbers do not index

  [[nodiscard]] std::size_t n() const { return logits.shape[0]; }
  [[nodiscard]] std::size_t k() const { return logits.shape[1]; }
};

[[nodiscard]] Outputs read_outputs(const std::filesystem::path& path, const OutputsOptions& options = {});

// The same from named arrays (a bare array: ""), which share storage; `name` opens messages.
[[nodiscard]] Outputs outputs_of(const ArrayMap& arrays, const std::string& name,
                                 const OutputsOptions& options = {});

// The same from the text of a CSV table and arrays that it lacks.
[[nodiscard]] Outputs outputs_of_table(std::string_view text, const std::string& name,
                                       const OutputsOptions& options = {}, ArrayMap others = {});

// The arrays of an outputs file that read_outputs reads back: logits, labels, features, class_names, ids, those
// there are.
[[nodiscard]] ArrayMap arrays_of(const Outputs& outputs);

struct ClassLabels {
  std::vector<std::int64_t> values;  // from 0, or no_label
  LabelCoding coding = LabelCoding::none;
};
// Labels from a file of their own (.npy, .npz with `labels`, .csv, IDX), or from several (shards.h); checked
// against n and k. `options`: the label column, the class names of text labels, the number of the first class.
[[nodiscard]] ClassLabels read_class_labels(const std::string& text, std::size_t n, std::size_t k,
                                            const OutputsOptions& options = {});
[[nodiscard]] std::vector<std::int64_t> read_labels(const std::string& text, std::size_t n, std::size_t k,
                                                    const OutputsOptions& options = {});

// The same of an array (n) or (n,1).
[[nodiscard]] ClassLabels labels_of(const Array& array, const std::string& name, std::size_t n, std::size_t k,
                                    const OutputsOptions& options = {});

// Any array file by its content (.npy, .npz, .safetensors) as named arrays; a bare .npy is named "".
[[nodiscard]] ArrayMap read_arrays(const std::filesystem::path& path);

}  // namespace leeway
