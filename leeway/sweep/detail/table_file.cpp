#include "leeway/sweep/detail/table_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>
#include <string_view>

#include "leeway/core/csv.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"

namespace leeway::sweep {
namespace {

constexpr double no_wholes = 9007199254740992;  // 2^53: from here on float64 leaves out whole numbers

class CsvFile : public TableFile {
 public:
  CsvFile(const std::string& path, const std::vector<TableColumn>& columns)
      : file_(path), compressed_(path.ends_with(".gz")) {
    constexpr int gzip = 15 + 16, memory = 8;
    if (compressed_ &&
        deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    std::vector<std::string> names;
    for (const TableColumn& column : columns) names.push_back(column.name);
    CsvFile::write(names);
  }
  ~CsvFile() override {
    if (compressed_) deflateEnd(&stream_);
  }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void write(std::span<const std::string> row) override {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text_ += ',';
      text_ += csv_field(row[i]);
    }
    text_ += '\n';
    if (text_.size() > most_kept) put(Z_NO_FLUSH);
  }
  void commit() override {
    put(Z_FINISH);
    file_.commit();
  }

 private:
  static constexpr std::size_t most_kept = 1 << 16;

  void put(int flush) {
    if (!compressed_) {
      file_.write(text_);
    } else {
      std::array<char, 1 << 16> buffer{};
      stream_.next_in = reinterpret_cast<Bytef*>(text_.data());
      stream_.avail_in = static_cast<uInt>(text_.size());
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream_.avail_out = buffer.size();
        ::deflate(&stream_, flush);
        file_.write(std::string_view(buffer.data(), buffer.size() - stream_.avail_out));
      } while (stream_.avail_out == 0);
    }
    text_.clear();
  }

  AtomicFile file_;
  const bool compressed_;
  std::string text_;
  z_stream stream_{};
};

class NpzFile : public TableFile {
 public:
  NpzFile(const std::string& path, std::vector<TableColumn> columns)
      : name_(display_name(path)), file_(path), columns_(std::move(columns)) {
    numbers_.resize(columns_.size()), words_.resize(columns_.size());
  }

  void write(std::span<const std::string> row) override {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].number)
        numbers_[i].push_back(number_of(row[i], columns_[i].name));
      else
        words_[i].push_back(row[i]);
  }
  void commit() override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t rows = std::max(numbers_[i].size(), words_[i].size());
      file_.add(columns_[i].name,
                columns_[i].number ? make_array({rows}, numbers_[i]) : make_text_array({rows}, words_[i]));
    }
    file_.commit();
  }

 private:
  double number_of(const std::string& text, const std::string& column) const {
    if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (text == "true") return 1;
    if (text == "false") return 0;
    const auto number = parse_number(text);
    const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
    if (!number || (whole && std::abs(*number) >= no_wholes))
      refuse(name_, fmt::format("in {} numbers that float64 holds (a CSV file has all digits)", column),
             in_quotes(text));
    return *number;
  }

  const std::string name_;
  NpzWriter file_;
  const std::vector<TableColumn> columns_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string>> words_;
};

}  // namespace

bool is_npz(const std::string& path) { return path.ends_with(".npz"); }

std::unique_ptr<TableFile> new_table_file(const std::string& path, std::vector<TableColumn> columns) {
  if (is_npz(path)) return std::make_unique<NpzFile>(path, std::move(columns));
  return std::make_unique<CsvFile>(path, columns);
}

}  // namespace leeway::sweep
