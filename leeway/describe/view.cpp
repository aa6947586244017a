#include "leeway/describe/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "leeway/core/message.h"

namespace leeway {

Column text_column(std::string title, std::string hint) { return {std::move(title), std::move(hint), false}; }
Column number_column(std::string title, std::string hint) { return {std::move(title), std::move(hint)}; }
Column interval_column(std::string title, std::string hint) {
  return {std::move(title), std::move(hint), true, true};
}
Column on_page(Column column) {
  column.where = Where::page;
  return column;
}

Cell text_cell(std::string_view text, Mark mark) { return {.text = std::string(text), .mark = mark}; }

Cell count_cell(std::size_t value) { return number_cell(static_cast<double>(value), count(value)); }

Cell dash_cell(std::string_view reason) {
  return {.text = "", .missing = reason.empty() ? "not in the record" : std::string(reason)};
}

Cell number_cell(double value, std::string text) { return {.text = std::move(text), .value = value}; }

Cell significant_cell(const std::optional<double>& value, int digits, std::string_view reason) {
  return value ? number_cell(*value, significant(*value, digits)) : dash_cell(reason);
}

Cell fixed_cell(const std::optional<double>& value, int decimals, std::string_view reason) {
  return value ? number_cell(*value, fixed(*value, decimals)) : dash_cell(reason);
}

Cell percent_cell(const std::optional<double>& share, int decimals, std::string_view reason) {
  return share ? number_cell(*share, percent(*share, decimals)) : dash_cell(reason);
}

Cell with_interval(Cell cell, const Measured& value, const std::string& interval) {
  if (interval.empty()) return cell;
  cell.low = value.low, cell.high = value.high, cell.beside = interval;
  return cell;
}

static Cell with_ends(Cell cell, const Measured& value, int digits, std::string (*words)(double, int)) {
  if (!value.low || !value.high) return cell;
  return with_interval(std::move(cell), value, words(*value.low, digits) + "–" + words(*value.high, digits));
}
Cell significant_cell(const Measured& value, int digits, std::string_view reason) {
  return with_ends(significant_cell(value.value, digits, reason), value, digits, significant);
}
Cell fixed_cell(const Measured& value, int decimals, std::string_view reason) {
  return with_ends(fixed_cell(value.value, decimals, reason), value, decimals, fixed);
}

Cell share_cell(const Measured& share, std::string_view reason) {
  if (!share.value) return dash_cell(reason);
  const std::string interval = percent_interval(share);
  Cell cell = with_interval(number_cell(*share.value, percent(share)), share, interval);
  if (!interval.empty()) cell.mark = Mark::strong;
  return cell;
}

Cell change_cell(const Measured& change, std::string_view reason) {
  if (!change.value) return dash_cell(reason);
  return with_interval(number_cell(*change.value, signed_points(change)), change,
                       signed_points_interval(change));
}

Cell pa_cell(const Measured& pa, std::string_view reason) {
  if (!pa.value) return dash_cell(reason);
  Cell cell = fixed_cell(pa, pa.low && pa.high ? decimals_for((*pa.high - *pa.low) / 2, 3) : 3);
  cell.mark = Mark::strong;
  return cell;
}

Blocks Table::block() const { return rows.empty() ? Blocks() : single({*this}); }

Blocks Table::block(std::size_t row_headers) const {
  Table table = *this;
  table.headers = row_headers;
  return table.block();
}

Chart overview_of(Chart chart, const std::vector<OverviewRow>& rows, std::size_t slots, double top,
                  bool percent, std::vector<std::string> targets) {
  for (const OverviewRow& row : rows) append_new(targets, row.target);
  const auto drawn = [](const OverviewRow& row) -> Json {
    return {{"target", row.target},
            {"model", row.model},
            {"slot", row.slot},
            {"value", brief(row.value.value)},
            {"low", brief(row.value.low)},
            {"high", brief(row.value.high)},
            {"source", brief(row.source)},
            {"n", row.n}};
  };
  chart.data = {{"rows", json_rows(rows, drawn)}};
  chart.signals = {{"targets", targets}, {"slots", slots}, {"top", brief(top)}, {"percent", percent}};
  return chart;
}

Blocks& Blocks::operator+=(Blocks other) {
  std::ranges::move(other.list, std::back_inserter(list));
  return *this;
}

Blocks operator+(Blocks first, Blocks second) { return std::move(first += std::move(second)); }

Blocks single(Block block) {
  Blocks blocks;
  blocks.list.push_back(std::move(block));
  return blocks;
}

Blocks paragraphs(std::vector<std::string> texts, Style style) {
  std::erase(texts, "");
  return texts.empty() ? Blocks() : single({Prose{std::move(texts), style}});
}

Blocks paragraph(std::string text) { return paragraphs({std::move(text)}); }
Blocks bullets(std::vector<std::string> items) { return paragraphs(std::move(items), Style::list); }
Blocks subheading(std::string text) { return single({Heading{std::move(text)}}); }

Blocks term_list(std::vector<std::pair<std::string, std::string>> items) {
  return items.empty() ? Blocks() : single({Terms{std::move(items)}});
}

Blocks chart_legend(std::vector<LegendItem> items) {
  return items.empty() ? Blocks() : single({Legend{std::move(items)}});
}

Blocks chart_grid(std::vector<Chart> charts, std::size_t shown) {
  return charts.empty() ? Blocks() : single({Charts{{{"", std::move(charts)}}, shown}});
}

Blocks chart_choice(std::vector<Chart> charts) {
  std::vector<ChartChoice> all;
  for (Chart& chart : charts) {
    std::string title = chart.title;
    all.push_back({std::move(title), {std::move(chart)}});
  }
  return chart_grids(std::move(all));
}

Blocks chart_grids(std::vector<ChartChoice> all) {
  return all.empty() || all[0].charts.empty() ? Blocks() : single({Charts{std::move(all)}});
}

Blocks folded(std::string summary, Blocks body, bool open) {
  return body.empty() ? Blocks() : single({More{std::move(summary), std::move(body), open}});
}

Blocks model_legend(const std::vector<std::string>& models) {
  std::vector<LegendItem> items;
  for (std::size_t i = 0; i < models.size(); ++i)
    items.push_back({fmt::format("m{}", i % series), models[i], i % series});
  return chart_legend(std::move(items));
}

namespace {

Blocks shown_in(Blocks blocks, Where where) {
  for (Block& block : blocks.list) block.where = where;
  return blocks;
}

}  // namespace

Blocks in_both(Blocks blocks) { return shown_in(std::move(blocks), Where::both); }
Blocks on_terminal(Blocks blocks) { return shown_in(std::move(blocks), Where::terminal); }

Blocks subsection(const Section& section) {
  return section.body.empty() ? Blocks() : subheading(section.heading) + section.body;
}

std::vector<std::string> further_findings(const View& view) {
  const auto without_stop = [](const std::string& text) {
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  };
  // A single finding has the headline's subject, so it need not repeat the headline's first sentence.
  const std::size_t end = view.findings.size() == 1 ? view.headline.find(". ") : std::string::npos;
  const std::string headline = without_stop(view.headline.substr(0, end));
  std::vector<std::string> further;
  for (std::string finding : view.findings) {
    if (!headline.empty() && finding.starts_with(headline + "; ")) {
      finding.erase(0, headline.size() + 2);
      if (finding[0] >= 'a' && finding[0] <= 'z') finding[0] = static_cast<char>(finding[0] - 'a' + 'A');
    }
    if (view.headline.find(without_stop(finding)) == std::string::npos) further.push_back(std::move(finding));
  }
  return further;
}

std::vector<std::string> at_most(std::size_t most, std::vector<std::string> list) {
  if (list.size() <= most) return list;
  const std::string rest = fmt::format("{} more", list.size() - most + 1);
  list.resize(most - 1);
  list.push_back(rest);
  return list;
}

}  // namespace leeway
