#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/io/column_words.h"
#include "leeway/io/columns.h"
#include "leeway/io/content.h"
#include "leeway/io/csv.h"
#include "leeway/io/idx.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs_arrays.h"
#include "leeway/io/outputs_csv.h"
#include "leeway/io/safetensors.h"
#include "leeway/io/shards.h"
#include "leeway/io/zip.h"

namespace leeway {

std::optional<NamedArray> pick_array(const ArrayMap& arrays, const ArrayNames& names,
                                     const std::string& file) {
  const std::string* key = nullptr;
  for (const std::string_view name : names) {
    const auto found = arrays.find(std::string(name));
    if (found == arrays.end()) continue;
    if (key != nullptr)
      refuse(file, fmt::format("one of {}", fmt::join(names, ", ")), *key + " and " + found->first);
    key = &found->first;
  }
  if (key == nullptr) return std::nullopt;
  return NamedArray{arrays.at(*key), key->empty() ? file : file + ": " + *key};
}

void require_one_a_row(const NamedArray& named, std::size_t n) {
  if (!named.array.is_vector() || named.array.shape[0] != n)
    refuse(named.where, fmt::format("shape ({}), one value per sample", n),
           "shape " + named.array.shape_text());
}

Array positive_class_pairs(std::span<const double> values, bool probabilities) {
  std::vector<double> pairs;
  for (const double value : values) {
    pairs.push_back(probabilities ? 1 - value : 0);
    pairs.push_back(value);
  }
  return make_array({values.size(), 2}, std::move(pairs));
}

bool is_table_file(const MappedFile& file, const std::filesystem::path& path) {
  const bool packed = path.extension() == ".gz";
  const auto extension = packed ? path.stem().extension() : path.extension();
  if (extension != ".csv" && extension != ".tsv" && path != "-") return false;
  const Content content = identify(file.bytes);
  if (packed || content != Content::other) return packed && content == Content::gzip;
  const std::string found = describe_content(file.bytes);  // text in another encoding has unknown bytes
  return file.bytes.empty() || found == "text" || found.starts_with("unknown");
}

ArrayMap read_array_file(const MappedFile& file, const std::filesystem::path& path, std::string_view expected,
                         const WantedName& wanted) {
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
           fmt::format("{}; convert it in Python: pandas.read_parquet({}).to_csv('outputs.csv', index=False)",
                       found, in_quotes(path.string())));
  refuse(name, expected, found == "text" ? "text (the file name of a table ends in .csv or .tsv)" : found);
}

namespace {

// A word for missing values is a label if a class has that name.
std::vector<std::int64_t> labels_by_name(const NamedArray& named,
                                         const std::vector<std::string>& class_names) {
  const std::vector<std::string>& texts = *named.array.texts;
  std::vector<std::int64_t> labels;
  for (const auto place : places_of_names(texts, class_names)) {
    const std::size_t row = labels.size();
    const auto first = place ? class_names.end() : std::ranges::find(class_names, texts[row]);
    if (first != class_names.end())
      refuse(named.where, "labels that name one class each",
             fmt::format("{} at row {}, the name of classes {} and {}", in_quotes(texts[row]), row,
                         first - class_names.begin(),
                         std::find(first + 1, class_names.end(), texts[row]) - class_names.begin()));
    if (!place && !is_missing(texts[row]))
      refuse(named.where,
             class_names.empty()
                 ? "labels that are numbers, or class names (--class-names; of a model, classes = [...] in "
                   "MODEL.toml)"
                 : fmt::format("labels among the class names, {} (--class-names sets other names)",
                               comma_list(class_names)),
             fmt::format("{} at row {}", in_quotes(texts[row]), row));
    labels.push_back(place ? static_cast<std::int64_t>(*place) : no_label);
  }
  return labels;
}

constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();  // stands for NaN

std::vector<std::int64_t> label_numbers(const Array& array, const std::string& where) {
  if (!array.is_float()) return to_i64(array, where);
  std::vector<double> values = to_f64(array, where);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i])) values[i] = 0, missing.push_back(i);
  const std::size_t n = values.size();
  std::vector<std::int64_t> numbers = to_i64(make_array({n}, std::move(values)), where);
  for (const std::size_t i : missing) numbers[i] = absent;
  return numbers;
}

