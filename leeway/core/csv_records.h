// Reads CSV record by record, with the format, checks and messages of csv.h.
//
// The text must outlive the reader. Text that is not UTF-8 or holds a NUL is refused at once, other errors
// when their record is reached. Memory: one record. Cost: about 2 ns per byte, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

struct CsvFormat {
  char separator = ',';
  bool numbered_header = false;  // a first line 0,1,2,... of at least three numbers is a header
  bool any_header = false;       // any first line of numbers is
};

// The separator (comma, semicolon or tab) that splits the header and the first rows into the same number of
// fields, at least two; a comma if none does. Error (named `name`): several do.
[[nodiscard]] char find_separator(std::string_view text, std::string_view name);

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

}  // namespace leeway
