// The page of a record that has no page of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/text.h"
#include "leeway/record/envelope.h"
#include "leeway/record/json.h"
#include "leeway/record/keys.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

constexpr std::size_t plain_most_rows = 1000, most_listed = 12;

// Numbers, and the three words that JSON has no number for.
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return HUGE_VAL;
  if (value == "-inf") return -HUGE_VAL;
  return std::nullopt;
}

bool is_object_list(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

std::string title_of(std::string key) {
  std::ranges::replace(key, '_', ' ');
  if (!key.empty()) key.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(key.front())));
  return key;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (const auto number = number_of(value))
    return value.is_number_integer() ? value.dump() : significant(*number, 4);
  std::string text;
  std::size_t i = 0;
  for (const auto& item : value.items()) {
    if (i++ == most_listed) {
      text += fmt::format(", … ({} in all)", value.size());
      break;
    }
    text += (text.empty() ? "" : ", ") + (value.is_object() ? item.key() + " " : "") +
            (item.value().is_null() ? "–" : text_of(item.value()));
  }
  return text;
}

// One row of a table: its values by key, keys of objects within objects joined by dots.
using PlainRow = std::vector<std::pair<std::string, const Json*>>;

// Lists of objects become tables of their own.
struct Tables {
  struct One {
    std::string path;  // as record/keys.h has it: "results[].norms.curve[]"
    std::vector<PlainRow> rows;
    std::size_t left_out = 0;
  };
  std::vector<One> list;

  One& at(const std::string& path) {
    for (One& one : list)
      if (one.path == path) return one;
    return list.emplace_back(One{path, {}, 0});
  }
};

void put(const Json& object, const std::string& path, const std::string& prefix, PlainRow& row,
         Tables& tables);

void put_list(const Json& objects, const std::string& path, const PlainRow& head, Tables& tables) {
  for (const Json& object : objects) {
    PlainRow row = head;
    tables.at(path);  // before the tables of what is inside
    put(object, path + ".", "", row, tables);
    Tables::One& table = tables.at(path);
    if (table.rows.size() < plain_most_rows)
      table.rows.push_back(std::move(row));
    else
      ++table.left_out;
  }
}

void put(const Json& object, const std::string& path, const std::string& prefix, PlainRow& row,
         Tables& tables) {
  PlainRow name;  // what rows of inner tables begin with: the object's first text
  for (const auto& item : object.items())
    if (item.value().is_string() && name.empty() && !number_of(item.value()))
      name.emplace_back("in", &item.value());
  for (const auto& item : object.items()) {
    const Json& value = item.value();
    const std::string key = prefix + item.key();
    if (is_object_list(value))
      put_list(value, path + key + "[]", name, tables);
    else if (value.is_object() &&
             std::ranges::any_of(value, [](const Json& one) { return one.is_structured(); }))
      put(value, path, key + ".", row, tables);
    else
      row.emplace_back(key, &value);
  }
}

const Json* value_at(const PlainRow& row, const std::string& key) {
  for (const auto& [name, value] : row)
    if (name == key) return value;
  return nullptr;
}

// The described keys of a record by their paths.
using Keys = std::map<std::string, record::Key>;

std::string meaning_of(const Keys& keys, const std::string& path) {
  const auto found = keys.find(path);
  return found == keys.end() ? "" : found->second.meaning;
}

class PlainTable {
 public:
  PlainTable(const Tables::One& table, const Keys& keys_of_record) : table_(table), known_(keys_of_record) {
    for (const PlainRow& row : table.rows)
      for (const auto& [key, value] : row) append_new(keys_, key);
  }

  [[nodiscard]] std::string html(const std::string& caption) const {
    std::vector<ColumnOf<PlainRow>> columns;
    for (const std::string& key : keys_)
      if (!is_end(key) && known(key)) columns.push_back(column(key));
    std::string out = table_of(caption, columns, table_.rows).html();
    if (table_.left_out > 0)
      out += paragraph(fmt::format("The record has {} more rows.", count(table_.left_out)));
    return out;
  }

 private:
  // KEY_low and KEY_high beside KEY.
  [[nodiscard]] bool is_end(const std::string& key) const {
    return std::ranges::any_of(std::array<std::string_view, 2>{"_low", "_high"}, [&](std::string_view end) {
      return key.ends_with(end) &&
             std::ranges::find(keys_, key.substr(0, key.size() - end.size())) != keys_.end();
    });
  }

  // A column that is null throughout says nothing.
  [[nodiscard]] bool known(const std::string& key) const {
    return std::ranges::any_of(table_.rows, [&](const PlainRow& row) {
      const Json* value = value_at(row, key);
      return value != nullptr && !value->is_null() && !(value->is_structured() && value->empty());
    });
  }

