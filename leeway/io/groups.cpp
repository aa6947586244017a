#include "leeway/io/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"

namespace leeway {
namespace {

// Value(i) is row i of the column; equal values share a level.
template <class Value>
GroupColumn make_column(std::size_t n, const Value& value) {
  GroupColumn column;
  column.codes.reserve(n);
  std::unordered_map<std::decay_t<decltype(value(0))>, std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [entry, is_new] = codes.try_emplace(value(i), static_cast<std::int32_t>(codes.size()));
    if (is_new) column.levels.push_back(fmt::format("{}", entry->first));
    column.codes.push_back(entry->second);
  }
  put_values_in_order(column.levels, column.codes, in_value_order(column.levels));
  return column;
}

using Numbers = std::vector<double>;

std::vector<std::string>& levels_of(GroupColumn& column) { return column.levels; }
std::vector<std::string>& levels_of(Attribute& column) { return column.values; }

// By level, NaN where it is missing; nothing where a level is no number.
std::optional<Numbers> level_numbers(const std::vector<std::string>& levels) {
  Numbers numbers;
  for (const std::string& level : levels) {
    const auto number =
        is_missing(level) ? std::optional(std::numeric_limits<double>::quiet_NaN()) : parse_number(level);
    if (!number || std::isinf(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool is_many(const Numbers& levels) {
  std::size_t known = 0;
  bool fractions = false;
  for (const double number : levels)
    if (!std::isnan(number)) ++known, fractions |= number != std::floor(number);
  return known > (fractions ? most_fractions : most_categories);
}

struct Bins {
  Numbers edges;                   // the highest number of each bin but the last
  std::vector<std::string> names;  // the last: of missing numbers
};

Bins bins_of(Numbers rows) {
  std::erase_if(rows, [](double number) { return std::isnan(number); });
  std::ranges::sort(rows);
  Bins bins;
  for (std::size_t j = 1; j < number_bins && !rows.empty(); ++j) {
    const double edge = rows[(j * rows.size() - 1) / number_bins];
    if (edge < rows.back() && (bins.edges.empty() || edge > bins.edges.back())) bins.edges.push_back(edge);
  }
  const Numbers& edges = bins.edges;
  for (std::size_t j = 0; j < edges.size(); ++j)
    bins.names.push_back(j == 0 ? fmt::format("up to {}", edges[0])
                                : fmt::format("above {} to {}", edges[j - 1], edges[j]));
  bins.names.push_back(edges.empty() ? "all" : fmt::format("above {}", edges.back()));
  bins.names.emplace_back("missing");
  return bins;
}

template <class Column>
std::vector<Numbers> put_sets_in_bins(std::span<Column* const> sets) {
  if (sets.empty() || levels_of(*sets.front()).size() <= most_fractions) return {};
  std::vector<Numbers> levels, rows;
  for (Column* const set : sets) {
    auto numbers = level_numbers(levels_of(*set));
    if (!numbers) return {};
    levels.push_back(*std::move(numbers));
  }
  if (!is_many(levels.front())) return {};
  bool missing = false;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    Numbers& own = rows.emplace_back();
    for (const auto code : sets[s]->codes) own.push_back(levels[s][static_cast<std::size_t>(code)]);
    missing |= std::ranges::any_of(own, [](double number) { return std::isnan(number); });
  }
  Bins bins = bins_of(rows.front());
  const std::size_t last = bins.names.size() - 1;
  if (!missing) bins.names.pop_back();
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (std::size_t i = 0; i < rows[s].size(); ++i) {
      const auto bin = std::ranges::lower_bound(bins.edges, rows[s][i]) - bins.edges.begin();
      using Code = std::remove_cvref_t<decltype(sets[s]->codes[i])>;
      sets[s]->codes[i] = static_cast<Code>(std::isnan(rows[s][i]) ? last : static_cast<std::size_t>(bin));
    }
    levels_of(*sets[s]) = bins.names;
  }
  return rows;
}

}  // namespace

std::vector<GroupColumn> group_columns(const Array& groups, const Array* names, std::size_t n,
                                       std::string_view where) {
  const auto& shape = groups.shape;
  if (shape.empty() || shape.size() > 2 || shape[0] != n)
    refuse(where, fmt::format("shape ({0}) or ({0}, g)", n), "shape " + groups.shape_text());
  const std::size_t g = shape.size() == 2 ? shape[1] : 1;
  if (g > 1000) refuse(where, "at most 1000 columns", fmt::format("{}", g));
  if (names != nullptr && (names->type != ElementType::text || names->size() != g))
    refuse(where, fmt::format("{} strings in group_names", g),
           fmt::format("shape {} of {}", names->shape_text(), name_of(names->type)));
  std::vector<GroupColumn> columns;
  const bool text = groups.type == ElementType::text, real = groups.is_float();
  const std::vector<std::int64_t> numbers =
      text || real ? std::vector<std::int64_t>{} : to_i64(groups, where);
  const std::vector<double> reals = real ? to_f64(groups, where) : std::vector<double>{};
  for (std::size_t j = 0; j < g; ++j) {
    const auto field = [&](std::size_t i) {
      const std::string_view value = (*groups.texts)[i * g + j];
      return value.empty() || value == "NaN" ? "nan" : value;
    };
    const auto is_whole = [&](std::size_t i) {
      return is_missing(field(i)) || whole_number(without_zeros(field(i)));
    };
    bool whole = text;
    for (std::size_t i = 0; i < n && whole; ++i) whole = is_whole(i);
    if (text)
      columns.push_back(make_column(n, [&](auto i) { return whole ? without_zeros(field(i)) : field(i); }));
    else if (real)  // as text: each NaN would be a level of its own
      columns.push_back(make_column(n, [&](std::size_t i) { return fmt::format("{}", reals[i * g + j]); }));
    else
      columns.push_back(make_column(n, [&](std::size_t i) { return numbers[i * g + j]; }));
    columns.back().name = names != nullptr ? (*names->texts)[j] : fmt::format("group {}", j);
  }
  return columns;
}

std::vector<GroupColumn> group_columns(const ArrayMap& arrays, std::size_t n, std::string_view where) {
  const auto groups = arrays.find("groups"), names = arrays.find("group_names");
  if (groups == arrays.end()) return {};
  return group_columns(groups->second, names == arrays.end() ? nullptr : &names->second, n, where);
}

GroupColumn join_columns(const std::vector<const GroupColumn*>& columns) {
  GroupColumn all;
  all.name = columns.front()->name;
  std::set<std::string> levels;
  for (const GroupColumn* column : columns) levels.insert(column->levels.begin(), column->levels.end());
  all.levels = in_value_order({levels.begin(), levels.end()});
  for (const GroupColumn* part : columns) {
    GroupColumn column = *part;
    put_values_in_order(column.levels, column.codes, all.levels);
    all.codes.insert(all.codes.end(), column.codes.begin(), column.codes.end());
  }
  return all;
}

std::vector<Numbers> put_in_bins(std::span<GroupColumn* const> sets) { return put_sets_in_bins(sets); }

void put_in_bins(std::vector<GroupColumn>& groups, std::span<const std::size_t> rows) {
  for (GroupColumn& column : groups) {
    GroupColumn first{column.name, column.levels, at_rows(column.codes, rows)};
    const std::array<GroupColumn*, 2> sets{&first, &column};
    put_sets_in_bins(std::span<GroupColumn* const>(sets).last(rows.empty() ? 1 : 2));
  }
}

void put_in_bins(AttributeTable& source, AttributeTable* target) {
  for (std::size_t j = 0; j < source.attributes.size(); ++j) {
    std::vector<Attribute*> sets{&source.attributes[j]};
    if (target != nullptr && j < target->attributes.size() &&
        target->attributes[j].name == sets.front()->name)
      sets.push_back(&target->attributes[j]);
    put_sets_in_bins(std::span<Attribute* const>(sets));
  }
}

}  // namespace leeway
