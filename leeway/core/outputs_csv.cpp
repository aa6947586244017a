#include "leeway/core/outputs_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::string_view label_names[] = {"y_true", "label", "labels", "y"};

// Columns whose names begin with a prefix, and what follows it.
struct Family {
  std::vector<std::size_t> columns;
  std::vector<std::string> suffixes;
};

Family find_family(const CsvTable& table, std::string_view prefix) {
  Family family;
  for (std::size_t j = 0; j < table.header.size(); ++j)
    if (table.header[j].starts_with(prefix)) {
      family.columns.push_back(j);
      family.suffixes.push_back(table.header[j].substr(prefix.size()));
    }
  return family;
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Where classes are numbered: their columns by number, without those of p_ that have none. False where classes
// have names.
bool sort_by_number(Family& family, std::string_view prefix, std::string_view name) {
  std::map<std::size_t, std::size_t> columns;
  const auto column_name = [&](std::size_t j) { return in_quotes(std::string(prefix) + family.suffixes[j]); };
  std::optional<std::size_t> named;
  for (std::size_t j = 0; j < family.columns.size(); ++j) {
    const auto number = whole_number(family.suffixes[j]);
    if (!number)
      named = j;
    else if (!columns.emplace(*number, family.columns[j]).second)
      refuse(name, "classes that stand once", column_name(j) + " again");
  }
  if (columns.empty()) return false;
  if (named && prefix == "logit_")
    refuse(name, "columns logit_* that are all numbered or all named",
           fmt::format("{} beside {} numbered", column_name(*named), columns.size()));
  const std::size_t last = columns.rbegin()->first;
  if (last != columns.size() - 1)
    refuse(name, fmt::format("columns {0}0 to {0}{1}", prefix, columns.size() - 1),
           fmt::format("{}{}", prefix, last));
  family.columns.clear();
  for (const auto& [number, column] : columns) family.columns.push_back(column);
  return true;
}

Array number_matrix(const CsvTable& table, const std::vector<std::size_t>& columns, std::string_view name) {
  const std::size_t n = table.rows(), k = columns.size();
  std::vector<double> values(n * k);
  for (std::size_t j = 0; j < k; ++j) {
    const auto column = csv_numbers(table, columns[j], name);
    for (std::size_t i = 0; i < n; ++i) values[i * k + j] = column[i];
  }
  return make_array({n, k}, std::move(values));
}

Array text_matrix(const CsvTable& table, const std::vector<std::size_t>& columns) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < table.rows(); ++i)
    for (const std::size_t j : columns) values.push_back(table.columns[j][i]);
  return make_text_array({table.rows(), columns.size()}, std::move(values));
}

Array text_vector(std::vector<std::string> texts) {
  const std::size_t size = texts.size();
  return make_text_array({size}, std::move(texts));
}

std::optional<std::size_t> find_labels(const CsvTable& table, std::string_view name) {
  std::optional<std::size_t> found;
  for (const std::string_view alias : label_names)
    if (const auto column = table.find(alias)) {
      if (found)
        refuse(name, "one column of labels",
               fmt::format("{} and {}", table.header[*found], table.header[*column]));
      found = column;
    }
  return found;
}

// Numbers where every field is one, text where none is (class names).
Array label_array(const CsvTable& table, std::size_t column, std::string_view name) {
  const auto& fields = table.columns[column];
  if (!fields.empty() &&
      std::ranges::none_of(fields, [](const auto& f) { return f.empty() || parse_number(f); }))
    return make_text_array({fields.size()}, fields);
  return make_array({fields.size()}, csv_numbers(table, column, name));
}

}  // namespace

ArrayMap outputs_from_csv(const CsvTable& table, std::string_view name) {
  ArrayMap arrays;
  std::string_view prefix = "logit_";
  Family classes = find_family(table, prefix);
  if (classes.columns.empty()) classes = find_family(table, prefix = "p_");
  if (classes.columns.empty())
    refuse(name, "columns logit_* or p_*", printable(fmt::format("{}", fmt::join(table.header, ", ")), 100));
  const bool vector = classes.columns.size() == 1;
  if (!vector && !sort_by_number(classes, prefix, name))
    arrays["class_names"] = text_vector(classes.suffixes);
  arrays[prefix == "p_" ? "probs" : "logits"] = number_matrix(table, classes.columns, name);

  if (const auto labels = find_labels(table, name)) arrays["labels"] = label_array(table, *labels, name);
  if (const Family features = find_family(table, "feat_"); !features.columns.empty())
    arrays["features"] = number_matrix(table, features.columns, name);
  if (const Family groups = find_family(table, "attr_"); !groups.columns.empty()) {
    arrays["groups"] = text_matrix(table, groups.columns);
    arrays["group_names"] = text_vector(groups.suffixes);
  }
  if (const auto id = table.find("id")) arrays["ids"] = text_vector(table.columns[*id]);
  if (const auto norm = table.find("norm"))
    arrays["norms"] = make_array({table.rows()}, csv_numbers(table, *norm, name));
  return arrays;
}

Array labels_from_csv(const CsvTable& table, std::string_view name) {
  auto column = find_labels(table, name);
  if (!column && table.header.size() == 1) column = 0;
  if (!column)
    refuse(name, "a column y_true or label",
           printable(fmt::format("{}", fmt::join(table.header, ", ")), 100));
  return label_array(table, *column, name);
}

}  // namespace leeway
