#include "leeway/core/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "leeway/core/content.h"
#include "leeway/core/file.h"
#include "leeway/core/groups.h"
#include "leeway/core/idx.h"
#include "leeway/core/message.h"
#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs_csv.h"
#include "leeway/core/probabilities.h"
#include "leeway/core/safetensors.h"
#include "leeway/core/shards.h"

namespace leeway {
namespace {

using Names = std::vector<std::string_view>;

Names label_names() { return {"labels", "y", "y_true"}; }
Names outputs_time_names() { return {"time", "times", "timestamp", "datetime", "date"}; }

bool is_outputs_name(std::string_view name, const ColumnOptions& columns) {
  constexpr std::string_view names[] = {"logits",      "probs",    "pred_probs", "labels", "y",
                                        "y_true",      "features", "feats",      "groups", "group_names",
                                        "class_names", "norms",    "ids"};
  const Names times = !columns.times ? Names{} : columns.time ? Names{*columns.time} : outputs_time_names();
  return std::ranges::find(names, name) != std::end(names) || std::ranges::find(times, name) != times.end();
}

// Text under the name *.csv or *.tsv, or on standard input.
bool is_csv(const MappedFile& file, const std::filesystem::path& path) {
  const bool named = path.extension() == ".csv" || path.extension() == ".tsv" || path == "-";
  return identify(file.bytes) == Content::other && named &&
         (file.bytes.empty() || describe_content(file.bytes) == "text");
}

ArrayMap read_binary(const MappedFile& file, const std::filesystem::path& path, std::string_view expected,
                     const WantedName& wanted = {}) {
  const std::string name = display_name(path);
  switch (identify(file.bytes)) {
    case Content::npy:
      return {{"", parse_npy(file.bytes, file.storage, name)}};
    case Content::npz:
      return parse_npz(file, name, wanted);
    case Content::safetensors:
      return parse_safetensors(file, name).tensors;
    default:
      break;
  }
  const bool cut_off =
      path.extension() == ".safetensors" && !file.bytes.empty() && !looks_like_text(file.bytes);
  if (cut_off) return parse_safetensors(file, name).tensors;
  const std::string found = describe_content(file.bytes);
  if (found == "a Parquet file")
    refuse(name, expected,
           fmt::format("{}; in Python, pandas.read_parquet({}).to_csv('outputs.csv', index=False) writes a "
                       "table that is read",
                       found, in_quotes(path.string())));
  refuse(name, expected, found == "text" ? "text (a table is read where the name ends in .csv)" : found);
}

// One array under any of its names, and how messages call it.
struct Named {
  Array array;
  std::string where;
};

std::optional<Named> pick(const ArrayMap& arrays, const Names& names, const std::string& file) {
  const std::string* key = nullptr;
  for (const std::string_view name : names) {
    const auto found = arrays.find(std::string(name));
    if (found == arrays.end()) continue;
    if (key != nullptr)
      refuse(file, fmt::format("one of {}", fmt::join(names, ", ")), *key + " and " + found->first);
    key = &found->first;
  }
  if (key == nullptr) return std::nullopt;
  return Named{arrays.at(*key), key->empty() ? file : file + ": " + *key};
}

// (n) or (n,1) with this n.
void require_length(const Named& named, std::size_t n) {
  const auto& shape = named.array.shape;
  const bool vector = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (!vector || shape[0] != n)
    refuse(named.where, fmt::format("shape ({}), one value a sample", n),
           "shape " + named.array.shape_text());
}

// The first and the last class of each name.
std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> classes_by_name(
    const std::vector<std::string>& class_names) {
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> classes;
  for (std::size_t j = 0; j < class_names.size(); ++j)
    classes.try_emplace(class_names[j], j, j).first->second.second = j;
  return classes;
}

std::vector<std::int64_t> labels_by_name(const Named& named, const std::vector<std::string>& class_names) {
  const auto codes = classes_by_name(class_names);
  std::vector<std::int64_t> labels;
  for (const std::string& text : *named.array.texts) {
    const auto found = codes.find(text);
    if (found == codes.end())
      refuse(named.where,
             class_names.empty() ? "labels that are numbers, or --class-names beside them"
                                 : "labels that are class names",
             fmt::format("{} at row {}", in_quotes(text), labels.size()));
    const auto& [first, again] = found->second;
    if (again > first)
      refuse(named.where, "labels that name one class each",
             fmt::format("{} at row {}, the name of classes {} and {}", in_quotes(text), labels.size(), first,
                         again));
    labels.push_back(static_cast<std::int64_t>(first));
  }
  return labels;
}

// `first`: the number of the first class, where it is known.
LabelCoding coding_of(std::span<const std::int64_t> labels, std::size_t k, std::optional<std::size_t> first) {
  if (first) return *first == 1 ? LabelCoding::from_one : LabelCoding::from_zero;
  if (labels.empty()) return LabelCoding::from_zero;
  const auto [least, most] = std::ranges::minmax(labels);
  const bool signs =
      std::ranges::all_of(labels, [](std::int64_t label) { return label == -1 || label == 1; });
  if (k == 2 && signs && least == -1) return LabelCoding::signs;
  if (least < 1) return LabelCoding::from_zero;
  const auto last = static_cast<std::int64_t>(k);
  return most == last ? LabelCoding::from_one : LabelCoding::either;
}

// The class, from 0, that `label` names; not checked against k.
std::int64_t class_of(std::int64_t label, LabelCoding coding) {
  if (coding == LabelCoding::signs) return label == 1 ? 1 : 0;
  return coding == LabelCoding::from_one ? label - 1 : label;
}

ClassLabels label_values(const Named& named, std::size_t n, std::size_t k,
                         const std::vector<std::string>& class_names,
                         std::optional<std::size_t> first_label = {}) {
  require_length(named, n);
  if (named.array.type == ElementType::text) return {labels_by_name(named, class_names)};
  std::vector<std::int64_t> labels = to_i64({named.array.type, {n}, named.array.storage, {}}, named.where);
  const LabelCoding coding = coding_of(labels, k, first_label);
  const std::int64_t first = first_label == 1u ? 1 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t label = std::exchange(labels[i], class_of(labels[i], coding));
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= k)
      refuse(named.where, fmt::format("labels in {}..{}", first, first + static_cast<std::int64_t>(k) - 1),
             fmt::format("{} at row {}", label, i));
  }
  return {std::move(labels), coding};
}

