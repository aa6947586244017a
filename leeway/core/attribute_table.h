// A table of samples with a label and attributes: what concurrent distribution shifts are made of. It may lack the label:
// then it can be described, but nothing can be drawn from it.
//
// Every column is categorical and kept as codes into its values. The order of the values matters (the last
// is the one that gets rare or unseen), and never depends on the order of rows: it is the one given, else
// that of the numbers where all values are numbers, else that of the bytes.
//
// Every row has an identity, so that a draw (conds.h) does not depend on the order of rows: a digest of its
// record's text, of a column of ids where one is named, or nothing for tables made in memory without ids.
// Rows of one identity are told apart by their order alone.
//
// Errors (Error: file, expected, found, line or row): those of csv.h; a column that is missing, named twice
// or empty at some row; a label column of fewer than two labels; no column at all; more than 65,535 values; values outside a given order; no
// rows. Memory: 2 bytes a row for each column, 8 for the identity; the text itself is mapped, not copied.
// Cost: one pass, some 5 ns a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  // The label where there is one, then the attributes.
  [[nodiscard]] std::vector<const Attribute*> columns() const;
  [[nodiscard]] std::size_t n() const;
  // Position of an attribute; Error that lists the names there are.
  [[nodiscard]] std::size_t find(std::string_view attribute) const;
};

struct TableColumns {
  std::string label;  // empty: the table has none
  std::vector<std::string> attributes;
  std::map<std::string, std::vector<std::string>> orders;  // column -> all its values in order
  std::optional<std::string> id;                           // the column that tells rows apart
};

[[nodiscard]] AttributeTable read_attribute_table(const std::filesystem::path& path,
                                                  const TableColumns& columns);
[[nodiscard]] AttributeTable parse_attribute_table(std::string_view text, std::string_view name,
                                                   const TableColumns& columns);

// Values in the order that a table gives them where none is asked for.
[[nodiscard]] std::vector<std::string> in_value_order(std::vector<std::string> values);

// The rows named, in that order; all values stay.
[[nodiscard]] AttributeTable take(const AttributeTable& table, std::span<const std::size_t> rows);

// Gives two tables of the same columns the same values: those of either, in value order where they differ.
// Error where the columns differ.
void align(AttributeTable& a, AttributeTable& b);

// Error unless the codes are indices into the values, the lengths agree, and there are rows, a column and, of a label, two
// values.
void check(const AttributeTable& table);
// Error where there is no label.
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
