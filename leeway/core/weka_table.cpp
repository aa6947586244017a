#include "leeway/core/weka_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace leeway {
namespace {

// "1:no" as "no", whose number goes to `names`.
void take_name(std::string& field, std::map<std::string, std::string>& names) {
  const std::size_t colon = field.find(':');
  if (colon == std::string::npos || !parse_number(field.substr(0, colon))) return;
  const std::string number = field.substr(0, colon);
  field.erase(0, colon + 1);
  if (field == "?")
    field.clear();
  else
    names[number] = field;
}

}  // namespace

void read_weka_columns(CsvTable& table) {
  const auto first = table.find("distribution"), actual = table.find("actual"),
             predicted = table.find("predicted");
  if (!first || !actual || !predicted) return;
  std::size_t end = *first + 1;
  while (end < table.header.size() && table.header[end].empty()) ++end;
  if (end - *first < 2) return;
  std::map<std::string, std::string> names;
  for (const std::size_t column : {*predicted, *actual})
    for (std::string& field : table.columns[column]) take_name(field, names);
  for (std::size_t j = *first; j < end; ++j) {
    const auto name = names.find(std::to_string(j - *first + 1));
    table.header[j] = "prob_" + (name == names.end() ? fmt::format("class{}", j - *first + 1) : name->second);
    for (std::string& field : table.columns[j])
      if (field.starts_with('*')) field.erase(0, 1);
  }
}

}  // namespace leeway
