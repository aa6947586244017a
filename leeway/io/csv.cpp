#include "leeway/io/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/io/inflate.h"

namespace leeway {
namespace {

// 0, 1, 2, ..., at least three: the names that pandas gives to columns without names.
bool counts_up(const std::vector<std::string>& names) {
  if (names.size() < 3) return false;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (names[j] != std::to_string(j)) return false;
  return true;
}

// The first line that is not UTF-8 or contains NUL.
std::size_t line_of_other_bytes(std::string_view text) {
  std::size_t line = 1;
  for (std::size_t length = 0; (length = utf8_length(text)) > 0 && text[0] != '\0';
       text.remove_prefix(length))
    line += text[0] == '\n' ? 1 : 0;
  return line;
}

constexpr std::array<char, 3> separators{',', ';', '\t'};
constexpr std::size_t rows_looked_at = 20;

// The number of each separator in each of the first lines. A line does not end within quotes.
std::vector<std::array<std::size_t, 3>> count_separators(std::string_view text) {
  std::vector<std::array<std::size_t, 3>> lines;
  std::array<std::size_t, 3> counts{};
  bool quoted = false, empty = true;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      if (!empty) lines.push_back(counts);
      if (lines.size() > rows_looked_at) return lines;
      counts = {}, empty = true;
      continue;
    }
    empty = empty && c == '\r';
    for (std::size_t s = 0; s < separators.size(); ++s)
      if (c == separators[s] && !quoted) ++counts[s];
  }
  if (!empty) lines.push_back(counts);
  return lines;
}

}  // namespace

CsvRecords::CsvRecords(std::string_view text, std::string_view name, const CsvFormat& format)
    : text_(text), name_(name), format_(format) {
  for (const char c : {format_.separator, '\r', '\n', '"'}) ends_field_[static_cast<unsigned char>(c)] = true;
  if (text.find('\0') != std::string_view::npos || !is_utf8(text))
    refuse(name,
           fmt::format("UTF-8 text (commands that read outputs take --encoding {0}; iconv -f {0} -t utf-8 "
                       "converts the file)",
                       likely_encoding(text)),
           fmt::format("other bytes in line {}", line_of_other_bytes(text)));
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  read_header();
}

std::size_t CsvRecords::column(std::string_view wanted) const {
  const std::size_t place = place_of_column(header_, wanted, name_);
  if (std::ranges::count(header_, wanted) > 1)
    refuse(name_, "unique column names", in_quotes(wanted) + " twice");
  return place;
}

bool CsvRecords::next() {
  if (only_line_ends_left()) return false;
  begin_ = position_;
  std::size_t column = 0;
  do {
    if (column == header_.size()) refuse_row("more fields");
    const std::size_t begin = position_;
    fields_[column] = field(copies_[column]);
    raw_[column] = text_.substr(begin, end_ - begin);
    ++column;
    if (at_separator_ &&
        position_ == text_.size()) {  // the file ends after a separator: one more field, empty
      if (column + 1 != header_.size()) refuse_row(fmt::format("{}", column + 1));
      fields_[column] = {};
      raw_[column++] = text_.substr(position_);
      end_ = position_;
      at_separator_ = false;
    }
  } while (at_separator_);
  if (column != header_.size()) refuse_row(fmt::format("{}", column));
  ++line_;
  return true;
}

void CsvRecords::fail(std::string_view expected, std::string_view found) const {
  refuse(name_, expected, fmt::format("{} in line {}", found, line_));
}

void CsvRecords::refuse_row(std::string_view found) const {
  fail(fmt::format("{} fields, as in the header", header_.size()), found);
}

void CsvRecords::read_header() {
  if (only_line_ends_left()) refuse(name_, "a header line and rows", "an empty file");
  bool all_numbers = true;
  do {
    std::string copy;
    std::string column(trimmed(field(copy)));
    all_numbers = all_numbers && parse_number(column).has_value();
    header_.push_back(std::move(column));
  } while (at_separator_);
  if (all_numbers && !format_.any_header && !(format_.numbered_header && counts_up(header_)))
    refuse(name_, "a header line", "a first line of numbers");
  fields_.resize(header_.size());
  raw_.resize(header_.size());
  copies_.resize(header_.size());
  ++line_;
}

