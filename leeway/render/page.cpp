#include "leeway/render/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/render/assets.h"
#include "leeway/render/html.h"

namespace leeway::render {
namespace {

constexpr const char* specs[] = {"overview", "curve",       "confidence", "confusion", "lines",
                                 "parts",    "reliability", "errors",     "scatter",   "spread",
                                 "cells",    "alignment",   "timeline"};

std::string html_of(const Blocks& blocks);

// -- Tables

std::string letter(std::size_t index) {
  std::string text(1, static_cast<char>('a' + index % 26));
  return index < 26 ? text : letter(index / 26 - 1) + text;
}

std::size_t note_of(std::vector<std::string>& notes, const std::string& reason) {
  append_new(notes, reason);
  return static_cast<std::size_t>(std::ranges::find(notes, reason) - notes.begin());
}

std::string content_of(const Cell& cell) {
  std::string html = escape(cell.text);
  if (cell.mark == Mark::strong) html = "<b>" + html + "</b>";
  if (cell.mark == Mark::code) html = "<code>" + html + "</code>";
  if (cell.mark == Mark::right) html = "<span class=\"right\">" + html + "</span>";
  if (cell.mark == Mark::wrong) html = "<span class=\"wrong\">" + html + "</span>";
  if (cell.beside.empty()) return html;
  const bool ends = cell.low && cell.high;
  const bool words = cell.beside.find(' ') != std::string::npos;  // "−72.5 to −70.6"
  return html + fmt::format(" <span class=\"{}\">{}</span>",
                            !ends   ? "se"
                            : words ? "iv wide"
                                    : "iv",
                            escape(cell.beside));
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
  std::string html = content_of(cell), title = cell.title;
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

std::string list_html(const std::vector<std::string>& items, const std::string& kind = "") {
  if (items.empty()) return "";
  std::string out = kind.empty() ? "<ul>\n" : fmt::format("<ul class=\"{}\">\n", kind);
  for (const std::string& item : items) out += "<li>" + item + "</li>\n";
  return out + "</ul>\n";
}

std::string block_html(const Table& table) {
  std::vector<std::string> notes;
  std::string head, body;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    std::string attributes = column.numeric ? " class=\"num\"" : "";
    if (column.interval) attributes += " data-interval";
    if (table.sorted == c)
      attributes += table.ascending ? " aria-sort=\"ascending\"" : " aria-sort=\"descending\"";
    const std::string hint = column.hint.empty() ? "" : fmt::format(" title=\"{}\"", escape(column.hint));
    head += fmt::format("<th scope=\"col\"{}><button type=\"button\" class=\"sort\"{}>{}</button></th>",
                        attributes, hint, escape(column.title));
  }
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c)
      body += cell_html(row[c], table.columns[c], c < table.headers, notes);
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
      escape(table.caption), head, body, list_html(below, "notes"));
}

// -- Charts

// Rows of equal keys as {"fields": [...], "rows": [[...], ...]}: half the size.
Json packed(const Json& rows) {
  Json fields = Json::array();
  if (!rows.empty())
    for (const auto& item : rows[0].items()) fields.push_back(item.key());
  Json lists = json_rows(rows, [&](const Json& row) {
    return json_rows(fields, [&](const Json& field) { return row.value(field.get<std::string>(), Json()); });
  });
  return {{"fields", std::move(fields)}, {"rows", std::move(lists)}};
}

Json payload(const Chart& chart) {
  Json out = {{"title", chart.title}, {"note", chart.note}, {"description", chart.description}};
  for (const auto& [name, values] : chart.data) out["data"][name] = packed(values);
  for (const auto& [name, value] : chart.signals) out["signals"][name] = value;
  return out;
}

// The i-th figure, with all its choices.
std::string figure(const Charts& charts, std::size_t i) {
  const Chart& chart = charts.choices[0].charts[i];
  Json content = payload(chart);
  if (charts.choices.size() > 1)
    content = {{"variants", json_rows(charts.choices, [i](const ChartChoice& choice) {
                  return payload(choice.charts.at(i));
                })}};
  return fmt::format(
      "<figure class=\"chart\" data-spec=\"{}\"><figcaption><strong>{}</strong> <span "
      "class=\"note\">{}</span></figcaption>\n"
      "<div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>\n"
      "<script type=\"application/json\" class=\"payload\">{}</script></figure>\n",
      chart.spec, escape(chart.title), escape(chart.note), escape(chart.description), script_json(content));
}

std::string controls_html(const Charts& charts) {
  std::string options, out;
  for (std::size_t i = 0; i < charts.choices.size(); ++i)
    options += fmt::format("<option value=\"{}\">{}</option>", i, escape(charts.choices[i].words));
  if (charts.choices.size() > 1) out = fmt::format("<label>Show <select>{}</select></label>", options);
  for (const auto& [signal, words] : charts.choices[0].charts[0].toggles)
    out += fmt::format("<label class=\"toggle\"><input type=\"checkbox\" data-signal=\"{}\"> {}</label>",
                       signal, escape(words));
  return out.empty() ? "" : "<div class=\"controls\">" + out + "</div>";
}

