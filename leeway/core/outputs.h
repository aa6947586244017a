// An outputs file: what a classifier said about n samples.
//
// .npz, .safetensors: `logits` or `probs` (alias `pred_probs`) (n,k), and optionally `labels` (`y`, `y_true`)
// (n), `features` (`feats`) (n,d), `groups` (n,g), `class_names` (k), `norms` (n), `ids` (n). A bare .npy is
// logits. CSV columns: `logit_*` or `p_*`, `y_true` or `label`, `attr_*` = groups, `feat_*`, `id`, and others that
// outputs_columns.h knows. `probs` become
// their logarithms; an exact 0 counts as the type's smallest normal number, and a warning says how many there
// were. A row of probs that is negative, above 1 or does not sum to 1 within 1e-3 is an error, but where all are rounded
// to two to four decimals: then every row is divided by its sum, and a warning says so. Where all rows of
// the logits pass that test they are probabilities under another name: they are taken as such, and a warning says
// so. A vector (n) or (n,1) is the positive class of two: binary_logit gives logits (0, v), binary_prob gives
// (log(1-v), log v).
// With ColumnOptions::times the rows have times, too (times.h): the array `time` (`times`, `timestamp`, `datetime`,
// `date`) or the column that outputs_columns.h finds.
// Labels that are text are class names; a name that several classes bear is no label. Whole numbers count from 0, or as
// label_coding.h says. Arrays of other names are not read; `reading` lists them.
// Errors (Error: file, expected, found, row): n = 0, k < 2, a length that differs from n, a label outside
// 0..k-1 or not whole, and, with check_finite, NaN or infinite logits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/label_coding.h"
#include "leeway/core/outputs_columns.h"
#include "leeway/core/times.h"

namespace leeway {

enum class Binary { refuse, logit, prob };  // what a vector means; refuse: an error that names --binary

// What a matrix holds. automatic: what its name says, unless all rows of logits are probabilities.
enum class Scores { automatic, logits, probs };

struct OutputsOptions {
  Binary binary = Binary::refuse;
  bool check_finite = true;  // false where the caller reads every logit anyway and names the row itself
  Scores as = Scores::automatic;
  ColumnOptions columns = {};                   // of tables; the class names of any file
  std::optional<std::size_t> first_label = {};  // the number of the first class in labels, 0 or 1
};

// One categorical attribute of the samples: codes[i] indexes levels. Levels are sorted (numerically where all
// are numbers), so they do not depend on the order of rows.
struct GroupColumn {
  std::string name;  // "background"; "group 0" where the file gives no names
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
};

struct Outputs {
  std::string path;
  Array logits;  // (n,k), float32 or float64
  std::optional<std::vector<std::int64_t>> labels;
  std::optional<Array> features;  // (n,d), float32 or float64
  std::vector<GroupColumn> groups;
  std::vector<std::string> class_names;  // empty or k
  std::optional<std::vector<double>> norms;
  std::optional<std::vector<std::string>> ids;  // what the file calls its rows
  std::optional<Times> times;                   // where they were asked for
  std::vector<std::string> warnings;
  std::string reading;  // what was read as what, in one line; empty where all names are the standard ones
  LabelCoding coding = LabelCoding::none;  // how its labels were numbered
  bool from_probs = false;                 // the logits are logarithms of probabilities

  [[nodiscard]] std::size_t n() const { return logits.shape[0]; }
  [[nodiscard]] std::size_t k() const { return logits.shape[1]; }
};

[[nodiscard]] Outputs read_outputs(const std::filesystem::path& path, const OutputsOptions& options = {});

// The same of arrays under the names above (a bare array: ""), which share their storage with the result; `name` opens
// messages.
[[nodiscard]] Outputs outputs_of(const ArrayMap& arrays, const std::string& name,
                                 const OutputsOptions& options = {});

// The arrays of an outputs file that read_outputs reads back: logits, labels, features, class_names, those there are.
[[nodiscard]] ArrayMap arrays_of(const Outputs& outputs);

// Labels from a file of their own (.npy, .npz with `labels`, .csv, IDX), or from several (shards.h); checked
// against n and k. `options`: the label column, the class names that text must bear, the number of the first class.
[[nodiscard]] std::vector<std::int64_t> read_labels(const std::string& text, std::size_t n, std::size_t k,
                                                    const OutputsOptions& options = {});

// The same of an array (n) or (n,1).
[[nodiscard]] std::vector<std::int64_t> labels_of(const Array& array, const std::string& name, std::size_t n,
                                                  std::size_t k, const OutputsOptions& options = {});

// Any array file by its content (.npy, .npz, .safetensors) as named arrays; a bare .npy is named "".
[[nodiscard]] ArrayMap read_arrays(const std::filesystem::path& path);

}  // namespace leeway
