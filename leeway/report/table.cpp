#include "leeway/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/report/html.h"

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
  return heads_row ? fmt::format("<th scope=\"row\"{}>{}</th>", attributes, html)
                   : fmt::format("<td{}>{}</td>", attributes, html);
}

}  // namespace

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

Cell share_cell(const Measured& share, std::string_view reason) {
  if (!share.value) return dash_cell(reason);
  Cell cell = number_cell(*share.value, percent(share));
  const std::string interval = percent_interval(share);
  if (!interval.empty()) {
    cell.low = share.low;
    cell.high = share.high;
    cell.html = fmt::format("<b>{}</b> <span class=\"iv\">{}</span>", cell.html, interval);
  }
  return cell;
}

Cell change_cell(const Measured& change, std::string_view reason) {
  if (!change.value) return dash_cell(reason);
  Cell cell = number_cell(*change.value, signed_points(change));
  const std::string interval = signed_points_interval(change);
  if (!interval.empty()) {
    cell.low = change.low;
    cell.high = change.high;
    cell.html += fmt::format(" <span class=\"iv wide\">{}</span>", interval);
  }
  return cell;
}

Cell pa_cell(const Measured& pa, std::string_view reason) {
  if (!pa.value) return dash_cell(reason);
  const bool interval = pa.low && pa.high;
  const int decimals = interval ? decimals_for((*pa.high - *pa.low) / 2, 3) : 3;
  Cell cell = number_cell(*pa.value, "<b>" + fixed(*pa.value, decimals) + "</b>");
  if (interval) {
    cell.low = pa.low;
    cell.high = pa.high;
    cell.html +=
        fmt::format(" <span class=\"iv\">{}–{}</span>", fixed(*pa.low, decimals), fixed(*pa.high, decimals));
  }
  return cell;
}

Table::Table(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

void Table::sorted_by(std::size_t column, bool ascending) {
  sorted_ = column;
  ascending_ = ascending;
}

std::string Table::html(std::size_t row_headers) const {
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
  std::string below;
  for (std::size_t i = 0; i < notes.size(); ++i)
    below += fmt::format("<li><sup>{}</sup> {}</li>", letter(i), escape(notes[i]));
  if (!below.empty()) below = "<ul class=\"notes\">" + below + "</ul>";
  return fmt::format(
      "<div class=\"tablebox\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table "
      "class=\"data\"><caption>{0}</caption>\n<thead><tr>{1}</tr></thead>\n<tbody>\n{2}</tbody></table></"
      "div>\n"
      "<div class=\"below\">{3}<button type=\"button\" class=\"copy\">Copy table</button></div></div>\n",
      escape(caption_), head, body, below);
}

}  // namespace leeway::report
