// Lines of a list and columns of a table while a data set is read.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/data/load.h"
#include "leeway/io/attribute_table.h"

namespace leeway::data {

// The next line without its end; nothing at the end of the text.
[[nodiscard]] inline std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && !blank(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Calls `each` with the words of every line that has some. Error: a line of another number of words; `what` they are.
template <class Each>
void for_each_line(std::string_view text, std::string_view name, std::size_t count, std::string_view what,
                   const Each& each) {
  for (std::size_t row = 0; const auto line = next_line(text); ++row) {
    const auto words = words_of(*line);
    if (words.empty()) continue;
    if (words.size() != count)
      refuse(name, fmt::format("{} in each line", what),
             fmt::format("{} words at row {}", words.size(), row));
    each(words, row);
  }
}

// Values that a format names, by number; Error for a number beyond them.
class NumberedColumn {
 public:
  NumberedColumn(std::string name, std::vector<std::string> values)
      : column_{std::move(name), std::move(values), {}} {}

  void add(std::int64_t code, std::string_view file) {
    if (code < 0 || code >= static_cast<std::int64_t>(column_.values.size()))
      refuse(file, fmt::format("{} from 0 to {}", column_.name, column_.values.size() - 1),
             fmt::format("{} at row {}", code, column_.codes.size()));
    column_.codes.push_back(static_cast<std::uint32_t>(code));
  }
  [[nodiscard]] LoadedColumn finish() { return std::move(column_); }

 private:
  LoadedColumn column_;
};

// Values as they appear, put into the order that tables have (attribute_table.h) at the end.
class TextColumn {
 public:
  explicit TextColumn(std::string name) : column_{std::move(name), {}, {}} {}

  void add(std::string_view value) {
    const auto number = static_cast<std::uint32_t>(numbers_.size());
    const auto [found, added] = numbers_.try_emplace(std::string(value), number);
    if (added) column_.values.emplace_back(value);
    column_.codes.push_back(found->second);
  }
  [[nodiscard]] LoadedColumn finish() {
    put_values_in_order(column_.values, column_.codes, in_value_order(column_.values));
    return std::move(column_);
  }

 private:
  LoadedColumn column_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Adds a row with a value of its own: the path of a picture in its folder or list.
inline void add_file(LoadedColumn& image, std::string_view file) {
  image.codes.push_back(static_cast<std::uint32_t>(image.values.size()));
  image.values.push_back(printable(file, 1000));
}

// "0", "1", ..., or from `first` on in steps.
[[nodiscard]] inline std::vector<std::string> numbers(std::size_t count, std::size_t first = 0,
                                                      std::size_t step = 1) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(first + step * i));
  return texts;
}

[[nodiscard]] inline const std::vector<std::string>& cifar10_classes() {
  static const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                 "dog",      "frog",       "horse", "ship", "truck"};
  return names;
}

}  // namespace leeway::data
