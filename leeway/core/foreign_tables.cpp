#include "leeway/core/foreign_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leeway/core/column_words.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway {
namespace {

// Reduces "1:no" to "no" and stores the name under its number.
void take_name(std::string_view& field, std::map<std::string, std::string>& names) {
  const std::size_t colon = field.find(':');
  if (colon == field.npos || !parse_number(field.substr(0, colon))) return;
  const std::string number(field.substr(0, colon));
  field.remove_prefix(colon + 1);
  if (field == "?")
    field = {};
  else
    names[number] = field;
}

}  // namespace

void read_weka_columns(CsvTable& table, std::string_view name) {
  const auto first = table.find("distribution"), actual = table.find("actual"),
             predicted = table.find("predicted");
  if (!actual || !predicted) return;
  if (!first && table.find("inst#") && table.find("prediction"))
    refuse(name, "a column distribution (Weka writes it with -distribution)",
           "scores of predicted classes only");
  if (!first) return;
  std::size_t end = *first + 1;
  while (end < table.header.size() && table.header[end].empty()) ++end;
  if (end - *first < 2) return;
  std::map<std::string, std::string> names;
  for (const std::size_t column : {*predicted, *actual})
    for (std::string_view& field : table.columns[column]) take_name(field, names);
  for (std::size_t j = *first; j < end; ++j) {
    const auto known = names.find(std::to_string(j - *first + 1));
    table.header[j] =
        "prob_" + (known == names.end() ? fmt::format("class{}", j - *first + 1) : known->second);
    for (std::string_view& field : table.columns[j])
      if (field.starts_with('*')) field.remove_prefix(1);
  }
}

bool is_confidence(std::string_view column) {
  constexpr std::string_view words[] = {"confidence", "conf",    "maxprob",  "probmax", "maxprobability",
                                        "msp",        "topprob", "predconf", "maxconf", "confidencescore"};
  return std::ranges::find(words, bare_word(column)) != std::end(words);
}

bool is_row_name(std::string_view column) {
  return column.empty() || column == "rownames" || column == "Unnamed: 0";
}

std::vector<std::size_t> numbers_after_word(std::span<const std::string> names) {
  const std::size_t digit = names.front().find_first_of("0123456789");
  if (digit == 0 || digit == std::string::npos) return {};
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const bool shared = name.starts_with(names.front().substr(0, digit));
    const auto number = shared ? whole_number(std::string_view(name).substr(digit)) : std::nullopt;
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

bool counts_up(std::span<const std::size_t> numbers) {
  const std::set<std::size_t> sorted(numbers.begin(), numbers.end());
  return numbers.size() > 1 && sorted.size() == numbers.size() && *sorted.begin() <= 1 &&
         *sorted.rbegin() - *sorted.begin() + 1 == sorted.size();
}

}  // namespace leeway
