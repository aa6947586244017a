// Tables of attributes that tests make.
#pragma once

#include <string>
#include <vector>

#include "leeway/conds/conds.h"
#include "leeway/core/random.h"
#include "leeway/io/attribute_table.h"

namespace leeway::conds {

inline Attribute column_of_codes(const std::string& name, std::size_t values,
                                 std::vector<std::uint16_t> codes) {
  Attribute column{name, {}, std::move(codes)};
  for (std::size_t i = 0; i < values; ++i) column.values.push_back(std::to_string(i));
  return column;
}

// `copies` rows of every cell: `labels` labels and attributes a0, a1, ... with those numbers of values.
inline AttributeTable full_table(std::size_t labels, const std::vector<std::size_t>& values,
                                 std::size_t copies) {
  std::vector<Attribute> columns{column_of_codes("label", labels, {})};
  for (std::size_t i = 0; i < values.size(); ++i)
    columns.push_back(column_of_codes("a" + std::to_string(i), values[i], {}));
  std::size_t cells = 1;
  for (const Attribute& column : columns) cells *= column.values.size();
  for (std::size_t row = 0; row < cells * copies; ++row) {
    std::size_t rest = row % cells;
    for (std::size_t j = columns.size(); j-- > 0; rest /= columns[j].values.size())
      columns[j].codes.push_back(static_cast<std::uint16_t>(rest % columns[j].values.size()));
  }
  AttributeTable table{"table.csv", columns.front(), {columns.begin() + 1, columns.end()}, {}};
  for (std::size_t row = 0; row < table.n(); ++row) table.identities.push_back(row * 7919 + 1);
  return table;
}

inline AttributeTable full_table(const ConDSDataSet& set, std::size_t copies) {
  std::vector<std::size_t> sizes;
  for (const NamedColumn& attribute : set.attributes) sizes.push_back(attribute.values.size());
  AttributeTable table = full_table(set.label.values.size(), sizes, copies);
  const auto rename = [](Attribute& column, const NamedColumn& as) {
    column.name = as.name;
    column.values = {as.values.begin(), as.values.end()};
  };
  rename(table.label, set.label);
  for (std::size_t i = 0; i < 3; ++i) rename(table.attributes[i], set.attributes[i]);
  return table;
}

// The rows of `table` in another order; returns where each came from.
inline std::vector<std::size_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  shuffle(order, seed, stream("test order"));
  return order;
}

}  // namespace leeway::conds
