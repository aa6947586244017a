// A table of samples with categorical attributes and, optionally, a label. ConDS are drawn from such tables;
// without a label, a table can only be described.
//
// Columns are codes into their values. The order of the values matters: the last value is the one that
// becomes rare or unseen. The order is the given one, else numeric if all values are numbers, else bytewise;
// it never depends on the order of rows. Row identities make a draw (conds.h) independent of the order of
// rows: a digest of the id column if one is named, else of the record's text. Tables made in memory may have
// none. Only their order distinguishes rows of equal identity.
//
// Errors (Error: file, expected, found, line or row): those of csv.h; a column that is missing, named twice
// or empty at some row; fewer than two labels; no column; more than 65,535 values; values outside a given
// order; no rows. Memory: 2 bytes per row and column, 8 per identity; the text is mapped. Cost: one pass,
// about 5 ns per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/core/utf8.h"

namespace leeway {

struct Attribute {
  std::string name;
  std::vector<std::string> values;   // in order
  std::vector<std::uint16_t> codes;  // (n) indices into values
};

struct AttributeTable {
  std::string name;  // opens error messages
  Attribute label;   // without values: there is none
  std::vector<Attribute> attributes;
  std::vector<std::uint64_t> identities;  // (n), or none

  [[nodiscard]] bool has_label() const { return !label.values.empty(); }
  // The label, if any, then the attributes.
  [[nodiscard]] std::vector<const Attribute*> columns() const;
  [[nodiscard]] std::size_t n() const;
  // Position of an attribute; Error with the known names.
  [[nodiscard]] std::size_t find(std::string_view attribute) const;
};

struct TableColumns {
  std::string label;  // empty: the table has none
  std::vector<std::string> attributes;
  std::map<std::string, std::vector<std::string>> orders;  // column -> all its values in order
  std::optional<std::string> id;                           // the column that tells rows apart
  Encoding encoding = Encoding::utf8;                      // of files
};

[[nodiscard]] AttributeTable read_attribute_table(const std::filesystem::path& path,
                                                  const TableColumns& columns);
[[nodiscard]] AttributeTable parse_attribute_table(std::string_view text, std::string_view name,
                                                   const TableColumns& columns);

// Values in the order that a table gives them where none is asked for.
[[nodiscard]] std::vector<std::string> in_value_order(std::vector<std::string> values);

// Puts the values of a column in the order of `order`, which has the same values, and renumbers the codes.
template <class Code>
void put_values_in_order(std::vector<std::string>& values, std::vector<Code>& codes,
                         std::vector<std::string> order) {
  std::unordered_map<std::string_view, Code> places;
  for (const std::string& value : order) places.emplace(value, static_cast<Code>(places.size()));
  std::vector<Code> place;
  for (const std::string& value : values) place.push_back(places.at(value));
  for (Code& code : codes) code = place[static_cast<std::size_t>(code)];
  values = std::move(order);
}

// The rows named, in that order; all values stay.
[[nodiscard]] AttributeTable take(const AttributeTable& table, std::span<const std::size_t> rows);

// Gives both tables the union of their values, in value order if they differ. Error for different columns.
void align(AttributeTable& a, AttributeTable& b);

// Error for invalid codes, unequal lengths, no rows, no column, or a label with fewer than two values.
void check(const AttributeTable& table);
void require_label(const AttributeTable& table);

// Cells: label (where there is one) x attributes, the first slowest, the last attribute fastest.
class Cells {
 public:
  // Error where there would be more than a million.
  explicit Cells(const AttributeTable& table);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }  // values of every column
  [[nodiscard]] std::vector<std::size_t> codes(std::size_t cell) const;           // of every column
  [[nodiscard]] std::string text(std::size_t cell) const;                         // "shape=heart, color=red"
  // The cell of every row, and the rows of every cell.
  [[nodiscard]] std::vector<std::uint32_t> of_rows(const AttributeTable& table) const;
  [[nodiscard]] std::vector<std::size_t> counts(const AttributeTable& table) const;

 private:
  std::vector<std::size_t> shape_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> values_;
  std::size_t size_ = 1;
};

}  // namespace leeway
