#include "leeway/io/attribute_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <unordered_map>

#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"

namespace leeway {
namespace {

constexpr std::size_t most_values = std::numeric_limits<std::uint16_t>::max(), most_cells = 1'000'000;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }
};

// One column while it is read: values coded in the order in which they appear.
class Coder {
 public:
  Coder(std::string name, std::size_t column, std::string_view table)
      : name_(std::move(name)), column_(column), table_(table) {}

  [[nodiscard]] std::size_t column() const { return column_; }

  void reserve(std::size_t rows) { rows_.reserve(rows); }

  void add(std::string_view field) {
    const std::string_view value = trimmed(field);
    auto found = codes_.find(value);
    if (found == codes_.end()) found = insert(value);
    rows_.push_back(found->second);
  }

  // The column in the order of its values.
  [[nodiscard]] Attribute finish(const std::vector<std::string>* order) {
    std::vector<std::string> values(codes_.size());
    for (const auto& [value, code] : codes_) values[code] = value;
    const auto is_whole = [](const auto& value) { return whole_number(without_zeros(value)).has_value(); };
    if (!order && std::ranges::all_of(values, is_whole))
      for (std::string& value : values) value = without_zeros(value);
    std::vector<std::string> sorted = order ? checked(*order) : in_value_order(values);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    put_values_in_order(values, rows_, std::move(sorted));
    return {std::move(name_), std::move(values), std::move(rows_)};
  }

 private:
  using Codes = std::unordered_map<std::string, std::uint16_t, TextHash, std::equal_to<>>;

  Codes::iterator insert(std::string_view value) {
    const std::string column = in_quotes(name_);
    if (value.empty())
      refuse(table_, fmt::format("a value in column {}", column),
             fmt::format("an empty field at row {}", rows_.size()));
    if (codes_.size() == most_values)
      refuse(table_, fmt::format("at most {} values in column {}", most_values, column), "more");
    return codes_.emplace(value, static_cast<std::uint16_t>(codes_.size())).first;
  }

  // The order given; Error where it lacks a value or names one twice.
  [[nodiscard]] std::vector<std::string> checked(const std::vector<std::string>& order) const {
    const std::string column = in_quotes(name_);
    std::set<std::string_view> known;
    for (const std::string& value : order)
      if (!known.insert(value).second)
        refuse(table_, fmt::format("an order of unique values for column {}", column),
               in_quotes(value) + " twice");
    std::set<std::string_view> strangers;  // sorted: the message does not depend on the order of rows
    for (const auto& [value, code] : codes_)
      if (!known.contains(value)) strangers.insert(value);
    if (!strangers.empty())
      refuse(table_, fmt::format("one of {} in column {}", fmt::join(order, ", "), column),
             in_quotes(*strangers.begin()));
    return order;
  }

  std::string name_;
  std::size_t column_;
  std::string_view table_;
  Codes codes_;
  std::vector<std::uint16_t> rows_;
};

void check_column(const Attribute& column, std::size_t n, std::string_view table) {
  if (column.codes.size() != n)
    refuse(table, fmt::format("{} rows in column {}", n, in_quotes(column.name)), column.codes.size());
  if (column.values.size() > most_values)
    refuse(table, fmt::format("at most {} values in column {}", most_values, in_quotes(column.name)),
           column.values.size());
  for (std::size_t i = 0; i < n; ++i)
    if (column.codes[i] >= column.values.size())
      refuse(table, fmt::format("codes below {} in column {}", column.values.size(), in_quotes(column.name)),
             fmt::format("{} at row {}", column.codes[i], i));
}

}  // namespace

std::vector<const Attribute*> AttributeTable::columns() const {
  std::vector<const Attribute*> all;
  if (has_label()) all.push_back(&label);
  for (const Attribute& attribute : attributes) all.push_back(&attribute);
  return all;
}

std::size_t AttributeTable::n() const {
  if (has_label() || attributes.empty()) return label.codes.size();
  return attributes.front().codes.size();
}

std::size_t AttributeTable::find(std::string_view attribute) const {
  for (std::size_t i = 0; i < attributes.size(); ++i)
    if (attributes[i].name == attribute) return i;
  refuse(name, "an attribute, one of " + names_of(attributes), in_quotes(attribute));
}

std::vector<std::string> in_value_order(std::vector<std::string> values) {
  std::vector<std::pair<double, std::string>> keyed;
  bool numeric = true;
  for (std::string& value : values) {
    const auto number = parse_number(value);
    numeric = numeric && number && !std::isnan(*number);
    keyed.emplace_back(numeric ? *number : 0, std::move(value));
  }
  if (!numeric)
    for (auto& [number, value] : keyed) number = 0;
  std::ranges::sort(keyed);
  std::vector<std::string> sorted;
  for (auto& [number, value] : keyed) sorted.push_back(std::move(value));
  return sorted;
}

AttributeTable take(const AttributeTable& table, std::span<const std::size_t> rows) {
  for (const std::size_t row : rows)
    if (row >= table.n()) refuse(table.name, fmt::format("rows below {}", table.n()), row);
  AttributeTable result{table.name, {}, {}, {}};
  if (table.has_label())
    result.label = {table.label.name, table.label.values, at_rows(table.label.codes, rows)};
  for (const Attribute& attribute : table.attributes)
    result.attributes.push_back({attribute.name, attribute.values, at_rows(attribute.codes, rows)});
  if (!table.identities.empty()) result.identities = at_rows(table.identities, rows);
  return result;
}

