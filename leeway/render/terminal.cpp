#include "leeway/render/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"

namespace leeway::render {
namespace {

constexpr std::size_t narrowest = 16;       // that a name is cut to
constexpr std::size_t least_sentence = 24;  // of the last column, whose lines break
constexpr std::size_t most_rows = 40;       // of a table whose rows are all in the record

// On one line, whatever the inputs may hold.
std::string shown(const std::string& text) { return printable(text, std::string::npos); }

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

// The cells of a table as texts, column by column.
struct TextColumn {
  std::string title;
  bool left = false, intervals = true;
  std::vector<const Cell*> cells = {};

  [[nodiscard]] std::string text(const Cell& cell) const {
    if (!cell.missing.empty()) return "-";
    std::string own = shown(cell.text) + (cell.mark == Mark::wrong ? "*" : "");
    if (cell.beside.empty() || !intervals) return own;
    return own + (cell.low && cell.high ? " [" + cell.beside + "]" : " " + cell.beside);
  }
  // Titles break between words.
  [[nodiscard]] std::size_t width() const {
    std::size_t most = 0;
    for (const std::string& word : split(title, ' ')) most = std::max(most, text_width(word));
    for (const Cell* cell : cells) most = std::max(most, text_width(text(*cell)));
    return most;
  }
};

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  return total - 2;
}

// What is too much is taken from the widest names, then from intervals.
std::vector<std::size_t> fitted(std::vector<TextColumn>& columns, std::size_t max_width) {
  std::vector<std::size_t> widths;
  for (const TextColumn& column : columns) widths.push_back(column.width());
  const bool sentences =
      !columns.empty() && columns.back().left && columns.size() > 1;  // the last column breaks lines
  const std::size_t natural = sentences ? widths.back() : 0;
  if (sentences) widths.back() = std::min(natural, least_sentence);
  for (std::size_t total = total_of(widths); total > max_width; --total) {
    std::size_t widest = columns.size();
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (columns[j].left && widths[j] > narrowest && !(sentences && j + 1 == columns.size()) &&
          (widest == columns.size() || widths[j] > widths[widest]))
        widest = j;
    if (widest == columns.size()) break;
    --widths[widest];
  }
  for (std::size_t j = columns.size(); j-- > 0 && total_of(widths) > max_width;) {
    columns[j].intervals = false;
    if (!columns[j].left) widths[j] = columns[j].width();
  }
  if (sentences) {
    const std::size_t others = total_of(widths) - widths.back();
    widths.back() = std::min(natural, std::max(least_sentence, max_width - std::min(max_width, others)));
  }
  return widths;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  return split(wrapped(text, width), '\n');
}

std::string without_end(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string padded(const TextColumn& column, const std::string& text, std::size_t width) {
  const std::string cell = column.left ? cut(text, width) : text;
  const std::string space(width - std::min(width, text_width(cell)), ' ');
  return column.left ? cell + space : space + cell;
}

// "-  kl, cosine: the files have no features", a line for each reason.
std::string reasons_of(const std::vector<TextColumn>& columns, std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const TextColumn& column : columns)
    for (const Cell* cell : column.cells) {
      if (cell->missing.empty()) continue;
      auto found = std::ranges::find(reasons, cell->missing, [](const auto& one) { return one.first; });
      if (found == reasons.end()) found = reasons.insert(reasons.end(), {cell->missing, {}});
      append_new(found->second, column.title);
    }
  std::string text;
  for (const auto& [reason, titles] : reasons)
    text += wrapped(fmt::format("-  {}: {}", fmt::join(titles, ", "), shown(reason)), width);
  return text;
}

std::string block_text(const Table& table, std::size_t width) {
  std::vector<TextColumn> columns;
  const std::size_t rows = table.rows.size() > most_rows + 5 ? most_rows : table.rows.size();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.where == Where::page) continue;
    TextColumn& text = columns.emplace_back(TextColumn{shown(column.title), !column.numeric});
    for (std::size_t r = 0; r < rows; ++r) text.cells.push_back(&table.rows[r][c]);
  }
  const std::vector<std::size_t> widths = fitted(columns, width);
  std::string text = "\n" + (table.caption.empty() ? "" : wrapped(shown(table.caption), width));
  std::vector<std::vector<std::string>> heads;  // of each column its lines
  std::size_t height = 1;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    heads.push_back(lines_of(columns[j].title, widths[j]));
    height = std::max(height, heads.back().size());
  }
  std::string line;
  for (std::size_t h = 0; h < height; ++h) {
    line.clear();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::size_t above = height - heads[j].size();
      line += (j == 0 ? "" : "  ") + padded(columns[j], h < above ? "" : heads[j][h - above], widths[j]);
    }
    text += without_end(line);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    line.clear();
    for (std::size_t j = 0; j + 1 < columns.size(); ++j)
      line += padded(columns[j], columns[j].text(*columns[j].cells[r]), widths[j]) + "  ";
    const TextColumn& last = columns.back();
    const std::string cell = last.text(*last.cells[r]);
    const std::string space(text_width(line), ' ');
    for (const std::string& own :
         last.left ? lines_of(cell.empty() ? " " : cell, widths.back()) : std::vector<std::string>{cell}) {
      text += without_end(line + padded(last, own, widths.back()));
      line = space;
    }
  }
  if (rows < table.rows.size())
    text += fmt::format("... {} more rows: --json, --out or --report\n", table.rows.size() - rows);
  return text + reasons_of(columns, width);
}