// `first`: the number of the first class, if known.
LabelCoding coding_of(std::span<const std::int64_t> labels, std::size_t k, std::optional<std::size_t> first) {
  if (first) return *first == 1 ? LabelCoding::from_one : LabelCoding::from_zero;
  bool minus = false, ones = true;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = absent;
  for (const std::int64_t label : labels) {
    minus = minus || label == -1;
    if (label == absent || label == -1) continue;
    ones = ones && label == 1;
    least = std::min(least, label), most = std::max(most, label);
  }
  if (most == absent) return minus ? LabelCoding::missing : LabelCoding::none;
  if (k == 2 && minus && ones) return LabelCoding::signs;
  if (least < 1) return LabelCoding::from_zero;
  return most == static_cast<std::int64_t>(k) ? LabelCoding::from_one : LabelCoding::either;
}

}  // namespace

ClassLabels label_values(const NamedArray& named, std::size_t n, std::size_t k,
                         const std::vector<std::string>& class_names,
                         std::optional<std::size_t> first_label) {
  require_one_a_row(named, n);
  if (named.array.type == ElementType::text) return {labels_by_name(named, class_names)};
  std::vector<std::int64_t> labels =
      label_numbers({named.array.type, {n}, named.array.storage, {}}, named.where);
  const LabelCoding coding = coding_of(labels, k, first_label);
  const std::int64_t first = first_label == 1u ? 1 : 0, base = coding == LabelCoding::from_one ? 1 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t label = labels[i];
    const bool known = label != absent && (label != -1 || coding == LabelCoding::signs);
    labels[i] = !known ? no_label : coding == LabelCoding::signs ? (label == 1 ? 1 : 0) : label - base;
    if (known && (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= k))
      refuse(named.where, fmt::format("labels in {}..{}", first, first + static_cast<std::int64_t>(k) - 1),
             fmt::format("{} at row {}{}", label, i, label == -100 ? " (-1 means no label)" : ""));
  }
  return {std::move(labels), coding};
}

std::optional<NamedArray> labels_among(const ArrayMap& arrays, const std::string& name,
                                       const ColumnOptions& columns, const ArrayNames& standard) {
  if (columns.label && arrays.contains(*columns.label)) return pick_array(arrays, {*columns.label}, name);
  if (columns.label == "none") return std::nullopt;
  if (auto labels = pick_array(arrays, standard, name)) return labels;
  ArrayNames others;
  for (const auto& entry : arrays)
    if (is_label(entry.first)) others.push_back(entry.first);
  if (others.size() > 1)
    refuse(name, "one array of labels (select it with --label-column)",
           fmt::format("{} and {}", others[0], others[1]));
  return pick_array(arrays, others, name);
}

bool is_id(std::string_view name, const ColumnOptions& columns) {
  return name == columns.id || (columns.id != "none" && (name == "ids" || lower_case(name) == "id"));
}

std::optional<NamedArray> ids_among(const ArrayMap& arrays, const std::string& name,
                                    const ColumnOptions& columns) {
  std::optional<NamedArray> ids;
  for (const auto& [key, array] : arrays)
    if (is_id(key, columns) && (!ids || key == columns.id.value_or("ids"))) ids = {array, name + ": " + key};
  return ids;
}

std::vector<std::string> id_texts(const NamedArray& named, std::size_t n) {
  require_one_a_row(named, n);
  if (named.array.type == ElementType::text) return *named.array.texts;
  if (named.array.is_float())
    refuse(named.where, "ids that are strings or integers", name_of(named.array.type));
  std::vector<std::string> ids;
  for (const std::int64_t id : to_i64({named.array.type, {n}, named.array.storage, {}}, named.where))
    ids.push_back(std::to_string(id));
  return ids;
}

namespace {

// A whole number from -1 to k for every row, of which 2 to k differ.
bool may_be_labels(const Array& array, const std::string& where, std::size_t n, std::size_t k) {
  require_one_a_row({array, where}, n);
  const auto numbers = label_numbers({array.type, {n}, array.storage, {}}, where);
  std::set<std::int64_t> values(numbers.begin(), numbers.end());
  values.erase(absent);
  return values.size() > 1 && values.size() <= k && *values.begin() >= -1 &&
         *values.rbegin() <= static_cast<std::int64_t>(k);
}

}  // namespace

