// Comma-separated values with a header line (RFC 4180: quoted fields, doubled quotes, LF or CRLF).
//
// Errors name the file and line: a row with another number of fields, an unclosed quote, a quote inside a
// field, a column that is asked for and stands twice, a first line of numbers, bytes that are not UTF-8. A
// byte-order mark, empty lines at the end, and blanks around column names are dropped. Lines count from 1, rows (after the header)
// from 0. Cost: one pass and a std::string per field; csv_records.h reads large files record by record.
#pragma once

#include <filesystem>
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
  std::vector<std::vector<std::string>> columns;  // columns[j][i] = field j of data row i

  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
};

[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path);
// The text of a table file: unpacked where it is gzip, in UTF-8.
[[nodiscard]] MappedFile csv_file(const MappedFile& file, std::string_view name,
                                  Encoding encoding = Encoding::utf8);
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string_view name, const CsvFormat& format = {});

// A field without the blanks (spaces, tabs) around it.
[[nodiscard]] std::string_view trimmed(std::string_view field);

// The trimmed field as a number: "1.5", "-2e3", "nan", "inf". Underflow gives 0, overflow nothing.
[[nodiscard]] std::optional<double> parse_number(std::string_view field);
// The same, and "90%" as the number nearest to 0.9.
[[nodiscard]] std::optional<double> parse_number_or_percent(std::string_view field);
// The same, or a fraction: "8/255". Nothing where it is not finite.
[[nodiscard]] std::optional<double> parse_fraction(std::string_view field);

// A column as numbers; Error names the file, the column and the first row that is none.
[[nodiscard]] std::vector<double> csv_numbers(const CsvTable& table, std::size_t column,
                                              std::string_view name);

// One field, quoted where the format asks for it.
[[nodiscard]] std::string csv_field(std::string_view text);
// The same; a name that a spreadsheet would evaluate as a formula is prefixed with '.
[[nodiscard]] std::string csv_name(std::string_view text);

}  // namespace leeway