std::vector<std::string> class_names_from(const Named& named, std::size_t k) {
  if (named.array.type != ElementType::text) refuse(named.where, "text", name_of(named.array.type));
  if (named.array.shape != std::vector<std::size_t>{k})
    refuse(named.where, fmt::format("shape ({}), one name a class", k), "shape " + named.array.shape_text());
  return *named.array.texts;
}

Array feature_matrix(const Named& named, const Outputs& outputs, bool check_finite) {
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
  const auto times = pick(arrays, columns.time ? Names{*columns.time} : outputs_time_names(), name);
  if (!times)
    refuse(name,
           columns.time ? fmt::format("an array {}, as --time-column says", in_quotes(*columns.time))
                        : "an array time, timestamp, datetime or date (--time-column names another)",
           "none");
  require_length(*times, n);
  return times_of(times->array, times->where);
}

std::vector<double> norm_values(const Named& named, std::size_t n) {
  require_length(named, n);
  std::vector<double> norms = to_f64(named.array, named.where);
  for (std::size_t i = 0; i < n; ++i)
    if (!(norms[i] >= 0))  // infinite: an attack that failed
      refuse(named.where, "norms of at least 0", fmt::format("{} at row {}", norms[i], i));
  return norms;
}

std::vector<std::string> id_texts(const Named& named, std::size_t n) {
  require_length(named, n);
  if (named.array.type == ElementType::text) return *named.array.texts;
  if (named.array.is_float())
    refuse(named.where, "ids that are text or whole numbers", name_of(named.array.type));
  std::vector<std::string> ids;
  for (const std::int64_t id : to_i64({named.array.type, {n}, named.array.storage, {}}, named.where))
    ids.push_back(std::to_string(id));
  return ids;
}

