#include "leeway/core/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"

namespace leeway {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view name) : text_(text), name_(name) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  CsvTable parse() {
    CsvTable table = read_header();
    std::size_t column = 0;
    while (!only_line_ends_left()) {
      if (column == table.columns.size()) refuse_row(table, "more");
      table.columns[column++].push_back(field());
      if (at_separator_) continue;
      if (column != table.columns.size()) refuse_row(table, fmt::format("{}", column));
      column = 0;
      ++line_;
    }
    if (at_separator_) {  // the file ends after a comma: one more field, empty
      if (column + 1 != table.columns.size()) refuse_row(table, fmt::format("{}", column + 1));
      table.columns[column].emplace_back();
    }
    return table;
  }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    refuse(name_, expected, fmt::format("{} in line {}", found, line_));
  }

  [[noreturn]] void refuse_row(const CsvTable& table, std::string_view found) const {
    fail(fmt::format("{} fields, as in the header", table.header.size()), found);
  }

  CsvTable read_header() {
    if (only_line_ends_left()) refuse(name_, "a header line and rows", "an empty file");
    CsvTable table;
    std::set<std::string> names;
    bool all_numbers = true;
    do {
      std::string name(trimmed(field()));
      all_numbers = all_numbers && parse_number(name).has_value();
      if (!names.insert(name).second) refuse(name_, "columns of different names", in_quotes(name) + " twice");
      table.header.push_back(std::move(name));
    } while (at_separator_);
    if (all_numbers) refuse(name_, "a header line", "a first line of numbers");
    table.columns.resize(table.header.size());
    ++line_;
    return table;
  }

  // Empty lines are allowed at the end of the file, after a whole row.
  [[nodiscard]] bool only_line_ends_left() const {
    if (position_ == text_.size()) return true;
    return !at_separator_ && text_[position_] != '"' &&
           text_.find_first_not_of("\r\n", position_) == std::string_view::npos;
  }

  // One field and the comma or line end after it.
  std::string field() {
    std::string value;
    if (position_ < text_.size() && text_[position_] == '"') {
      value = quoted_field();
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\r\n\"", position_), text_.size());
      value = text_.substr(position_, end - position_);
      position_ = end;
      if (end < text_.size() && text_[end] == '"')
        fail("a quote only around a whole field", "one inside a field");
    }
    at_separator_ = position_ < text_.size() && text_[position_] == ',';
    if (position_ == text_.size() || at_separator_) {
      position_ += at_separator_ ? 1 : 0;
    } else if (text_.substr(position_).starts_with("\r\n")) {
      position_ += 2;
    } else if (text_[position_] == '\n') {
      ++position_;
    } else {
      fail("a comma or the end of the line after a field", in_quotes(text_.substr(position_, 1)));
    }
    return value;
  }

  std::string quoted_field() {
    std::string value;
    const std::size_t start = line_;
    for (++position_;; ++position_) {
      const std::size_t quote = text_.find('"', position_);
      if (quote == std::string_view::npos)
        refuse(name_, "a closing quote", fmt::format("none for the one in line {}", start));
      value += text_.substr(position_, quote - position_);
      position_ = quote + 1;
      if (!text_.substr(position_).starts_with('"')) break;
      value += '"';
    }
    line_ += static_cast<std::size_t>(std::ranges::count(value, '\n'));
    return value;
  }

  std::string_view text_, name_;
  std::size_t position_ = 0, line_ = 1;
  bool at_separator_ = false;  // the last field was followed by a comma
};

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

std::optional<double> parse_number(std::string_view field) {
  std::string_view text = trimmed(field);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
               ? std::optional(0.0)
               : std::nullopt;
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

CsvTable parse_csv(std::string_view text, std::string_view name) {
  if (text.find('\0') != std::string_view::npos || !is_utf8(text)) refuse(name, "UTF-8 text", "other bytes");
  return CsvParser(text, name).parse();
}

CsvTable read_csv(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return parse_csv({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()}, display_name(path));
}

std::vector<double> csv_numbers(const CsvTable& table, std::size_t column, std::string_view name) {
  const auto& fields = table.columns.at(column);
  std::vector<double> values(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto value = parse_number(fields[i]);
    if (!value)
      refuse(name, fmt::format("numbers in column {}", in_quotes(table.header[column])),
             fmt::format("{} at row {}", in_quotes(fields[i]), i));
    values[i] = *value;
  }
  return values;
}

std::string csv_field(std::string_view text) {
  // A byte-order mark at the start of a file would be skipped when it is read again.
  const bool marked = text.starts_with("\xEF\xBB\xBF");
  if (!marked && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace leeway