void align(AttributeTable& a, AttributeTable& b) {
  const auto align_column = [&](Attribute& x, Attribute& y) {
    if (x.name != y.name)
      refuse(b.name, fmt::format("column {}, as in {}", in_quotes(x.name), a.name), in_quotes(y.name));
    if (x.values == y.values) return;
    std::set<std::string> both(x.values.begin(), x.values.end());
    both.insert(y.values.begin(), y.values.end());
    const auto values = in_value_order({both.begin(), both.end()});
    if (values.size() > most_values)
      refuse(b.name, fmt::format("at most {} values in column {}", most_values, in_quotes(x.name)), "more");
    for (Attribute* column : {&x, &y}) put_values_in_order(column->values, column->codes, values);
  };
  if (a.attributes.size() != b.attributes.size())
    refuse(b.name, fmt::format("{} attributes, as in {}", a.attributes.size(), a.name), b.attributes.size());
  if (a.has_label() != b.has_label())
    refuse(b.name, fmt::format("{} label, as in {}", a.has_label() ? "a" : "no", a.name),
           b.has_label() ? "one" : "none");
  if (a.has_label()) align_column(a.label, b.label);
  for (std::size_t i = 0; i < a.attributes.size(); ++i) align_column(a.attributes[i], b.attributes[i]);
}

void check(const AttributeTable& table) {
  if (table.columns().empty()) refuse(table.name, "a label or an attribute", "neither");
  if (table.n() == 0) refuse(table.name, "at least 1 row", "none");
  for (const Attribute* column : table.columns()) check_column(*column, table.n(), table.name);
  if (!table.identities.empty() && table.identities.size() != table.n())
    refuse(table.name, fmt::format("{} identities", table.n()), table.identities.size());
  if (table.label.values.size() == 1)
    refuse(table.name, fmt::format("at least two labels in column {}", in_quotes(table.label.name)),
           fmt::format("one: {}", in_quotes(table.label.values.front())));
}

void require_label(const AttributeTable& table) {
  if (!table.has_label()) refuse(table.name, "a column of labels", "none");
}

AttributeTable parse_attribute_table(std::string_view text, std::string_view name,
                                     const TableColumns& columns) {
  CsvRecords records(text, name, {.separator = find_separator(text, name)});
  std::vector<Coder> coders;
  std::set<std::string_view> names;
  const auto add_column = [&](const std::string& column) {
    if (!names.insert(column).second)
      refuse(name, "different columns for label and attributes", in_quotes(column) + " twice");
    coders.emplace_back(column, records.column(column), name);
  };
  const bool labelled = !columns.label.empty();
  if (labelled) add_column(columns.label);
  for (const std::string& attribute : columns.attributes) add_column(attribute);
  for (const auto& [column, order] : columns.orders)
    if (!names.contains(column)) refuse(name, "an order for the label or an attribute", in_quotes(column));
  std::optional<std::size_t> id;
  if (columns.id) id = records.column(*columns.id);

  AttributeTable table;
  table.name = name;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));  // about the number of rows
  table.identities.reserve(lines);
  for (Coder& coder : coders) coder.reserve(lines);
  while (records.next()) {
    const auto fields = records.fields();
    const std::string_view identity = id ? fields[*id] : records.record();
    table.identities.push_back(XXH3_64bits(identity.data(), identity.size()));
    for (Coder& coder : coders) coder.add(fields[coder.column()]);
  }
  const auto finish = [&](Coder& coder, const std::string& column) {
    const auto order = columns.orders.find(column);
    return coder.finish(order == columns.orders.end() ? nullptr : &order->second);
  };
  if (table.identities.empty()) refuse(name, "at least 1 row", "none");
  if (labelled) table.label = finish(coders.front(), columns.label);
  for (std::size_t i = 0; i < columns.attributes.size(); ++i)
    table.attributes.push_back(finish(coders[i + labelled], columns.attributes[i]));
  check(table);
  return table;
}

AttributeTable read_attribute_table(const std::filesystem::path& path, const TableColumns& columns) {
  const std::string name = display_name(path);
  return parse_attribute_table(csv_file(map_file(path), name, columns.encoding).text(), name, columns);
}

Cells::Cells(const AttributeTable& table) {
  for (const Attribute* column : table.columns()) {
    shape_.push_back(column->values.size());
    names_.push_back(column->name);
    values_.push_back(column->values);
    size_ *= column->values.size();
    if (size_ > most_cells)
      refuse(table.name, fmt::format("at most {} cells (labels times values of the attributes)", most_cells),
             "more");
  }
}

std::vector<std::size_t> Cells::codes(std::size_t cell) const {
  std::vector<std::size_t> result(shape_.size());
  for (std::size_t i = shape_.size(); i-- > 0; cell /= shape_[i]) result[i] = cell % shape_[i];
  return result;
}

std::string Cells::text(std::size_t cell) const {
  const auto code = codes(cell);
  std::string text;
  for (std::size_t i = 0; i < code.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", printable(names_[i]), printable(values_[i][code[i]]));
  return text;
}

std::vector<std::uint32_t> Cells::of_rows(const AttributeTable& table) const {
  std::vector<std::uint32_t> cells(table.n());
  for (const Attribute* column : table.columns()) {
    const auto width = static_cast<std::uint32_t>(column->values.size());
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = cells[i] * width + column->codes[i];
  }
  return cells;
}

std::vector<std::size_t> Cells::counts(const AttributeTable& table) const {
  std::vector<std::size_t> counts(size_);
  for (const std::uint32_t cell : of_rows(table)) ++counts[cell];
  return counts;
}

}  // namespace leeway
