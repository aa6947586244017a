// Comma-separated values with a header line (RFC 4180: quoted fields, doubled quotes, LF or CRLF).
//
// Errors name the file and line: a row with another number of fields, an unclosed quote, a quote inside a
// field, a requested column that occurs twice, a first line of numbers, bytes that are not UTF-8. A byte-
// order mark, empty lines at the end and blanks around column names are dropped. Lines count from 1, rows
// from 0. Cost: one pass and 16 bytes per field; CsvRecords reads large files record by record.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/utf8.h"

namespace leeway {

// Reads CSV record by record, with the format, checks and messages of csv.h.
//
// The text must outlive the reader. Text that is not UTF-8 or holds a NUL is refused at once, other errors
// when their record is reached. Memory: one record. Cost: about 2 ns per byte, one thread.

struct CsvFormat {
  char separator = ',';
  bool numbered_header = false;  // a first line 0,1,2,... of at least three numbers is a header
  bool any_header = false;       // any first line of numbers is
};

// The separator (comma, semicolon or tab) that splits the header and the first rows into the same number of
// fields, at least two; a comma if none does. Error (named `name`): several do.
[[nodiscard]] char find_separator(std::string_view text, std::string_view name);

// The place of a column. Error, which lists the columns and names the option that asks for it: there is none.
[[nodiscard]] std::size_t place_of_column(std::span<const std::string> header, std::string_view wanted,
                                          std::string_view name, std::string_view option = "");

// "comma", "semicolon", "tab".
[[nodiscard]] std::string_view separator_name(char separator);

class CsvRecords {
 public:
  // Reads the header; `name` opens error messages.
  CsvRecords(std::string_view text, std::string_view name, const CsvFormat& format = {});

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }

  // The place of that column. Error, which lists the columns: there is none.
  [[nodiscard]] std::size_t column(std::string_view wanted) const;

  // Goes to the next record; false at the end.
  [[nodiscard]] bool next();

  // The fields of the current record, valid until the next call of next().
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }

  // A field as in the text, with its quotes.
  [[nodiscard]] std::string_view raw(std::size_t column) const { return raw_[column]; }

  // The record as in the text, without its line end.
  [[nodiscard]] std::string_view record() const { return text_.substr(begin_, end_ - begin_); }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
  [[noreturn]] void refuse_row(std::string_view found) const;
  void read_header();
  [[nodiscard]] bool only_line_ends_left() const;
  std::string_view field(std::string& copy);
  std::string_view quoted_field(std::string& copy);

  std::string_view text_, name_;
  CsvFormat format_;
  std::array<bool, 256> ends_field_{};  // bytes that end a field without quotes or are not allowed in it
  std::vector<std::string> header_, copies_;
  std::vector<std::string_view> fields_, raw_;
  std::size_t position_ = 0, begin_ = 0, end_ = 0, line_ = 1;
  bool at_separator_ = false;  // the last field was followed by a separator
};

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