std::string block_text(const Prose& prose, std::size_t width) {
  std::string text;
  for (const std::string& line : prose.lines) text += wrapped(shown(line), width);
  return text;
}

std::string block_text(const Heading& heading, std::size_t width) {
  return "\n" + wrapped(shown(heading.text), width);
}

// Names and meanings in two columns; further lines of a meaning are indented.
std::string block_text(const Terms& terms, std::size_t width) {
  constexpr std::size_t widest = 27;
  std::size_t column = 0;
  for (const auto& [name, meaning] : terms.items)
    if (text_width(name) + 2 <= widest) column = std::max(column, text_width(name) + 2);
  std::string text;
  for (const auto& [name, meaning] : terms.items) {
    std::string lines = wrapped(shown(meaning), width - column);
    for (std::size_t end = lines.find('\n'); end + 1 < lines.size(); end = lines.find('\n', end + 1))
      lines.insert(end + 1, column, ' ');
    const std::string own = shown(name);
    const std::size_t length = text_width(own);
    text += own +
            (length + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - length, ' ')) +
            lines;
  }
  return text;
}

std::string block_text(const ShellCommand& command, std::size_t /*width*/) { return command.text + "\n"; }
std::string block_text(const Legend& /*legend*/, std::size_t /*width*/) { return ""; }
std::string block_text(const Cards& /*cards*/, std::size_t /*width*/) { return ""; }
std::string block_text(const Charts& /*charts*/, std::size_t /*width*/) { return ""; }

std::string text_of(const Blocks& blocks, std::size_t width);
std::string block_text(const More& block, std::size_t width) { return text_of(block.body, width); }

std::string text_of(const Blocks& blocks, std::size_t width) {
  std::string text;
  for (const Block& block : blocks.list)
    if (block.where != Where::page || std::holds_alternative<More>(block.content))
      text += std::visit([width](const auto& content) { return block_text(content, width); }, block.content);
  return text;
}

}  // namespace

std::string terminal(const View& view, std::size_t width) {
  std::string text = view.headline.empty() ? "" : wrapped(shown(view.headline), width);
  const std::vector<std::string> findings = further_findings(view);
  for (std::size_t i = 0; i < std::min(first_findings, findings.size()); ++i)
    text += wrapped(shown(findings[i]), width);
  if (findings.size() > first_findings)
    text +=
        fmt::format("... {} more findings: --json, --out or --report\n", findings.size() - first_findings);
  text += text_of(view.lead, width);
  for (const Section& section : view.sections)
    if (const std::string body = text_of(section.body, width); !body.empty())
      text += "\n" + wrapped(shown(section.heading), width) + body.substr(body.starts_with('\n') ? 1 : 0);
  for (const std::string& verdict : view.verdicts) text += wrapped(shown(verdict), width);
  return text.substr(text.starts_with('\n') ? 1 : 0);
}

}  // namespace leeway::render