// Empty lines are allowed at the end of the file, after a whole row.
bool CsvRecords::only_line_ends_left() const {
  if (position_ == text_.size()) return true;
  return text_[position_] != '"' && text_.find_first_not_of("\r\n", position_) == std::string_view::npos;
}

// Reads a field and the separator or line end after it; `copy` holds a field with doubled quotes.
std::string_view CsvRecords::field(std::string& copy) {
  std::string_view value;
  if (position_ < text_.size() && text_[position_] == '"') {
    value = quoted_field(copy);
  } else {
    const std::size_t begin = position_;
    while (position_ < text_.size() && !ends_field_[static_cast<unsigned char>(text_[position_])])
      ++position_;
    value = text_.substr(begin, position_ - begin);
    if (position_ < text_.size() && text_[position_] == '"')
      fail("quotes around whole fields only", "a quote inside a field");
  }
  end_ = position_;
  at_separator_ = position_ < text_.size() && text_[position_] == format_.separator;
  if (position_ == text_.size() || at_separator_) {
    position_ += at_separator_ ? 1 : 0;
  } else if (text_.substr(position_).starts_with("\r\n")) {
    position_ += 2;
  } else if (text_[position_] == '\n') {
    ++position_;
  } else {
    fail(fmt::format("a {} or the end of the line after a field", separator_name(format_.separator)),
         in_quotes(text_.substr(position_, 1)));
  }
  return value;
}

std::string_view CsvRecords::quoted_field(std::string& copy) {
  const std::size_t start = line_, begin = position_ + 1;
  bool doubled = false;
  copy.clear();
  for (++position_;; ++position_) {
    const std::size_t quote = text_.find('"', position_);
    if (quote == std::string_view::npos)
      refuse(name_, "a closing quote", fmt::format("none for the quote in line {}", start));
    const bool more = text_.substr(quote + 1).starts_with('"');
    if (more || doubled) copy += text_.substr(position_, quote - position_);
    position_ = quote + 1;
    if (!more) break;
    copy += '"';
    doubled = true;
  }
  const std::string_view value = doubled ? copy : text_.substr(begin, position_ - 1 - begin);
  line_ += static_cast<std::size_t>(std::ranges::count(value, '\n'));
  return value;
}

char find_separator(std::string_view text, std::string_view name) {
  const auto lines = count_separators(text);
  if (lines.empty()) return ',';
  std::vector<char> even, in_header;
  for (std::size_t s = 0; s < separators.size(); ++s) {
    const std::size_t fields = lines.front()[s];
    if (fields == 0) continue;
    in_header.push_back(separators[s]);
    bool same = true;
    for (const auto& counts : lines) same = same && counts[s] == fields;
    if (same) even.push_back(separators[s]);
  }
  if (in_header.size() == 1) return in_header.front();
  if (even.size() > 1)
    refuse(name, "one column separator (select it with --separator)",
           fmt::format("a {} and a {}, each equally often in the header and the rows",
                       separator_name(even[0]), separator_name(even[1])));
  return even.empty() ? ',' : even.front();
}

std::size_t place_of_column(std::span<const std::string> header, std::string_view wanted,
                            std::string_view name, std::string_view option) {
  const auto found = std::ranges::find(header, wanted);
  if (found == header.end())
    refuse(
        name,
        fmt::format("a column {}{}", in_quotes(wanted), option.empty() ? "" : fmt::format(" ({})", option)),
        header.empty() ? "none" : "columns " + comma_list(header, 200) + did_you_mean(wanted, header));
  return static_cast<std::size_t>(found - header.begin());
}

std::string_view separator_name(char separator) {
  return separator == '\t' ? "tab" : separator == ';' ? "semicolon" : "comma";
}