std::string more_html(const std::string& summary, const std::string& body, bool open = false) {
  return fmt::format("<details class=\"more\"{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "",
                     escape(summary), body);
}

std::string block_html(const Charts& charts) {
  const std::vector<Chart>& first = charts.choices[0].charts;
  const std::string controls = controls_html(charts);
  const bool wide = charts.stacked || (first.size() == 1 && !controls.empty());
  std::string shown, rest;
  for (std::size_t i = 0; i < first.size(); ++i) (i < charts.shown ? shown : rest) += figure(charts, i);
  const auto grid = [&](const std::string& figures) {
    return fmt::format("<div class=\"panels{}\" data-spec=\"{}\">\n{}</div>\n", wide ? " stack" : "",
                       first[0].spec, figures);
  };
  return "<div class=\"charts\">" + controls + grid(shown) +
         (rest.empty() ? ""
                       : more_html(fmt::format("{} more charts", first.size() - charts.shown), grid(rest))) +
         "<details class=\"numbers\"><summary>Numbers</summary><div "
         "class=\"slot\"></div></details>\n</div>\n";
}

// -- Other blocks

std::string block_html(const Prose& prose) {
  std::vector<std::string> lines;
  for (const std::string& line : prose.lines) lines.push_back(inline_html(line));
  if (prose.style == Style::list) return list_html(lines);
  if (prose.style == Style::findings) return list_html(lines, "findings");
  std::string out;
  for (const std::string& line : lines)
    out += (prose.style == Style::scope ? "<p class=\"scope\">" : "<p>") + line + "</p>\n";
  return out;
}

std::string block_html(const Heading& heading) { return "<h3>" + inline_html(heading.text) + "</h3>\n"; }

std::string block_html(const Terms& terms) {
  std::string out;
  for (const auto& [name, meaning] : terms.items)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", inline_html(name), inline_html(meaning));
  return "<dl class=\"terms\">\n" + out + "</dl>\n";
}

std::string block_html(const Legend& legend) {
  std::string out;
  for (const auto& [kind, words, shape] : legend.items) {
    const std::string mark = shape ? fmt::format(
                                         "<svg class=\"mark {}\" viewBox=\"0 0 12 12\" "
                                         "aria-hidden=\"true\"><use href=\"#shape{}\"/></svg>",
                                         kind, *shape)
                                   : fmt::format("<span class=\"{}\"></span>", kind);
    out += "<li>" + mark + escape(words) + "</li>";
  }
  return "<ul class=\"key\">" + out + "</ul>\n";
}

std::string block_html(const ShellCommand& command) {
  std::string lines;
  for (const std::string& line : split(command.text, '\n'))
    lines += (lines.empty() ? "" : "\n") + escape(line);
  return fmt::format(
      "<div class=\"command\"><pre tabindex=\"0\"><code>{}</code></pre><button type=\"button\" "
      "class=\"copy-text\">Copy command</button></div>\n",
      lines);
}

const char* verdict_class(const Fact& fact) { return fact.right.value_or(true) ? "right" : "wrong"; }

std::string small_card(const Card& card) {
  std::string out;
  for (const Thumbnail& picture : card.pictures)
    out += fmt::format("<img src=\"{}\" alt=\"{}\">", picture.uri, escape(picture.words));
  for (const Fact& fact : card.facts)
    out += fact.right ? fmt::format("<span class=\"{}\">{}</span> ", verdict_class(fact), escape(fact.text))
                      : fmt::format("<b>{}</b> ", escape(fact.text));
  return fmt::format("<li>{}<span class=\"se\">{}</span></li>", out, escape(card.words));
}

std::string large_card(const Card& card) {
  std::string pictures, facts;
  for (const Thumbnail& picture : card.pictures)
    pictures += fmt::format(
        "<figure><img src=\"{0}\" alt=\"{1}\" width=\"{2}\" "
        "height=\"{3}\"><figcaption>{1}</figcaption></figure>",
        picture.uri, escape(picture.words), picture.width, picture.height);
  for (const Fact& fact : card.facts)
    facts += fmt::format(
        "<dt>{}</dt><dd><b>{}</b> {}{}</dd>", escape(fact.name), escape(fact.text), escape(fact.detail),
        fact.right ? fmt::format(" <span class=\"{0}\">{0}</span>", verdict_class(fact)) : "");
  return fmt::format(
      "<li class=\"flip\"><div class=\"triple\">{}</div><p class=\"row\">{}</p><dl>{}</dl></li>\n", pictures,
      escape(card.words), facts);
}

