#include "apps/leeway/text_table.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

constexpr std::size_t max_width = 100;

std::size_t byte_at(const std::string& text, std::size_t column) {
  std::size_t byte = 0;
  for (std::size_t seen = 0; byte < text.size(); ++byte) {
    const bool starts = (static_cast<unsigned char>(text[byte]) & 0xc0) != 0x80;
    if (starts && seen++ == column) break;
  }
  return byte;
}

// "a_very_long_name" -> "a_ver..name"
std::string cut(const std::string& text, std::size_t width) {
  const std::size_t length = text_width(text);
  if (length <= width) return text;
  const std::size_t tail = (width - 2) / 2, head = width - 2 - tail;
  return text.substr(0, byte_at(text, head)) + ".." + text.substr(byte_at(text, length - tail));
}

}  // namespace

void TextTable::drop(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  columns_.erase(columns_.begin() + at);
  for (auto& row : rows_) row.erase(row.begin() + at);
}

std::size_t TextTable::gap_before(std::size_t column) const {
  if (column == 0) return 0;
  return columns_[column].left ? 2 : gap_;
}

// What is too much is taken from the widest column that may be cut.
std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  std::size_t total = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    std::size_t width = std::max(columns_[j].width, text_width(columns_[j].title));
    for (const auto& row : rows_)
      if (j + 1 < row.size() || row.size() == columns_.size()) width = std::max(width, text_width(row[j]));
    widths.push_back(width);
    total += gap_before(j) + width;
  }
  for (; total > max_width; --total) {
    std::size_t widest = columns_.size();
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (columns_[j].narrowest > 0 && widths[j] > columns_[j].narrowest &&
          (widest == columns_.size() || widths[j] > widths[widest]))
        widest = j;
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    const bool free = j + 1 == cells.size() && cells.size() < columns_.size();
    const std::string cell = free ? cells[j] : cut(cells[j], widths[j]);
    const std::string space(widths[j] - std::min(widths[j], text_width(cell)), ' ');
    text += std::string(gap_before(j), ' ') + (columns_[j].left ? cell + space : space + cell);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string TextTable::text() const {
  const std::vector<std::size_t> all = widths();
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text = line(titles, all);
  for (const auto& row : rows_) text += line(row, all);
  return text;
}

std::string shown(const std::string& text) { return printable(text, std::string::npos); }

std::string cut_at_front(const std::string& name, std::size_t room) {
  return name.size() > room ? "..." + name.substr(name.size() - room + 3) : name;
}

std::string four(const std::optional<double>& value) { return value ? fmt::format("{:.4f}", *value) : "-"; }

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.4f}, {:.4f}]", interval->low, interval->high) : "-";
}

std::string percents(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f}", 100 * *share) : "-";
}

std::string percents(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.2f}, {:.2f}]", 100 * interval->low, 100 * interval->high) : "-";
}

std::string beta_text(double beta) { return std::isinf(beta) ? "inf" : fmt::format("{:.4g}", beta); }

std::string level_text(double level) { return fmt::format("[{:g}% interval]", 100 * level); }

std::string words_of(const record::Envelope& envelope) {
  return wrapped(envelope.headline) + findings_of(envelope);
}

std::string findings_of(const record::Envelope& envelope) {
  std::string text;
  for (const std::string& finding : envelope.findings) text += wrapped(finding);
  return text;
}

std::string warnings_of(const record::Envelope& envelope) {
  std::string text;
  for (const std::string& warning : envelope.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace leeway::app