  [[nodiscard]] ColumnOf<PlainRow> column(const std::string& key) const {
    const std::string path = table_.path + "." + key, hint = meaning_of(known_, path);
    const bool numeric = std::ranges::all_of(table_.rows, [&](const PlainRow& row) {
      const Json* value = value_at(row, key);
      return value == nullptr || value->is_null() || number_of(*value);
    });
    if (!numeric)
      return {text_column(title_of(key), hint), [key](const PlainRow& row) {
                const Json* value = value_at(row, key);
                return value == nullptr || value->is_null() ? dash_cell("null in the record")
                                                            : text_cell(text_of(*value));
              }};
    const bool interval = std::ranges::find(keys_, key + "_low") != keys_.end();
    return {interval ? interval_column(title_of(key), hint) : number_column(title_of(key), hint),
            [key, share = interval && is_share(path)](const PlainRow& row) {
              return number_cell_of(row, key, share);
            }};
  }

  // A number from 0 to 1 that has an interval is a share of rows.
  [[nodiscard]] bool is_share(const std::string& path) const {
    const auto found = known_.find(path);
    return found != known_.end() && found->second.type.starts_with("a number from 0 to 1");
  }

  static Cell number_cell_of(const PlainRow& row, const std::string& key, bool share) {
    const auto number = [&](const std::string& name) {
      const Json* value = value_at(row, name);
      return value == nullptr ? std::nullopt : number_of(*value);
    };
    const Measured all{number(key), number(key + "_low"), number(key + "_high")};
    if (!all.value) return dash_cell("null in the record");
    if (share) return share_cell(all);
    Cell cell = value_at(row, key)->is_number_unsigned() ? count_cell(value_at(row, key)->get<std::size_t>())
                                                         : significant_cell(all.value, 4);
    if (!all.low || !all.high) return cell;
    return with_interval(cell, all, significant(*all.low, 3) + "–" + significant(*all.high, 3));
  }

  const Tables::One& table_;
  const Keys& known_;
  std::vector<std::string> keys_;
};

std::string options_html(const Json& record, const Keys& keys_of_record) {
  if (!record.contains("options") || !record["options"].is_object()) return "";
  struct Option {
    std::string name, value, meaning;
  };
  std::vector<Option> options;
  for (const auto& item : record["options"].items()) {
    if (item.value().is_null() || (item.value().is_structured() && item.value().empty())) continue;
    options.push_back(
        {title_of(item.key()), text_of(item.value()), meaning_of(keys_of_record, "options." + item.key())});
  }
  const std::vector<ColumnOf<Option>> columns = {
      {text_column("Option"), [](const Option& option) { return text_cell(option.name); }},
      {text_column("Value"), [](const Option& option) { return text_cell(option.value); }},
      {text_column("Meaning"), [](const Option& option) { return text_cell(option.meaning); }}};
  return table_of("Options", columns, options).html();
}

}  // namespace

std::string plain_html(const record::Record& kind, const Json& json, const std::string& name) {
  record::require_schema(json, kind.schema, name);
  record::Envelope envelope = record::envelope_of(kind.schema);
  record::read([&](record::Fields& f) { record::fields(envelope, f); }, json, name);
  Keys keys;
  for (const record::Key& key : record::keys_of(kind.describe)) keys.emplace(key.path, key);
  Tables tables;
  if (json.contains("results") && is_object_list(json["results"]))
    put_list(json["results"], "results[]", {}, tables);
  std::string lead;
  for (const auto& lines : {envelope.findings, envelope.warnings}) lead += list_html(escaped(lines));
  Section inner{"details", "Details", "Details of each result", ""};
  for (const Tables::One& table : tables.list) {
    const std::string meaning = meaning_of(keys, table.path.substr(0, table.path.size() - 2));
    const std::string caption =
        table.path == "results[]" || meaning.empty()
            ? "Results"
            : title_of(table.path.substr(table.path.rfind('.') + 1,
                                         table.path.size() - table.path.rfind('.') - 3)) +
                  ": " + meaning;
    (&table == &tables.list.front() ? lead : inner.body) += PlainTable(table, keys).html(caption);
  }
  Section options{"options", "Options", "Options of the command", options_html(json, keys)};
  const std::string what(kind.title.substr(0, kind.title.find(" (")));
  return page("leeway: " + what, envelope.headline.empty() ? title_of(what) + "." : envelope.headline, lead,
              {std::move(inner), std::move(options), source_section(envelope)});
}

}  // namespace leeway::report
