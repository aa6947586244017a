#include "leeway/io/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/probabilities.h"
#include "leeway/io/column_words.h"
#include "leeway/io/columns.h"
#include "leeway/io/csv.h"
#include "leeway/io/groups.h"
#include "leeway/io/idx.h"
#include "leeway/io/inflate.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs_arrays.h"
#include "leeway/io/outputs_csv.h"
#include "leeway/io/safetensors.h"
#include "leeway/io/shards.h"

namespace leeway {
namespace {

ArrayNames outputs_time_names() { return {"time", "times", "timestamp", "datetime", "date"}; }

constexpr std::string_view outputs_names[] = {
    "logits", "probs",         "pred_probs", "labels",      "y",           "y_true", "features",
    "feats",  "feature_names", "groups",     "group_names", "class_names", "norms",  "ids"};

bool is_outputs_name(std::string_view name, const ColumnOptions& columns) {
  const ArrayNames times = !columns.times ? ArrayNames{}
                           : columns.time ? ArrayNames{*columns.time}
                                          : outputs_time_names();
  return std::ranges::find(outputs_names, name) != std::end(outputs_names) ||
         std::ranges::find(times, name) != times.end();
}

// Arrays that leeway writes beside outputs.
bool is_beside_outputs(std::string_view name) {
  return name == "environment" || name == "rows" || name == "x";
}

// Arrays that may be read under another name than the standard ones.
bool may_serve(std::string_view name, const ColumnOptions& columns) {
  return is_outputs_name(name, columns) || is_label(name) || is_scores(name) || is_prediction(name) ||
         is_id(name, columns) || name == columns.label ||
         std::ranges::any_of(columns.classes,
                             [&](const auto& text) { return star_text(text, name).has_value(); });
}

std::vector<std::string> names_from(const NamedArray& named, std::size_t k, std::string_view what) {
  if (named.array.type != ElementType::text) refuse(named.where, "text", name_of(named.array.type));
  if (named.array.shape != std::vector<std::size_t>{k})
    refuse(named.where, fmt::format("shape ({}), one name per {}", k, what),
           "shape " + named.array.shape_text());
  return *named.array.texts;
}

Array feature_matrix(const NamedArray& named, const Outputs& outputs, bool check_finite) {
  const auto& shape = named.array.shape;
  if (shape.size() != 2 || shape[0] != outputs.n())
    refuse(named.where, fmt::format("shape ({}, d)", outputs.n()), "shape " + named.array.shape_text());
  Array features = as_float(named.array, named.where);
  if (!check_finite) return features;
  if (const auto bad = first_not_finite(features))
    refuse(named.where, "finite features",
           fmt::format("{} at {}", to_f64(features, "")[*bad], position_text(features, *bad)));
  return features;
}

// Asked for, so that a file without is refused.
Times times_in(const ArrayMap& arrays, const ColumnOptions& columns, const std::string& name, std::size_t n) {
  const auto times =
      pick_array(arrays, columns.time ? ArrayNames{*columns.time} : outputs_time_names(), name);
  if (!times)
    refuse(name,
           columns.time ? fmt::format("an array {} (--time-column)", in_quotes(*columns.time))
                        : "an array time, timestamp, datetime or date (--time-column selects another)",
           "none");
  require_one_a_row(*times, n);
  return times_of(times->array, times->where);
}

std::vector<double> norm_values(const NamedArray& named, std::size_t n) {
  require_one_a_row(named, n);
  std::vector<double> norms = to_f64(named.array, named.where);
  for (std::size_t i = 0; i < n; ++i)
    if (!(norms[i] >= 0))  // infinite: an attack that failed
      refuse(named.where, "norms of at least 0", fmt::format("{} at row {}", norms[i], i));
  return norms;
}

// Whether a matrix holds probabilities: by its name, by what the options say, or by its rows.
bool holds_probabilities(Outputs& outputs, const NamedArray& scores, const Array& values, bool named_probs,
                         const OutputsOptions& options) {
  if (named_probs && options.as == Scores::logits)
    refuse(scores.where, "logits (--as logits)", "probabilities");
  if (named_probs || options.as == Scores::probs) return true;
  if (options.as == Scores::logits) return false;
  refuse_percentages(values, scores.where);
  if (!are_probabilities(values)) return false;
  outputs.warnings.push_back(
      fmt::format("{}: read as probabilities, not logits: no entry is negative and all rows sum to 1; --as "
                  "logits overrides",
                  scores.where));
  return true;
}

void set_logits(Outputs& outputs, const NamedArray& scores, bool are_probs, const OutputsOptions& options) {
  const auto& shape = scores.array.shape;
  if (shape.empty() || shape.size() > 2)
    refuse(scores.where, "shape (n, k): one row per sample, one column per class",
           "shape " + scores.array.shape_text());
  if (shape[0] == 0) refuse(scores.where, "at least one row", "shape " + scores.array.shape_text());
  Array values = as_float(scores.array, scores.where);
  if (shape.size() == 1 || shape[1] == 1) {
    if (options.binary == Binary::refuse)
      refuse(scores.where,
             "at least two classes (for the positive class of two: --binary logit or --binary prob)",
             "shape " + scores.array.shape_text());
    if (are_probs && options.binary == Binary::logit)
      refuse(scores.where, "logits (--binary logit)", "probabilities");
    are_probs = options.binary == Binary::prob;
    values = positive_class_pairs(to_f64(values, scores.where), are_probs);
  } else if (shape[1] == 0) {
    refuse(scores.where, "at least two classes", "shape " + scores.array.shape_text());
  } else {
    are_probs = holds_probabilities(outputs, scores, values, are_probs, options);
  }
  outputs.from_probs = are_probs;
  if (are_probs) {
    LogProbabilities logs = log_probabilities(values, scores.where);
    outputs.logits = std::move(logs.logits);
    if (logs.decimals > 0)
      outputs.warnings.push_back(
          fmt::format("{}: probabilities rounded to {} decimals, row sums from {:.4g} to {:.4g}: each row is "
                      "divided by its sum",
                      scores.where, logs.decimals, logs.least_sum, logs.most_sum));
    if (logs.zeros > 0)
      outputs.warnings.push_back(
          fmt::format("{}: {} probabilities are exactly 0 and count as {:.3g}, which affects posterior "
                      "agreement and log loss",
                      scores.where, logs.zeros, std::exp(log_of_zero)));
    return;
  }
  outputs.logits = std::move(values);
  if (!options.check_finite) return;
  if (const auto bad = first_not_finite(outputs.logits))
    refuse(outputs.path, "finite logits",
           fmt::format("{} at row {}, class {}", to_f64(outputs.logits, "")[*bad], *bad / outputs.k(),
                       *bad % outputs.k()));
}

[[noreturn]] void refuse_scores(const std::vector<std::string>& names, const std::string& name) {
  const std::string found = names.empty() ? "none of the known names" : comma_list(names);
  refuse(name, "an array named logits or probs",
         found + " (--class-columns and --label-column select others)");
}

// Vectors (n), a class each.
Array stacked(const ArrayMap& arrays, const std::vector<std::string>& names, const std::string& file) {
  std::vector<std::vector<double>> columns;
  for (const std::string& name : names) {
    const Array& first = arrays.at(names.front());
    require_one_a_row({arrays.at(name), file + ": " + name}, first.shape.empty() ? 1 : first.shape[0]);
    columns.push_back(to_f64(arrays.at(name), file + ": " + name));
  }
  const std::size_t n = columns.front().size(), k = columns.size();
  std::vector<double> values(n * k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) values[i * k + j] = columns[j][i];
  return make_array({n, k}, std::move(values));
}

struct NamedScores : NamedArray {
  bool probs = false;
  std::string key = {};
  std::vector<std::string> class_names = {};
};

NamedScores scores_at(const ArrayMap& arrays, const std::string& key, const std::string& name) {
  const auto word = split_score_name(key);
  return {{arrays.at(key), name + ": " + key}, word && word->kind == ScoreKind::probs, key};
}

// The arrays that --class-columns selects, as it selects columns of a table.
NamedScores asked_scores(const ArrayMap& arrays, const std::string& name, const ColumnOptions& options) {
  CsvTable table;
  table.header = array_names(arrays);
  table.columns.resize(table.header.size());
  for (const std::string& text : options.classes)
    if (std::ranges::none_of(table.header, [&](const auto& key) { return star_text(text, key).has_value(); }))
      refuse(name, fmt::format("an array {} (--class-columns)", in_quotes(text)),
             "none" + did_you_mean(text, table.header));
  ColumnOptions asked;
  asked.classes = options.classes, asked.class_names = options.class_names;
  asked.label = asked.id = "none";
  const ClassColumns classes = name_columns(table, asked, name).classes;
  std::vector<std::string> keys;
  for (const std::size_t column : classes.columns) keys.push_back(table.header[column]);
  if (keys.size() == 1) return scores_at(arrays, keys.front(), name);
  return {{stacked(arrays, keys, name), name}, classes.kind == ScoreKind::probs, "", classes.names};
}

// Those that the options name, those under a standard name, or the only others under a word for scores.
std::optional<NamedScores> scores_in(const ArrayMap& arrays, const std::string& name,
                                     const OutputsOptions& options) {
  if (!options.columns.classes.empty() && !arrays.contains(""))
    return asked_scores(arrays, name, options.columns);
  if (const auto logits = pick_array(arrays, {"logits", ""}, name)) return NamedScores{*logits, false, ""};
  if (const auto probs = pick_array(arrays, ArrayNames{"probs", "pred_probs"}, name))
    return NamedScores{*probs, true, ""};
  std::optional<NamedScores> found;
  for (const auto& [key, array] : arrays) {
    const bool matrix = array.shape.size() == 2 && array.shape[1] > 1 && array.type != ElementType::text;
    if (!(is_scores(key) || (is_prediction(key) && matrix))) continue;
    if (found)
      refuse(name, "one array of scores (select it with --class-columns)", found->key + " and " + key);
    found = scores_at(arrays, key, name);
  }
  return found;
}

// An array in memory that has no part is a mistake: files have many others.
void require_known(const ArrayMap& arrays, const std::string& name, const ColumnOptions& columns) {
  std::vector<std::string> known(std::begin(outputs_names), std::end(outputs_names));
  for (const std::string_view time : outputs_time_names()) known.emplace_back(time);
  for (const auto& [key, array] : arrays) {
    if (!key.empty() && !is_beside_outputs(key) && !may_serve(key, columns) &&
        std::ranges::find(known, key) == known.end())
      refuse(name, fmt::format("arrays named {}", fmt::join(known, ", ")),
             in_quotes(key) + did_you_mean(key, known));
  }
}

// Those of the file. Names of the options replace others; the same in another order align classes, after labels.
void set_class_names(Outputs& outputs, const ArrayMap& arrays, const NamedScores& scores,
                     const OutputsOptions& options) {
  const std::size_t k = outputs.k();
  const std::vector<std::string>& names = options.columns.class_names;
  if (!names.empty() && names.size() != k)
    refuse(outputs.path, fmt::format("{} classes (--class-names)", names.size()), k);
  std::vector<std::string>& own = outputs.class_names = scores.class_names;
  if (const auto found = pick_array(arrays, {"class_names"}, outputs.path))
    own = names_from(*found, k, "class");
  if (names.empty() || std::ranges::is_permutation(own, names)) return;
  for (std::size_t j = 0; j < own.size(); ++j)
    if (own[j] != names[j] && std::ranges::find(names, own[j]) != names.end())
      refuse(outputs.path, "other names or another order of the same names in --class-names",
             fmt::format("class {} to be {}", in_quotes(own[j]), in_quotes(names[j])));
  own = names;
}

// Labels of other names than those that are read.
void warn_of_other_labels(Outputs& outputs, const ArrayMap& arrays, const NamedArray& labels) {
  std::vector<std::string> others;
  for (const auto& entry : arrays)
    if (is_label(entry.first) && outputs.path + ": " + entry.first != labels.where)
      others.push_back(entry.first);
  if (!others.empty())
    outputs.warnings.push_back(fmt::format("{}: ignored: {} (--label-column selects other labels)",
                                           outputs.path, fmt::join(others, ", ")));
}

void set_labels(Outputs& outputs, ClassLabels labels) {
  const std::size_t known = count_labels(labels.values);
  outputs.coding = labels.coding;
  if (known == 0) return;
  outputs.labels = std::move(labels.values);
  if (const std::string text = missing_labels_text(outputs.path, *outputs.labels); !text.empty())
    outputs.warnings.push_back(text);
}

Outputs build(const ArrayMap& arrays, const std::string& name, const OutputsOptions& options) {
  Outputs outputs;
  outputs.path = name;
  const auto scores = scores_in(arrays, name, options);
  if (!scores) refuse_scores(array_names(arrays), name);
  set_logits(outputs, *scores, scores->probs, options);
  const std::size_t n = outputs.n(), k = outputs.k();
  if (k > 100'000) refuse(scores->where, "at most 100000 classes", k);
  set_class_names(outputs, arrays, *scores, options);
  if (const auto labels = labels_among(arrays, name, options.columns, {"labels", "y", "y_true"})) {
    set_labels(outputs, label_values(*labels, n, k, outputs.class_names, options.first_label));
    if (!options.columns.label) warn_of_other_labels(outputs, arrays, *labels);
  } else if (options.columns.label.value_or("none") != "none")
    outputs.warnings.push_back(fmt::format("{}: no labels, because there is no array {} (--label-column)",
                                           name, in_quotes(*options.columns.label)));
  if (const auto features = pick_array(arrays, {"features", "feats"}, name)) {
    outputs.features = feature_matrix(*features, outputs, options.check_finite);
    if (const auto names = pick_array(arrays, {"feature_names"}, name))
      outputs.feature_names = names_from(*names, outputs.features->shape[1], "feature");
  }
  if (const auto groups = pick_array(arrays, {"groups"}, name)) {
    const auto names = pick_array(arrays, {"group_names"}, name);
    outputs.groups = group_columns(groups->array, names ? &names->array : nullptr, n, groups->where);
  }
  if (const auto norms = pick_array(arrays, {"norms"}, name)) outputs.norms = norm_values(*norms, n);
  if (const auto ids = ids_among(arrays, name, options.columns)) {
    outputs.ids = id_texts(*ids, n);
    const std::size_t twice =
        n - std::unordered_set<std::string_view>(outputs.ids->begin(), outputs.ids->end()).size();
    if (twice > 0)
      outputs.warnings.push_back(fmt::format(
          "{}: {} of {} rows have the same id as another row: does a distributed sampler repeat samples?",
          name, twice, n));
  }
  if (options.columns.times) outputs.times = times_in(arrays, options.columns, name, n);
  if (const auto& names = options.columns.class_names; !names.empty())
    align_classes({"--class-names", k, outputs.from_probs, names}, outputs);
  return outputs;
}

}  // namespace

ArrayMap read_arrays(const std::filesystem::path& path) {
  return read_array_file(map_file(path), path, "an .npy, .npz or .safetensors file");
}

namespace {

// " (labels 1 to 3)", where they are not those from 0.
void say_coding(Outputs& outputs) {
  const std::string numbers = coding_text(outputs.coding, outputs.k());
  if (numbers.empty()) return;
  const std::string said = fmt::format("labels are {}", numbers);
  outputs.reading += outputs.reading.empty() ? fmt::format("{}: {}", outputs.path, said) : "; " + said;
}

// Analyses copy values and take some hundred bytes per row; only packed files expand beyond this.
void require_size(const std::string& name, std::size_t rows, std::size_t values, std::size_t bytes) {
  const std::size_t more = std::max(bytes, small_packed) - small_packed;
  const std::size_t most_rows = 2'500'000 + more / 2, most_values = (std::size_t{192} << 20) + 32 * more;
  if (rows > most_rows || values > most_values)
    refuse(name,
           fmt::format("at most {} rows, {} bytes of values (decompress the file)", most_rows, most_values),
           fmt::format("{}, {}", rows, values));
}

}  // namespace

Outputs outputs_of(const ArrayMap& arrays, const std::string& name, const OutputsOptions& options) {
  require_known(arrays, name, options.columns);
  Outputs outputs = build(arrays, name, options);
  say_coding(outputs);
  return outputs;
}

Outputs outputs_of_table(std::string_view text, const std::string& name, const OutputsOptions& options,
                         ArrayMap others) {
  require_known(others, name, options.columns);
  OutputsOptions rest = options;
  if (const auto names = others.extract("class_names"); names && rest.columns.class_names.empty())
    rest.columns.class_names =
        names_from({names.mapped(), name + ": class_names"}, names.mapped().size(), "class");
  TableOfOutputs table = outputs_from_csv(text, name, rest);
  for (const auto& [key, array] : others)
    if (!table.arrays.emplace(key, array).second)
      refuse(name, in_quotes(key) + " once", "it in the table and as an array");
  rest.columns.label.reset(), rest.columns.classes.clear();  // the table's columns have found their places
  Outputs outputs = build(table.arrays, name, rest);
  outputs.from_table = true;
  outputs.reading = std::move(table.reading);
  outputs.warnings.insert(outputs.warnings.begin(), table.warnings.begin(), table.warnings.end());
  say_coding(outputs);
  return outputs;
}

Outputs read_outputs(const std::filesystem::path& path, const OutputsOptions& options) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  if (is_table_file(file, path)) {
    Outputs outputs = outputs_of_table(csv_file(file, name, options.columns.encoding).text(), name, options);
    require_size(name, outputs.n(), outputs.logits.bytes().size(), file.bytes.size());
    return outputs;
  }
  std::vector<std::string> others;
  const auto wanted = [&](std::string_view key) {
    if (may_serve(key, options.columns)) return true;
    others.emplace_back(key);
    return false;
  };
  const ArrayMap arrays = read_array_file(file, path, "an .npy, .npz, .safetensors or .csv file", wanted);
  for (const auto& entry : arrays)
    if (!entry.first.empty() && !may_serve(entry.first, options.columns))
      others.push_back(entry.first);  // of safetensors all are read
  if (!scores_in(arrays, name, options)) {
    for (const auto& entry : arrays) append_new(others, entry.first);
    std::ranges::sort(others);
    refuse_scores(others, name);
  }
  for (const std::string& other : others)
    if (!options.columns.label && is_misspelt_label(other))
      refuse(name, "an array labels, y or y_true, or --label-column NAME (none: no labels)",
             in_quotes(other));
  std::erase_if(others, is_beside_outputs);
  std::size_t values = 0;
  for (const auto& [key, array] : arrays) values += array.size() * (array.type == ElementType::f32 ? 4 : 8);
  require_size(name, 0, values, file.bytes.size());
  Outputs outputs = build(arrays, name, options);
  require_size(name, outputs.n(), 0, file.bytes.size());
  if (!outputs.labels && !options.columns.label && outputs.coding == LabelCoding::none) {
    const auto likely = likely_labels(file, name, arrays, others, outputs);
    if (!likely.empty())
      outputs.warnings.push_back(
          fmt::format("{}: no labels, because no array has a known label name; --label-column selects one "
                      "(candidates: {}; none: no labels)",
                      name, fmt::join(likely, ", ")));
  }
  if (!others.empty())
    outputs.reading =
        fmt::format("{}: ignored: {} (not arrays of an outputs file)", name, comma_list(others));
  say_coding(outputs);
  return outputs;
}

ArrayMap arrays_of(const Outputs& outputs) {
  ArrayMap arrays{{"logits", outputs.logits}};
  if (outputs.labels) arrays["labels"] = make_array({outputs.n()}, *outputs.labels);
  if (outputs.features) arrays["features"] = *outputs.features;
  if (!outputs.class_names.empty()) arrays["class_names"] = make_text_array(outputs.class_names);
  if (outputs.ids) arrays["ids"] = make_text_array(*outputs.ids);
  return arrays;
}

}  // namespace leeway
