// Comma-separated values record by record: what csv.h reads, without keeping it.
//
// The format, the checks and the messages are those of csv.h. The text must outlive the reader. Text that
// is not UTF-8 or holds a NUL is refused at once; everything else when its record is reached. Memory: one
// record. Cost: some 2 ns a byte, one thread; fields without doubled quotes are not copied.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

class CsvRecords {
 public:
  // Reads the header; `name` opens error messages.
  CsvRecords(std::string_view text, std::string_view name);

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }

  // Goes to the next record; false where there is none.
  [[nodiscard]] bool next();

  // Of the record reached; valid until the next one.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }

  // The record as it stands in the text, without its line end.
  [[nodiscard]] std::string_view record() const { return text_.substr(begin_, end_ - begin_); }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
  [[noreturn]] void refuse_row(std::string_view found) const;
  void read_header();
  [[nodiscard]] bool only_line_ends_left() const;
  std::string_view field(std::string& copy);
  std::string_view quoted_field(std::string& copy);

  std::string_view text_, name_;
  std::vector<std::string> header_, copies_;
  std::vector<std::string_view> fields_;
  std::size_t position_ = 0, begin_ = 0, end_ = 0, line_ = 1;
  bool at_separator_ = false;  // the last field was followed by a comma
};

}  // namespace leeway