// One element as float64, without converting all of them.
double element(const Array& array, std::size_t index) {
  return array.type == ElementType::f32 ? static_cast<double>(array.view<float>()[index])
                                        : array.view<double>()[index];
}

// (n) or (n,1): the positive class of two. Element i of `values` is its logit.
Array logit_pairs(const Array& values) {
  const std::size_t n = values.shape[0];
  std::vector<double> pairs(2 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) pairs[2 * i + 1] = element(values, i);
  return make_array({n, 2}, std::move(pairs));
}

Array probability_pairs(const Array& values) {
  const std::size_t n = values.shape[0];
  std::vector<double> pairs(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    pairs[2 * i + 1] = element(values, i);
    pairs[2 * i] = 1 - pairs[2 * i + 1];
  }
  return make_array({n, 2}, std::move(pairs));
}

// Whether a matrix holds probabilities: by its name, by what the options say, or by its rows.
bool holds_probabilities(Outputs& outputs, const Named& scores, const Array& values, bool named_probs,
                         const OutputsOptions& options) {
  if (named_probs && options.as == Scores::logits)
    refuse(scores.where, "logits, as --as logits says", "probabilities");
  if (named_probs || options.as == Scores::probs) return true;
  if (options.as == Scores::logits || !are_probabilities(values)) return false;
  outputs.warnings.push_back(fmt::format(
      "{}: taken as probabilities, not as logits: no entry is negative and all rows sum to 1; --as "
      "logits overrules",
      scores.where));
  return true;
}

void set_logits(Outputs& outputs, const Named& scores, bool are_probs, const OutputsOptions& options) {
  const auto& shape = scores.array.shape;
  if (shape.empty() || shape.size() > 2)
    refuse(scores.where, "shape (n, k): a row a sample, a column a class",
           "shape " + scores.array.shape_text());
  if (shape[0] == 0) refuse(scores.where, "at least one row", "shape " + scores.array.shape_text());
  Array values = as_float(scores.array, scores.where);
  if (shape.size() == 1 || shape[1] == 1) {
    if (options.binary == Binary::refuse)
      refuse(scores.where,
             "at least two classes (for the positive class of two: --binary logit or --binary prob)",
             "shape " + scores.array.shape_text());
    if (are_probs && options.binary == Binary::logit)
      refuse(scores.where, "logits, as --binary logit says", "probabilities");
    are_probs = options.binary == Binary::prob;
    values = are_probs ? probability_pairs(values) : logit_pairs(values);
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
          fmt::format("{}: probabilities rounded to {} decimals, rows that sum to {:.4g} to {:.4g}: each row "
                      "is divided by its sum",
                      scores.where, logs.decimals, logs.least_sum, logs.most_sum));
    if (logs.zeros > 0)
      outputs.warnings.push_back(
          fmt::format("{}: {} probabilities are exactly 0 and count as {:.3g}, "
                      "which posterior agreement and log loss depend on",
                      scores.where, logs.zeros, std::exp(log_of_zero)));
    return;
  }
  outputs.logits = std::move(values);
  if (!options.check_finite) return;
  if (const auto bad = first_not_finite(outputs.logits))
    refuse(outputs.path, "finite logits",
           fmt::format("{} at row {}, class {}", element(outputs.logits, *bad), *bad / outputs.k(),
                       *bad % outputs.k()));
}

[[noreturn]] void refuse_scores(const std::vector<std::string>& names, const std::string& name) {
  const std::string found =
      names.empty() ? "none of the known names" : fmt::format("{}", fmt::join(names, ", "));
  refuse(name, "an array named logits or probs", printable(found, 100));
}

