#include "leeway/report/detail/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/report/detail/html.h"

namespace leeway::report {
namespace {

std::string letter(std::size_t index) {
  std::string text(1, static_cast<char>('a' + index % 26));
  return index < 26 ? text : letter(index / 26 - 1) + text;
}

std::size_t note_of(std::vector<std::string>& notes, const std::string& reason) {
  const auto found = std::find(notes.begin(), notes.end(), reason);
  if (found != notes.end()) return static_cast<std::size_t>(found - notes.begin());
  notes.push_back(reason);
  return notes.size() - 1;
}

std::string cell_html(const Cell& cell, const Column& column, bool heads_row,
                      std::vector<std::string>& notes) {
  std::string attributes, classes = column.numeric ? "num" : "";
  if (cell.value && std::isfinite(*cell.value)) attributes += fmt::format(" data-v=\"{:.9g}\"", *cell.value);
  if (cell.value && std::isinf(*cell.value))
    attributes += *cell.value > 0 ? " data-v=\"Infinity\"" : " data-v=\"-Infinity\"";
  if (cell.low && cell.high)
    attributes += fmt::format(" data-low=\"{:.9g}\" data-high=\"{:.9g}\"", *cell.low, *cell.high);
  if (std::abs(cell.shade) >= .005) {
    classes += cell.shade < 0 ? " worse" : " better";
    attributes += fmt::format(" style=\"--s:{:.2f}\"", std::min(1., std::abs(cell.shade)));
  }
  std::string html = cell.html, title = cell.title;
  if (!cell.missing.empty()) {
    const std::string mark = letter(note_of(notes, cell.missing));
    html = fmt::format("<span class=\"dash\">–<sup>{}</sup></span>", mark);
    title = cell.missing;
    attributes += " data-missing";
  }
  if (!title.empty()) attributes += fmt::format(" title=\"{}\"", escape(title));
  if (!classes.empty())
    attributes += fmt::format(" class=\"{}\"", classes[0] == ' ' ? classes.substr(1) : classes);
  return fmt::format("<{0}{2}>{3}</{1}>", heads_row ? "th scope=\"row\"" : "td", heads_row ? "th" : "td",
                     attributes, html);
}

}  // namespace

Column text_column(std::string title, std::string hint) { return {std::move(title), std::move(hint), false}; }
Column number_column(std::string title, std::string hint) { return {std::move(title), std::move(hint)}; }
Column interval_column(std::string title, std::string hint) {
  return {std::move(title), std::move(hint), true, true};
}

Cell text_cell(std::string_view text) { return html_cell(escape(text)); }

Cell html_cell(std::string html) {
  Cell cell;
  cell.html = std::move(html);
  return cell;
}

Cell count_cell(std::size_t value) { return number_cell(static_cast<double>(value), count(value)); }

Cell dash_cell(std::string_view reason) {
  Cell cell;
  cell.missing = reason.empty() ? "the record does not say" : std::string(reason);
  return cell;
}

Cell number_cell(double value, std::string html) {
  Cell cell;
  cell.value = value;
  cell.html = std::move(html);
  return cell;
}

Cell significant_cell(const std::optional<double>& value, int digits, std::string_view reason) {
  return value ? number_cell(*value, significant(*value, digits)) : dash_cell(reason);
}

Cell fixed_cell(const std::optional<double>& value, int decimals, std::string_view reason) {
  return value ? number_cell(*value, fixed(*value, decimals)) : dash_cell(reason);
}

Cell percent_cell(const std::optional<double>& share, int decimals, std::string_view reason) {
  return share ? number_cell(*share, percent(*share, decimals)) : dash_cell(reason);
}

Cell with_interval(Cell cell, const Measured& value, const std::string& interval, std::string_view kind) {
  if (interval.empty()) return cell;
  cell.low = value.low, cell.high = value.high;
  cell.html += fmt::format(" <span class=\"{}\">{}</span>", kind, interval);
  return cell;
}

Cell share_cell(const Measured& share, std::string_view reason) {
  if (!share.value) return dash_cell(reason);
  const std::string interval = percent_interval(share);
  const std::string value = interval.empty() ? percent(share) : "<b>" + percent(share) + "</b>";
  return with_interval(number_cell(*share.value, value), share, interval);
}

Cell change_cell(const Measured& change, std::string_view reason) {
  if (!change.value) return dash_cell(reason);
  return with_interval(number_cell(*change.value, signed_points(change)), change,
                       signed_points_interval(change), "iv wide");
}

Cell pa_cell(const Measured& pa, std::string_view reason) {
  if (!pa.value) return dash_cell(reason);
  const bool interval = pa.low && pa.high;
  const int decimals = interval ? decimals_for((*pa.high - *pa.low) / 2, 3) : 3;
  return with_interval(number_cell(*pa.value, "<b>" + fixed(*pa.value, decimals) + "</b>"), pa,
                       interval ? fixed(*pa.low, decimals) + "–" + fixed(*pa.high, decimals) : "");
}

Table::Table(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

void Table::sorted_by(std::size_t column, bool ascending) {
  sorted_ = column;
  ascending_ = ascending;
}

std::string Table::html(std::size_t row_headers) const {
  if (rows_.empty()) return "";
  std::vector<std::string> notes;
  std::string head, body;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    std::string attributes = column.numeric ? " class=\"num\"" : "";
    if (column.interval) attributes += " data-interval";
    if (sorted_ == c) attributes += ascending_ ? " aria-sort=\"ascending\"" : " aria-sort=\"descending\"";
    const std::string hint = column.hint.empty() ? "" : fmt::format(" title=\"{}\"", escape(column.hint));
    head += fmt::format("<th scope=\"col\"{}><button type=\"button\" class=\"sort\"{}>{}</button></th>",
                        attributes, hint, escape(column.title));
  }
  for (const auto& row : rows_) {
    body += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      body += cell_html(row[c], columns_[c], c < row_headers, notes);
    body += "</tr>\n";
  }
  std::vector<std::string> below;
  for (std::size_t i = 0; i < notes.size(); ++i)
    below.push_back(fmt::format("<sup>{}</sup> {}", letter(i), escape(notes[i])));
  return fmt::format(
      "<div class=\"tablebox\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table class=\"data\"><caption>{0}</caption>\n<thead><tr>{1}</tr></thead>\n"
      "<tbody>\n{2}</tbody></table></div>\n"
      "<div class=\"below\">{3}<button type=\"button\" class=\"copy\">Copy table</button></div></div>\n",
      escape(caption_), head, body, list_html(below, "notes"));
}

}  // namespace leeway::report