std::string block_html(const Cards& cards) {
  std::string items;
  for (const Card& card : cards.cards) items += cards.small ? small_card(card) : large_card(card);
  return (cards.title.empty() ? "" : fmt::format("<p class=\"row\">{}</p>", escape(cards.title))) +
         fmt::format("<ul class=\"{}\">\n{}</ul>\n", cards.small ? "ranked" : "flips", items);
}

std::string block_html(const More& block) {
  return more_html(block.summary, html_of(block.body), block.open);
}

std::string html_of(const Blocks& blocks) {
  std::string out;
  for (const Block& block : blocks.list)
    if (block.where != Where::terminal)
      out += std::visit([](const auto& content) { return block_html(content); }, block.content);
  return out;
}

// -- The page

// Where to end a heading: after at most 25 and at least 4 words, at the last mark outside of parentheses.
std::size_t clause_end(const std::string& sentence, char mark) {
  std::size_t end = std::string::npos;
  std::ptrdiff_t words = 1;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < sentence.size() && words <= 25; ++at) {
    depth += sentence[at] == '(' ? 1 : sentence[at] == ')' ? -1 : 0;
    words += sentence[at] == ' ' ? 1 : 0;
    if (depth <= 0 && words >= 4 && sentence[at] == mark && sentence[at + 1] == ' ') end = at;
  }
  return end;
}

// The first sentence and the rest. Of a sentence with more than 25 words the first clauses.
std::pair<std::string, std::string> first_sentence(const std::string& text) {
  const std::size_t end = std::min(text.find(". "), text.size() - 1) + 1;
  std::string first = text.substr(0, end), rest = text.substr(std::min(text.size(), end + 1));
  if (std::ranges::count(first, ' ') < 25) return {first, rest};
  const std::size_t semicolon = clause_end(first, ';');
  const std::size_t cut = semicolon != std::string::npos ? semicolon : clause_end(first, ',');
  if (cut == std::string::npos) return {first, rest};
  rest = first.substr(cut + 2) + (rest.empty() ? "" : " ") + rest;
  if (rest[0] >= 'a' && rest[0] <= 'z') rest[0] = static_cast<char>(rest[0] - 'a' + 'A');
  return {first.substr(0, cut) + ".", rest};
}

// The first findings, the others behind one click, so that the table stays on the first screen.
std::string findings_html(const View& view) {
  std::vector<std::string> first, rest;
  for (const std::string& finding : further_findings(view))
    (first.size() < first_findings ? first : rest).push_back(inline_html(finding));
  return list_html(first, "findings") +
         (rest.empty() ? ""
                       : more_html(fmt::format("{} more finding{}", rest.size(), rest.size() == 1 ? "" : "s"),
                                   list_html(rest, "findings")));
}

std::string json_script(const std::string& id, const std::string& file) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id,
                     script_json(Json::parse(asset(file))));
}

}  // namespace

std::string vega_script() {
  std::string script = asset("page/vega_join.js");
  const std::string line = "//PARTS//";
  return script.replace(script.find(line), line.size(), asset("vega_parts.js"));
}

std::string page(const View& view) {
  std::string contents, main, drawings;
  for (const Section& section : view.sections) {
    const std::string body = html_of(section.body);
    if (body.empty()) continue;
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, escape(section.link));
    main += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 "
        "id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
        section.id, inline_html(section.heading), body);
  }
  for (const char* name : specs)
    drawings += json_script(fmt::format("spec-{}", name), fmt::format("specs/{}.vg.json", name));
  drawings += json_script("config", "specs/config.json");
  const auto [first, rest] = first_sentence(view.headline);
  const std::string heading =
      fmt::format("<h1{}>{}</h1>{}", first.size() > 110 ? " class=\"long\"" : "", escape(first),
                  rest.empty() ? "" : "\n<p class=\"second\">" + escape(rest) + "</p>");
  const std::string scope = view.scope.empty() ? "" : block_html(Prose{{view.scope}, Style::scope});
  std::vector<std::string> verdicts;
  for (const std::string& verdict : view.verdicts) verdicts.push_back(inline_html(verdict));
  return fill(
      asset("page/page.html"),
      {{"title", escape(view.title)},
       {"headline", heading},
       {"lead", scope + list_html(verdicts, "verdicts") + findings_html(view) + html_of(view.lead)},
       {"contents", "<nav class=\"contents\" aria-label=\"Sections\"><ul>" + contents + "</ul></nav>\n"},
       {"main", main},
       {"style", asset("page/page.css")},
       {"specs", drawings},
       {"licence", asset("page/vega_licence.txt")},
       {"vega", vega_script()},
       {"script", asset("page/page.js")}});
}

}  // namespace leeway::render