std::optional<std::size_t> CsvTable::find(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

std::string_view trimmed(std::string_view field) {
  const auto begin = field.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return field.substr(begin, field.find_last_not_of(" \t") - begin + 1);
}

std::optional<double> parse_number(std::string_view field) {
  std::string_view text = trimmed(field);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc{}) return value;
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);  // whose decimal mark is a point
  value = strtod_l(std::string(text).c_str(), nullptr, plain);         // 0 or an infinity
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_number_or_percent(std::string_view field) {
  const std::string_view text = trimmed(field);
  if (!text.ends_with('%')) return parse_number(text);
  const std::string_view share = trimmed(text.substr(0, text.size() - 1));
  const bool plain = share.find_first_not_of("+-.0123456789") == share.npos;
  return plain ? parse_number(std::string(share) + "e-2") : std::nullopt;
}

std::optional<double> parse_fraction(std::string_view field) {
  const auto slash = field.find('/');
  const auto top = parse_number(field.substr(0, slash));
  const auto bottom = slash == field.npos ? std::optional(1.) : parse_number(field.substr(slash + 1));
  if (!top || !bottom || !std::isfinite(*bottom) || !std::isfinite(*top / *bottom)) return std::nullopt;
  return *top / *bottom;
}

CsvTable parse_csv(std::string_view text, std::string_view name, const CsvFormat& format) {
  CsvRecords records(text, name, format);
  CsvTable table;
  table.header = records.header();
  table.columns.resize(table.header.size());
  table.unquoted = std::make_shared<std::deque<std::string>>();
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));  // rows, or more
  for (auto& column : table.columns) column.reserve(std::min(lines, text.size() / table.columns.size()));
  while (records.next())
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const std::string_view field = records.fields()[j], raw = records.raw(j);
      const bool copied = raw.size() > field.size() + 2;  // without doubled quotes
      table.columns[j].push_back(copied ? table.unquoted->emplace_back(field) : field);
    }
  return table;
}

MappedFile csv_file(const MappedFile& file, std::string_view name, Encoding encoding) {
  MappedFile plain = unpack_gzip(file, name);
  if (plain.bytes.data() != file.bytes.data()) {
    constexpr std::size_t of_field = 56, of_small = 1'900'000'000, ratio = 200;  // bytes of memory
    const std::size_t most =
        (of_small + ratio * (std::max(file.bytes.size(), small_packed) - small_packed)) / of_field;
    const auto ends_field = [](char c) { return c == ',' || c == ';' || c == '\t' || c == '\n'; };
    const auto fields = static_cast<std::size_t>(std::ranges::count_if(plain.text(), ends_field));
    if (fields > most)
      refuse(name,
             fmt::format("at most {} fields in {} compressed bytes (decompress it with gunzip)", most,
                         file.bytes.size()),
             fields);
  }
  if (encoding == Encoding::utf8) return plain;
  const auto text = std::make_shared<const std::string>(to_utf8(plain.text(), encoding, name));
  return {text, std::as_bytes(std::span(*text))};
}

CsvTable read_csv(const std::filesystem::path& path, Encoding encoding) {
  const std::string name = display_name(path);
  const MappedFile file = csv_file(map_file(path), name, encoding);
  const std::string_view text = file.text();
  CsvTable table = parse_csv(text, name, {.separator = find_separator(text, name)});
  table.file = file;
  return table;
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
  // Readers skip an unquoted byte-order mark at the start of a file.
  const bool marked = text.starts_with("\xEF\xBB\xBF");
  if (!marked && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

static bool are_numbers(std::string_view text) {
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    if (!parse_number(text.substr(at, end - at))) return false;
  }
  return true;
}

std::string csv_name(std::string_view text) {
  const bool formula = !text.empty() &&
                       std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
                       !are_numbers(text);
  return csv_field(formula ? "'" + std::string(text) : std::string(text));
}

}  // namespace leeway
