#include "leeway/describe/number_list.h"

#include <algorithm>
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
  const bool steps = text.find(':') != std::string::npos;
  std::vector<double> numbers;
  for (const std::string& part : split(text, steps ? ':' : ',')) {
    const auto value = parse_number_or_percent(part);
    if (!value || !(*value >= range.least && *value <= range.most)) return std::nullopt;
    numbers.push_back(*value);
  }
  if (numbers.size() > most_numbers) return std::nullopt;
  if (!steps) return numbers;
  if (numbers.size() != 3 || numbers[1] < numbers[0] || !(numbers[2] >= 1e-4)) return std::nullopt;
  if (!((numbers[1] - numbers[0]) / numbers[2] < static_cast<double>(most_numbers))) return std::nullopt;
  std::vector<double> values;
  for (int i = 0; numbers[0] + i * numbers[2] <= numbers[1] + 1e-9; ++i)
    values.push_back(std::min(range.most, numbers[0] + i * numbers[2]));
  return values;
}

}  // namespace leeway
