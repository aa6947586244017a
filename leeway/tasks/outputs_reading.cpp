#include "leeway/tasks/outputs_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/columns.h"
#include "leeway/io/content.h"
#include "leeway/io/csv.h"
#include "leeway/io/groups.h"
#include "leeway/io/outputs_arrays.h"

namespace leeway::tasks {

void score_fields(OutputsReading& reading, Fields& f) {
  f.choice("binary", reading.binary, {{"logit", ""}, {"prob", ""}},
           "content of a vector of outputs (two classes): logit or probability of the positive class");
  f.choice("as", reading.as, {{"logits", ""}, {"probs", ""}},
           "content of a matrix of outputs: logits or probabilities (default: by the array's name; "
           "probabilities if every row is nonnegative and sums to 1)");
  f("label_column", reading.label_column,
    "column or array of labels; none: no labels (default: y_true, label, labels, y or similar)");
  f("class_columns", reading.class_columns,
    "score columns of a table, one for each class: names separated by commas, or a prefix such as prob_*; in "
    "other files, an array (n,k) or k vectors");
  f("group_columns", reading.group_columns, "group columns of tables, in addition to attr_*");
  f("id_column", reading.id_column,
    "column of row identifiers in a table; none: no identifiers (default: id)");
  f("separator", reading.separator,
    "column separator of tables: comma, semicolon or tab (default: detected)");
  f.choice("encoding", reading.encoding,
           {{"utf-8", ""}, {"windows-1252", ""}, {"latin-1", ""}, {"utf-16", ""}},
           "encoding of tables (default: utf-8)");
  f("class_names", reading.class_names,
    "class names in order, separated by commas; or a file with one name per line or an array class_names");
  f("first_label", reading.first_label, from_to(0, 1),
    "label of the first class (default: 0, or 1 if labels reach k and no label is 0)");
}

void labels_field(OutputsReading& reading, Fields& f) {
  f("labels", reading.labels,
    "file with the labels of the first set (clean, source): .npy, .npz, .csv, IDX; in assess also SHIFT=FILE "
    "for a target; several separated by commas");
}

void groups_field(OutputsReading& reading, Fields& f) {
  f("groups", reading.groups,
    "file with the groups of the first set: .csv with one column for each attribute, or .npy, .npz with "
    "`groups`");
}

void row_fields(OutputsReading& reading, Fields& f) {
  f("index", reading.index,
    "CSV of index and split, from conds draw: use only the rows of --split, in every set");
  f.choice("split", reading.split, {{"train", ""}, {"val", ""}, {"test", ""}},
           "rows of --index to use: train, val or test");
}

void time_field(OutputsReading& reading, Fields& f) {
  f("time_column", reading.time_column,
    "column or array with the times of the target's rows (default: time, timestamp, datetime or date)");
}

void fields(OutputsReading& reading, Fields& f) {
  score_fields(reading, f);
  labels_field(reading, f);
  groups_field(reading, f);
  row_fields(reading, f);
}

namespace {

using Texts = std::vector<std::string>;

Texts parts_of(const std::string& text, char at) {
  Texts parts;
  for (const std::string& part : split(text, at))
    if (const std::string_view word = trimmed(part); !word.empty()) parts.emplace_back(word);
  return parts;
}

Texts words_of(const std::optional<std::string>& text) { return text ? parts_of(*text, ',') : Texts(); }

char separator_of(const std::string& text) {
  for (const auto& [word, separator] : {std::pair("comma", ','),
                                        {"semicolon", ';'},
                                        {"tab", '\t'},
                                        {",", ','},
                                        {";", ';'},
                                        {"\t", '\t'},
                                        {"\\t", '\t'}})
    if (text == word) return separator;
  throw OptionError(fmt::format("--separator: expected comma, semicolon or tab, found {}", in_quotes(text)));
}

bool is_file(const std::string& text) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(text, ignored);
}

Array array_of_texts(const CsvTable& table, std::size_t j) {
  return make_text_array(Texts(table.columns[j].begin(), table.columns[j].end()));
}

// The ids in a file of labels or groups.
Texts ids_in(const std::filesystem::path& path, const ColumnOptions& columns) {
  const MappedFile file = map_file(path);
  const auto wanted = [&](std::string_view name) { return is_id(name, columns); };
  const Content content = identify(file.bytes);
  ArrayMap arrays;
  if (is_table_file(file, path)) {
    const CsvTable table = read_csv(path, columns.encoding);
    for (std::size_t j = 0; j < table.header.size(); ++j)
      if (wanted(table.header[j])) arrays[table.header[j]] = array_of_texts(table, j);
  } else if (content == Content::npz || content == Content::safetensors) {
    arrays = read_array_file(file, path, "ids", wanted);
  }
  const auto ids = ids_among(arrays, display_name(path), columns);
  return ids ? id_texts(*ids, ids->array.size()) : Texts();
}

// The number of rows of the file or files `text`, and the one of each row of the set; empty: all in order.
std::pair<std::size_t, std::vector<std::size_t>> rows_by_id(SetRows set, const std::string& text,
                                                            const ColumnOptions& columns) {
  Texts ids;
  set.ids.resize(std::min(set.n, set.ids.size()));
  if (!set.ids.empty())
    for (const auto& path : expand_paths(text))
      std::ranges::move(ids_in(path, columns), std::back_inserter(ids));
  if (ids.empty() || ids == set.ids) return {set.n, {}};
  std::vector<std::size_t> rows;
  for (const auto place : places_of_names(set.ids, ids)) {
    if (!place)
      refuse(display_name(text), fmt::format("each id of {} exactly once", set.path),
             fmt::format("{} missing or repeated", in_quotes(set.ids[rows.size()])));
    rows.push_back(*place);
  }
  return {ids.size(), std::move(rows)};
}

SetRows rows_of(const OutputsShards& set) { return {set.n(), set.rest.ids.value_or(Texts()), set.rest.path}; }

void put_labels(OutputsShards& set, const std::string& path, OutputsOptions options, const NoteInput& note) {
  if (options.columns.class_names.empty()) options.columns.class_names = set.rest.class_names;
  options.columns.classes.clear();
  auto [labels, coding] = read_labels(path, rows_of(set), set.k(), options);
  const std::string numbers = coding_text(coding, set.k());
  note({path,
        {labels.size()},
        numbers.empty() ? "" : fmt::format("{}: labels are {}", display_name(path), numbers),
        true});
  set.rest.coding = coding;
  if (set.rest.labels) {
    std::size_t differ = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      differ += labels[i] != no_label && !same_label(labels[i], (*set.rest.labels)[i]) ? 1 : 0;
    if (differ > 0)
      set.rest.warnings.push_back(
          fmt::format("{}: its labels differ from the labels in {} (which are used) at {} of {} rows: are "
                      "the rows in the same order?",
                      set.rest.path, display_name(path), differ, labels.size()));
  }
  const std::string missing = missing_labels_text(display_name(path), labels);
  if (!missing.empty()) set.rest.warnings.push_back(missing);
  set.rest.labels = std::move(labels);
  if (count_labels(*set.rest.labels) == 0) set.rest.labels.reset();
}

// "prod", "p.npy" of "prod=p.npy"; the name is empty of a text without "=" and of a file whose own name has it.
std::pair<std::string, std::string> name_and_path(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || is_there(text)) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<std::string> file_for(const std::optional<std::string>& text, const Texts& names) {
  std::string unnamed;
  for (const std::string& part : words_of(text)) {
    const auto [name, path] = name_and_path(part);
    if (name.empty())
      unnamed += (unnamed.empty() ? "" : ",") + path;  // several files are one set
    else if (std::ranges::find(names, name) != names.end())
      return path;
  }
  return names.empty() && !unnamed.empty() ? std::optional(unnamed) : std::nullopt;
}

void require_names(const std::string& option, const std::optional<std::string>& text, const Texts& names) {
  for (const std::string& part : words_of(text)) {
    const std::string name = name_and_path(part).first;
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      throw OptionError(fmt::format("{} {}: no --target has this name", option, part));
  }
}

}  // namespace

