// Comma-separated values with a header line (RFC 4180: quoted fields, doubled quotes, LF or CRLF).
//
// Errors name the file and line: a row with another number of fields, an unclosed quote, a quote inside a
// field, a requested column that occurs twice, a first line of numbers, bytes that are not UTF-8. A byte-
// order mark, empty lines at the end and blanks around column names are dropped. Lines count from 1, rows
// from 0. Cost: one pass and 16 bytes per field; csv_records.h reads large files record by record.
#pragma once

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/csv_records.h"
#include "leeway/core/encoding.h"
#include "leeway/core/file.h"

namespace leeway {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string_view>> columns;  // columns[j][i] = field j of data row i
  MappedFile file;                                     // what read_csv read
  std::shared_ptr<std::deque<std::string>> unquoted;   // fields that had doubled quotes

  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
};

[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path, Encoding encoding = Encoding::utf8);
// The text of a table file in UTF-8, decompressed if it is gzip. Error: far more fields than compressed bytes.
[[nodiscard]] MappedFile csv_file(const MappedFile& file, std::string_view name,
                                  Encoding encoding = Encoding::utf8);
// `text` must outlive the table.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string_view name, const CsvFormat& format = {});

// A field without the blanks (spaces, tabs) around it.
[[nodiscard]] std::string_view trimmed(std::string_view field);

// The trimmed field as a number: "1.5", "-2e3", "nan", "inf". Underflow gives 0, overflow gives nothing.
[[nodiscard]] std::optional<double> parse_number(std::string_view field);
// As parse_number, and "90%" as the number nearest to 0.9.
[[nodiscard]] std::optional<double> parse_number_or_percent(std::string_view field);
// As parse_number, or a fraction: "8/255". Nothing if it is not finite.
[[nodiscard]] std::optional<double> parse_fraction(std::string_view field);

// A column as numbers. Error: file, column and first row that is not a number.
[[nodiscard]] std::vector<double> csv_numbers(const CsvTable& table, std::size_t column,
                                              std::string_view name);

// One field, quoted if the format requires it.
[[nodiscard]] std::string csv_field(std::string_view text);
// The same for text in tables that people open: ' is prefixed to text that a spreadsheet would evaluate as a
// formula. Numbers, and numbers separated by spaces, are unchanged.
[[nodiscard]] std::string csv_name(std::string_view text);

}  // namespace leeway
