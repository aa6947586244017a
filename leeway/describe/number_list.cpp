#include "leeway/describe/number_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "leeway/io/csv.h"

namespace leeway {

std::vector<std::string> split(const std::string& text, char at) {
  if (text.empty()) return {""};
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

std::optional<std::vector<double>> parse_numbers(const std::string& text, const Range& range) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) {
    std::vector<double> numbers;
    for (const std::string& word : split(part, ':')) {
      const auto value = parse_number_or_percent(word);
      if (!value || !(*value >= range.least && *value <= range.most)) return std::nullopt;
      numbers.push_back(*value);
    }
    if (numbers.size() == 1) numbers = {numbers[0], numbers[0], 1};
    if (numbers.size() != 3 || numbers[1] < numbers[0] || !(numbers[2] >= 1e-4)) return std::nullopt;
    const double room = static_cast<double>(most_numbers) - static_cast<double>(values.size());
    if (!((numbers[1] - numbers[0]) / numbers[2] < room)) return std::nullopt;
    for (int i = 0; numbers[0] + i * numbers[2] <= numbers[1] + 1e-9; ++i) {
      // Rounded to 12 digits: 0.3 instead of 0.30000000000000004
      const std::string digits = fmt::format("{:.12g}", numbers[0] + i * numbers[2]);
      values.push_back(i == 0 ? numbers[0] : std::min(range.most, std::strtod(digits.c_str(), nullptr)));
    }
  }
  return values;
}

}  // namespace leeway