std::vector<std::string> class_names_in(const std::string& text) {
  if (!is_file(text)) return parts_of(text, ',');
  const MappedFile file = map_file(text);
  if (identify(file.bytes) == Content::other) {
    if (!looks_like_text(file.bytes)) refuse(display_name(text), "class names", describe_content(file.bytes));
    std::string lines(file.text());
    std::erase(lines, '\r');
    return parts_of(lines, '\n');
  }
  const ArrayMap arrays = read_arrays(text);
  const auto named = arrays.find("class_names");
  const auto found = named != arrays.end() ? named : arrays.find("");
  if (found == arrays.end() || found->second.type != ElementType::text)
    refuse(display_name(text), "an array class_names of strings",
           found == arrays.end() ? "none" : std::string(name_of(found->second.type)));
  return *found->second.texts;
}

Binary binary_of(const std::optional<std::string>& binary) {
  return !binary ? Binary::refuse : *binary == "prob" ? Binary::prob : Binary::logit;
}

ClassLabels read_labels(const std::string& text, const SetRows& set, std::size_t k,
                        const OutputsOptions& options) {
  const auto [n, rows] = rows_by_id(set, text, options.columns);
  ClassLabels labels = read_class_labels(text, n, k, options);
  if (!rows.empty()) labels.values = at_rows(labels.values, rows);
  return labels;
}

