#include "leeway/data/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/csv.h"
#include "leeway/io/groups.h"

namespace leeway::data {
namespace {

GroupColumn environment_column(const Array& values, std::size_t n, const std::string& where) {
  if (values.shape.size() != 1)
    refuse(where, fmt::format("shape ({}), one environment per image", n), "shape " + values.shape_text());
  const Array name = make_text_array(std::vector<std::string>{"environment"});
  return group_columns(values, &name, n, where).front();
}

// What the images file holds besides images and labels.
void take_arrays(TrainingData& data, const ArrayMap& arrays) {
  const std::string name = display_name(data.images.path);
  data.groups = group_columns(arrays, data.images.n(), name + ": groups");
  if (const auto found = arrays.find("environment"); found != arrays.end())
    data.environment = environment_column(found->second, data.images.n(), name + ": environment");
}

GroupColumn csv_column(const CsvTable& table, const std::string& name, const std::string& where) {
  const auto& column = table.columns[place_of_column(table.header, name, where)];
  const Array title = make_text_array(std::vector{name});
  std::vector<std::string> values(column.begin(), column.end());
  return group_columns(make_text_array(std::move(values)), &title, table.rows(), where).front();
}

GroupColumn joined_column(const GroupColumn& first, const GroupColumn& more) {
  std::vector<std::string> values;
  for (const GroupColumn* const column : {&first, &more})
    for (const std::int32_t code : column->codes)
      values.push_back(column->levels[static_cast<std::size_t>(code)]);
  const Array title = make_text_array(std::vector{first.name});
  const std::size_t n = values.size();
  return group_columns(make_text_array(std::move(values)), &title, n, first.name).front();
}

GroupColumn file_column(const std::vector<GroupColumn>& columns, const std::string& name,
                        const std::string& where) {
  std::vector<std::string> names;
  for (const GroupColumn& column : columns) names.push_back(column.name);
  return columns[place_of_column(names, name, where)];
}

}  // namespace

TrainingData read_training_data(const std::string& path_or_name, const TrainingColumns& columns,
                                const PictureOptions& pictures) {
  ArrayMap others;
  auto folder = pictures_at(path_or_name, pictures);
  TrainingData data(folder ? in_memory(*std::move(folder)) : read_images(path_or_name, others));
  if (!data.images.labels) {
    refuse(display_name(path_or_name), "labels to train on, in an array named y, labels or y_true",
           others.empty() ? "none" : comma_list(array_names(others)));
  }
  take_arrays(data, others);
  if (columns.groups.empty() && columns.environment.empty()) {
    put_in_bins(data.groups);
    return data;
  }
  const std::vector<GroupColumn> known = std::move(data.groups);
  std::optional<CsvTable> table;
  std::string where = display_name(path_or_name);
  if (!columns.attributes.empty()) {
    where = display_name(columns.attributes);
    table = read_csv(columns.attributes);
    if (table->rows() != data.images.n())
      refuse(where, fmt::format("{} rows, one per image", data.images.n()), std::to_string(table->rows()));
  }
  const auto column = [&](const std::string& name) {
    return table ? csv_column(*table, name, where) : file_column(known, name, where);
  };
  data.groups.clear();
  for (const std::string& name : columns.groups) data.groups.push_back(column(name));
  if (columns.groups.empty()) data.groups = known;
  if (!columns.environment.empty()) data.environment = column(columns.environment);
  put_in_bins(data.groups);
  return data;
}

TrainingData joined(const TrainingData& data, const TrainingData& more) {
  const Array &first = data.images.pixels, &second = more.images.pixels;
  const std::string name = display_name(more.images.path);
  const auto names = [](const TrainingData& one) {
    std::vector<std::string> list;
    for (const GroupColumn& column : one.groups) list.push_back(column.name);
    if (one.environment) list.emplace_back("environment");
    return list;
  };
  const auto as_first = [&](const char* what, const auto& wanted, const auto& found) {
    if (wanted != found)
      refuse(name, fmt::format("the {} of {}: {}", what, display_name(data.images.path), comma_list(wanted)),
             found.empty() ? "none" : comma_list(found));
  };
  const auto sizes = [](const Array& pixels) {
    std::vector<std::string> list{std::string(name_of(pixels.type))};
    for (std::size_t d = 1; d < pixels.shape.size(); ++d) list.push_back(std::to_string(pixels.shape[d]));
    return list;
  };
  as_first("type, channels, height and width", sizes(first), sizes(second));
  as_first("class names", data.images.class_names, more.images.class_names);
  as_first("attributes", names(data), names(more));
  TrainingData all = data;
  std::vector<std::size_t> shape = first.shape;
  shape[0] += second.shape[0];
  std::shared_ptr<std::byte> bytes = allocate_bytes(first.bytes().size() + second.bytes().size(), name);
  std::ranges::copy(second.bytes(), std::ranges::copy(first.bytes(), bytes.get()).out);
  all.images.pixels = {first.type, std::move(shape), std::move(bytes), {}};
  all.images.labels->insert(all.images.labels->end(), more.images.labels->begin(), more.images.labels->end());
  for (std::size_t j = 0; j < all.groups.size(); ++j)
    all.groups[j] = joined_column(data.groups[j], more.groups[j]);
  if (all.environment) all.environment = joined_column(*data.environment, *more.environment);
  return all;
}

TrainingData select_rows(const TrainingData& data, std::span<const std::size_t> rows) {
  TrainingData selected(leeway::select_rows(data.images, rows));
  const auto select = [&](const GroupColumn& column) {
    return GroupColumn{column.name, column.levels, at_rows(column.codes, rows)};
  };
  for (const GroupColumn& column : data.groups) selected.groups.push_back(select(column));
  if (data.environment) selected.environment = select(*data.environment);
  selected.unlabelled = data.unlabelled;
  selected.test = data.test;
  selected.shifted = data.shifted;
  return selected;
}

GroupColumn label_groups(const TrainingData& data) {
  GroupColumn groups;
  groups.name = "y";
  for (const GroupColumn& column : data.groups) groups.name += ", " + column.name;
  std::map<std::vector<std::int64_t>, std::int32_t> numbers;  // of the groups that occur, in order
  std::vector<const std::vector<std::int64_t>*> keys;
  for (std::size_t row = 0; row < data.images.n(); ++row) {
    std::vector<std::int64_t> key{(*data.images.labels)[row]};
    for (const GroupColumn& column : data.groups) key.push_back(column.codes[row]);
    keys.push_back(&numbers.try_emplace(std::move(key), 0).first->first);
  }
  for (auto& [key, number] : numbers) {
    number = static_cast<std::int32_t>(groups.levels.size());
    std::string level = fmt::format("y={}", key[0]);
    for (std::size_t j = 0; j < data.groups.size(); ++j)
      level += fmt::format(", {}={}", data.groups[j].name,
                           data.groups[j].levels[static_cast<std::size_t>(key[j + 1])]);
    groups.levels.push_back(std::move(level));
  }
  for (const auto* key : keys) groups.codes.push_back(numbers.at(*key));
  return groups;
}

RowSplit read_split(const std::filesystem::path& path, std::size_t n) {
  const std::string name = display_name(path);
  const MappedFile file = csv_file(map_file(path), name);
  CsvRecords records(file.text(), name);
  const std::vector<std::string>& header = records.header();
  const bool listed = header == std::vector<std::string>{"index", "split"};
  const auto place = static_cast<std::size_t>(std::ranges::find(header, "split") - header.begin());
  if (!listed && (place == header.size() || std::ranges::count(header, "index") > 0))
    refuse(name, "columns index and split, or a table with a column split",
           fmt::format("{} others", header.size()));
  RowSplit split;
  std::vector<std::uint8_t> set_of(n);  // by number; 0: none yet
  for (; records.next(); ++split.rows) {
    const std::string_view set = records.fields()[place];
    if (!listed && (split.rows >= n || set == "id_val" || set == "id_test" || set == "unused")) continue;
    const auto index = listed ? parse_number(records.fields()[0]) : static_cast<double>(split.rows);
    if (!index || !(*index >= 0 && *index < static_cast<double>(n)) || *index != std::floor(*index))
      refuse(name, fmt::format("an index from 0 to {}", n - 1),
             fmt::format("{} at row {}", in_quotes(records.fields()[0]), split.rows));
    if (set != "train" && set != "val" && set != "test")
      refuse(name, "train, val or test", fmt::format("{} at row {}", in_quotes(set), split.rows));
    const std::uint8_t number = set == "train" ? 1 : set == "val" ? 2 : 3;
    auto& rows = number == 1 ? split.train : number == 2 ? split.validation : split.test;
    const auto row = static_cast<std::size_t>(*index);
    if (set_of[row] != 0 && set_of[row] != number)
      refuse(name, "each index in one set only", fmt::format("{} in two, again at row {}", row, split.rows));
    set_of[row] = number;
    rows.push_back(row);
  }
  if (!listed && split.rows != n) refuse(name, fmt::format("{} rows, one per image", n), split.rows);
  return split;
}

}  // namespace leeway::data