// Of a file: the arrays that were not read are named, too.
void require_scores(const ArrayMap& arrays, std::vector<std::string> others, const std::string& name) {
  for (const char* scores : {"logits", "", "probs", "pred_probs"})
    if (arrays.contains(scores)) return;
  for (const auto& entry : arrays) others.push_back(entry.first);
  std::ranges::sort(others);
  refuse_scores(others, name);
}

// Those of the options, else those of the file.
void set_class_names(Outputs& outputs, const ArrayMap& arrays, const OutputsOptions& options) {
  const std::size_t k = outputs.k();
  const std::vector<std::string>& names = options.columns.class_names;
  if (!names.empty() && names.size() != k)
    refuse(outputs.path, fmt::format("{} classes, as --class-names says", names.size()),
           fmt::format("{}", k));
  outputs.class_names = names;
  if (!names.empty()) return;
  if (const auto found = pick(arrays, {"class_names"}, outputs.path))
    outputs.class_names = class_names_from(*found, k);
}

Outputs build(const ArrayMap& arrays, const std::string& name, const OutputsOptions& options) {
  Outputs outputs;
  outputs.path = name;
  const auto logits = pick(arrays, {"logits", ""}, name);
  const auto scores = logits ? logits : pick(arrays, {"probs", "pred_probs"}, name);
  if (!scores) {
    std::vector<std::string> names;
    for (const auto& entry : arrays) names.push_back(entry.first);
    refuse_scores(names, name);
  }
  set_logits(outputs, *scores, !logits, options);
  const std::size_t n = outputs.n(), k = outputs.k();
  set_class_names(outputs, arrays, options);
  if (const auto labels = pick(arrays, label_names(), name)) {
    auto [values, coding] = label_values(*labels, n, k, outputs.class_names, options.first_label);
    outputs.labels = std::move(values), outputs.coding = coding;
  }
  if (const auto features = pick(arrays, {"features", "feats"}, name))
    outputs.features = feature_matrix(*features, outputs, options.check_finite);
  if (const auto groups = pick(arrays, {"groups"}, name)) {
    const auto names = pick(arrays, {"group_names"}, name);
    outputs.groups = group_columns(groups->array, names ? &names->array : nullptr, n, groups->where);
  }
  if (const auto norms = pick(arrays, {"norms"}, name)) outputs.norms = norm_values(*norms, n);
  if (const auto ids = pick(arrays, {"ids"}, name)) outputs.ids = id_texts(*ids, n);
  if (options.columns.times) outputs.times = times_in(arrays, options.columns, name, n);
  return outputs;
}

}  // namespace

ArrayMap read_arrays(const std::filesystem::path& path) {
  return read_binary(map_file(path), path, "an .npy, .npz or .safetensors file");
}

namespace {

// "a.npz: ignored: x1, x2": arrays that are neither read nor written by leeway beside outputs.
std::string ignored_text(const std::string& name, std::vector<std::string> others) {
  std::erase_if(others, [](const std::string& other) {
    return other == "environment" || other == "rows" || other == "x";
  });
  if (others.empty()) return "";
  return fmt::format("{}: ignored: {} (no names of an outputs file)", name,
                     printable(fmt::format("{}", fmt::join(others, ", ")), 100));
}

// " (labels 1 to 3)", where they are not those from 0.
void say_coding(Outputs& outputs) {
  const std::string numbers = coding_text(outputs.coding, outputs.k());
  if (numbers.empty()) return;
  const std::string said = fmt::format("labels are {}", numbers);
  outputs.reading += outputs.reading.empty() ? fmt::format("{}: {}", outputs.path, said) : "; " + said;
}

}  // namespace

Outputs outputs_of(const ArrayMap& arrays, const std::string& name, const OutputsOptions& options) {
  Outputs outputs = build(arrays, name, options);
  say_coding(outputs);
  return outputs;
}

std::vector<std::int64_t> labels_of(const Array& array, const std::string& name, std::size_t n, std::size_t k,
                                    const OutputsOptions& options) {
  return label_values({array, name}, n, k, options.columns.class_names, options.first_label).values;
}

