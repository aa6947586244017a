#include "leeway/core/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>

#include "leeway/core/csv_records.h"
#include "leeway/core/file.h"
#include "leeway/core/inflate.h"
#include "leeway/core/message.h"

namespace leeway {

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
             fmt::format("{}", fields));
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