std::vector<GroupColumn> read_groups(const std::string& path, const SetRows& set,
                                     const ColumnOptions& columns) {
  const std::string name = display_name(path);
  const auto [n, rows] = rows_by_id(set, path, columns);
  std::vector<GroupColumn> groups;
  if (is_table_file(map_file(path), path)) {
    const CsvTable table = read_csv(path, columns.encoding);
    for (std::size_t j = 0; j < table.header.size(); ++j) {
      const std::string& column = table.header[j];
      if (column.empty() || is_id(column, columns)) continue;
      groups.push_back(group_columns(array_of_texts(table, j), nullptr, n, name).front());
      groups.back().name = column.starts_with("attr_") ? column.substr(5) : column;
    }
    if (groups.empty()) refuse(name, "a column of groups", "ids only");
  } else {
    const ArrayMap arrays = read_arrays(path);
    const auto bare = arrays.find("");
    if (bare == arrays.end() && !arrays.contains("groups")) refuse(name, "an array groups", "none");
    groups =
        bare == arrays.end() ? group_columns(arrays, n, name) : group_columns(bare->second, nullptr, n, name);
  }
  if (!rows.empty())
    for (GroupColumn& group : groups) group.codes = at_rows(group.codes, rows);
  return groups;
}

OutputsReading reading_for(OutputsReading reading, const Texts& names) {
  reading.labels = file_for(reading.labels, names);
  reading.groups = file_for(reading.groups, names);
  return reading;
}

void require_names(const OutputsReading& reading, const Texts& names) {
  require_names("--labels", reading.labels, names);
  require_names("--groups", reading.groups, names);
}

OutputsOptions reading_of(const OutputsReading& reading, bool check_finite) {
  OutputsOptions options;
  options.check_finite = check_finite;
  options.binary = binary_of(reading.binary);
  if (reading.as) options.as = *reading.as == "probs" ? Scores::probs : Scores::logits;
  options.columns.label = reading.label_column;
  options.columns.id = reading.id_column;
  options.columns.time = reading.time_column, options.columns.times = reading.times;
  options.columns.classes = words_of(reading.class_columns);
  options.columns.groups = words_of(reading.group_columns);
  if (reading.encoding) options.columns.encoding = encoding_of(*reading.encoding).value_or(Encoding::utf8);
  if (reading.separator) options.columns.separator = separator_of(*reading.separator);
  if (reading.class_names) options.columns.class_names = class_names_in(*reading.class_names);
  options.first_label = reading.first_label;
  return options;
}

const std::vector<std::size_t>& rows_called(const data::RowSplit& split, const std::string& word,
                                            const std::string& file) {
  const auto& rows = word == "train" ? split.train : word == "val" ? split.validation : split.test;
  if (rows.empty()) refuse(display_name(file), fmt::format("rows of {} (--split)", word), "none");
  return rows;
}

OutputsShards with_reading(OutputsShards set, const OutputsReading& reading, SetRole role,
                           const OutputsOptions& options, const NoteInput& note) {
  if (reading.index.has_value() != reading.split.has_value())
    throw OptionError(reading.index ? "--split is required with --index: train, val, test"
                                    : "--split requires --index");
  if (role == SetRole::first && reading.labels) put_labels(set, *reading.labels, options, note);
  if (role == SetRole::first && reading.groups) {
    set.rest.groups = read_groups(*reading.groups, rows_of(set), options.columns);
    note({*reading.groups, {set.n(), set.rest.groups.size()}, "", true});
  }
  if (!reading.index) return set;
  const data::RowSplit split = data::read_split(*reading.index, set.n());
  note({*reading.index, {split.rows, 2}, "", true});
  return take(set, rows_called(split, *reading.split, *reading.index));
}

OutputsShards read_set(const std::string& text, const OutputsReading& reading, SetRole role,
                       bool check_finite, const NoteInput& note) {
  const OutputsOptions options = reading_of(reading, check_finite);
  OutputsShards set = read_shards(text, options);
  for (const OutputsFile& file : set.files) note({file.path, file.shape, file.reading});
  return with_reading(std::move(set), reading, role, options, note);
}

}  // namespace leeway::tasks