std::vector<std::string> likely_labels(const MappedFile& file, const std::string& name, ArrayMap arrays,
                                       const std::vector<std::string>& others, const Outputs& outputs) {
  const std::size_t n = outputs.n(), k = outputs.k(), most_bytes = 1024 + 8 * n;  // of a header and numbers
  std::vector<ZipMember> members;
  if (identify(file.bytes) == Content::npz) members = list_zip(file.bytes, name);
  std::vector<std::string> likely;
  for (const std::string& key : others) try {
      const auto member = std::ranges::find(members, key + ".npy", &ZipMember::name);
      if (member != members.end() && member->size <= most_bytes) {
        const MappedFile content = unpack(*member, file, name);
        arrays[key] = parse_npy(content.bytes, content.storage, name);
      }
      if (arrays.contains(key) && may_be_labels(arrays.at(key), name, n, k)) likely.push_back(key);
    } catch (const Error&) {  // not an array of numbers
    }
  return likely;
}

ClassLabels labels_of(const Array& array, const std::string& name, std::size_t n, std::size_t k,
                      const OutputsOptions& options) {
  return label_values({array, name}, n, k, options.columns.class_names, options.first_label);
}

namespace {

NamedArray labels_in(const std::filesystem::path& path, const OutputsOptions& options) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const Content content = identify(file.bytes);
  ArrayMap arrays;
  if (is_table_file(file, path)) {
    arrays["labels"] = labels_from_csv(csv_file(file, name, options.columns.encoding).text(), name, options);
    return {arrays.at("labels"), name + ": labels"};
  }
  if (content == Content::idx || content == Content::gzip) {
    arrays[""] = parse_idx(file, name);
  } else {
    const auto wanted = [&](std::string_view key) { return is_label(key) || key == options.columns.label; };
    arrays = read_array_file(file, path, "labels in an .npy, .npz, .safetensors, .csv or IDX file", wanted);
  }
  const auto labels = labels_among(arrays, name, options.columns, {"", "labels", "y", "y_true"});
  if (!labels) refuse(name, "an array named labels, y or y_true (--label-column selects another)", "none");
  return *labels;
}

// The labels of all files, in order.
NamedArray joined_labels(const std::vector<std::filesystem::path>& paths, const std::string& name,
                         const OutputsOptions& options) {
  NamedArray first = labels_in(paths.front(), options);
  if (paths.size() == 1) return first;
  const bool text = first.array.type == ElementType::text;
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;
  for (const auto& path : paths) {
    const NamedArray labels = labels_in(path, options);
    require_one_a_row(labels, labels.array.shape.empty() ? 0 : labels.array.shape[0]);
    if ((labels.array.type == ElementType::text) != text)
      refuse(labels.where, text ? "labels that are strings, as in the first file" : "labels that are numbers",
             name_of(labels.array.type));
    if (text) {
      texts.insert(texts.end(), labels.array.texts->begin(), labels.array.texts->end());
    } else {
      const auto part = label_numbers(labels.array, labels.where);
      numbers.insert(numbers.end(), part.begin(), part.end());
    }
  }
  const std::size_t n = text ? texts.size() : numbers.size();
  return {text ? make_text_array({n}, std::move(texts)) : make_array({n}, std::move(numbers)), name};
}

}  // namespace

ClassLabels read_class_labels(const std::string& text, std::size_t n, std::size_t k,
                              const OutputsOptions& options) {
  return label_values(joined_labels(expand_paths(text), display_name(text), options), n, k,
                      options.columns.class_names, options.first_label);
}

std::vector<std::int64_t> read_labels(const std::string& text, std::size_t n, std::size_t k,
                                      const OutputsOptions& options) {
  return read_class_labels(text, n, k, options).values;
}

std::size_t count_labels(std::span<const std::int64_t> labels) {
  return static_cast<std::size_t>(
      std::ranges::count_if(labels, [](auto label) { return label != no_label; }));
}

std::vector<std::size_t> rows_with_labels(std::span<const std::int64_t> labels) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] != no_label) rows.push_back(i);
  return rows;
}

std::string missing_labels_text(const std::string& name, std::span<const std::int64_t> labels) {
  const std::size_t known = count_labels(labels), n = labels.size();
  if (known == n) return "";
  return fmt::format("{}: {} of {} rows have no label; accuracy is computed on the {} rows that have one",
                     name, n - known, n, known);
}

std::string coding_text(LabelCoding coding, std::size_t k) {
  if (coding == LabelCoding::signs) return "-1 and 1";
  if (coding == LabelCoding::missing) return "-1 in all rows";
  return coding == LabelCoding::from_one ? fmt::format("1 to {}", k) : "";
}

}  // namespace leeway