Outputs read_outputs(const std::filesystem::path& path, const OutputsOptions& options) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  Outputs outputs;
  if (is_csv(file, path)) {
    TableOfOutputs table = outputs_from_csv(file.text(), name, options);
    outputs = build(table.arrays, name, options);
    outputs.reading = std::move(table.reading);
    outputs.warnings.insert(outputs.warnings.begin(), table.warnings.begin(), table.warnings.end());
  } else {
    std::vector<std::string> others;
    const auto wanted = [&](std::string_view key) {
      if (is_outputs_name(key, options.columns)) return true;
      others.emplace_back(key);
      return false;
    };
    const ArrayMap arrays = read_binary(file, path, "an .npy, .npz, .safetensors or .csv file", wanted);
    require_scores(arrays, others, name);
    outputs = build(arrays, name, options);
    for (const auto& entry : arrays)  // of safetensors all are read
      if (!entry.first.empty() && !is_outputs_name(entry.first, options.columns))
        others.push_back(entry.first);
    outputs.reading = ignored_text(name, std::move(others));
  }
  say_coding(outputs);
  return outputs;
}

namespace {

Named labels_in(const std::filesystem::path& path, const OutputsOptions& options) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const Content content = identify(file.bytes);
  ArrayMap arrays;
  if (is_csv(file, path)) {
    arrays["labels"] = labels_from_csv(file.text(), name, options);
  } else if (content == Content::idx || content == Content::gzip) {
    arrays[""] = parse_idx(file, name);
  } else {
    const auto wanted = [](std::string_view key) { return key == "labels" || key == "y" || key == "y_true"; };
    arrays = read_binary(file, path, "labels in an .npy, .npz, .safetensors, .csv or IDX file", wanted);
  }
  const auto labels = pick(arrays, {"", "labels", "y", "y_true"}, name);
  if (!labels) refuse(name, "an array named labels, y or y_true", "none");
  return *labels;
}

}  // namespace

ClassLabels read_class_labels(const std::string& text, std::size_t n, std::size_t k,
                              const OutputsOptions& options) {
  const auto paths = expand_paths(text);
  const auto values_of = [&](const Named& labels, std::size_t rows) {
    return label_values(labels, rows, k, options.columns.class_names, options.first_label);
  };
  if (paths.size() == 1) return values_of(labels_in(paths.front(), options), n);
  ClassLabels all;
  bool from_one = false, either = false;
  for (const auto& path : paths) {
    const Named labels = labels_in(path, options);
    const auto [part, coding] = values_of(labels, labels.array.shape.empty() ? 0 : labels.array.shape[0]);
    from_one = from_one || coding == LabelCoding::from_one;
    either = either || coding == LabelCoding::either;
    all.values.insert(all.values.end(), part.begin(), part.end());
    all.coding = coding;
  }
  if (from_one && either)
    refuse(display_name(text), "labels that count from 0 or from 1 in all files (--first-label decides)",
           "some from 1, others that fit both");
  if (all.values.size() != n)
    refuse(display_name(text), fmt::format("{} labels, one a sample", n),
           fmt::format("{}", all.values.size()));
  return all;
}

std::vector<std::int64_t> read_labels(const std::string& text, std::size_t n, std::size_t k,
                                      const OutputsOptions& options) {
  return read_class_labels(text, n, k, options).values;
}

ArrayMap arrays_of(const Outputs& outputs) {
  ArrayMap arrays{{"logits", outputs.logits}};
  if (outputs.labels) arrays["labels"] = make_array({outputs.n()}, *outputs.labels);
  if (outputs.features) arrays["features"] = *outputs.features;
  if (!outputs.class_names.empty())
    arrays["class_names"] = make_text_array({outputs.class_names.size()}, outputs.class_names);
  return arrays;
}

std::string coding_text(LabelCoding coding, std::size_t k) {
  if (coding == LabelCoding::signs) return "-1 and 1";
  return coding == LabelCoding::from_one ? fmt::format("1 to {}", k) : "";
}

}  // namespace leeway
