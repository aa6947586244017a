// Categorical attributes of the samples, from an array of an outputs file.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/io/attribute_table.h"
#include "leeway/io/outputs.h"

namespace leeway {

// `groups` (n) or (n,g), numbers or text; `names`, if not null, g texts. `where` opens messages.
[[nodiscard]] std::vector<GroupColumn> group_columns(const Array& groups, const Array* names, std::size_t n,
                                                     std::string_view where);

// The columns of the array `groups`, named by `group_names` where it is there; none without `groups`.
[[nodiscard]] std::vector<GroupColumn> group_columns(const ArrayMap& arrays, std::size_t n,
                                                     std::string_view where);

// The same column of several sets, one after the other. Their names are equal.
[[nodiscard]] GroupColumn join_columns(const std::vector<const GroupColumn*>& columns);

// Columns of numbers, such as age or income, as bins: one rule for group columns and attributes of tables.
//
// A column of numbers has more than `most_categories` different values, or more than `most_fractions` of which
// one is not whole, in the first set (the source), and nothing but numbers in every set, except words for
// missing values (is_missing, column_words.h). Bins lie between the quartiles of the first set's rows, equal
// ones counted once: "up to 34", "above 34 to 52", "above 52", "missing". Errors: none. Cost: a sort of the
// first set's rows.

inline constexpr std::size_t most_categories = 30, most_fractions = 10, number_bins = 4;

// Puts one column of several sets, the source's first, in bins. Returns the number of every row by set, NaN
// where it is missing; nothing, and no change, unless it is a column of numbers.
std::vector<std::vector<double>> put_in_bins(std::span<GroupColumn* const> sets);

// Every column, by the quartiles of its own rows, or of `rows` where there are any.
void put_in_bins(std::vector<GroupColumn>& groups, std::span<const std::size_t> rows = {});

// The attributes of two tables, which have the same ones in the same order, or of one.
void put_in_bins(AttributeTable& source, AttributeTable* target);

}  // namespace leeway
