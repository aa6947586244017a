#include "leeway/report/detail/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace leeway::report {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> page_parts_entities{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}}};

std::string plain(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    if (html.front() == '<') {
      html.remove_prefix(std::min(html.size(), html.find('>') + 1));
      continue;
    }
    const auto* entity = std::ranges::find_if(page_parts_entities,
                                              [&](const auto& one) { return html.starts_with(one.first); });
    if (entity == page_parts_entities.end()) {
      if (html.front() != ' ' || (!text.empty() && text.back() != ' ')) text += html.front();
      html.remove_prefix(1);
    } else {
      text += entity->second;
      html.remove_prefix(entity->first.size());
    }
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

// The text between `from` and `to` after `at`, which moves behind `to`; empty and `at` at the end if none.
std::string_view between(std::string_view text, std::size_t& at, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from, at);
  const std::size_t end = begin == text.npos ? begin : text.find(to, begin + from.size());
  if (end == text.npos) {
    at = text.size();
    return {};
  }
  at = end + to.size();
  return text.substr(begin + from.size(), end - begin - from.size());
}

std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  std::size_t at = 0;
  return between(text, at, from, to);
}

// ATTRIBUTE="..." of a start tag.
std::optional<std::string> attribute(std::string_view tag, std::string_view name) {
  const std::string head = fmt::format(" {}=\"", name);
  const std::size_t at = tag.find(head);
  if (at == tag.npos) return std::nullopt;
  return plain(between(tag.substr(at), head, "\""));
}

// Calls found(start tag, content) for each <name ...>content</name> of `html`.
template <class Found>
void each_element(std::string_view html, const std::vector<std::string_view>& names, const Found& found) {
  std::size_t at = 0;
  while (at < html.size()) {
    std::size_t begin = html.npos;
    std::string_view which;
    for (const std::string_view name : names) {
      const std::string tag = fmt::format("<{}", name);
      const auto follows = [&](std::size_t place) { return html.substr(place + tag.size(), 1); };
      std::size_t here = html.find(tag, at);
      while (here != html.npos && follows(here) != " " && follows(here) != ">")
        here = html.find(tag, here + 1);
      if (here < begin) begin = here, which = name;
    }
    if (begin == html.npos) return;
    const std::size_t content = html.find('>', begin) + 1;
    const std::size_t end = html.find(fmt::format("</{}>", which), content);
    if (end == html.npos) return;
    found(html.substr(begin, content - begin), html.substr(content, end - content));
    at = end;
  }
}

// A mark that leads to a note is no part of the text.
PageCell cell_of(std::string_view tag, std::string_view html) {
  PageCell cell;
  cell.text = plain(html);
  cell.value = attribute(tag, "data-v");
  cell.low = attribute(tag, "data-low").value_or("");
  cell.high = attribute(tag, "data-high").value_or("");
  cell.missing = tag.find(" data-missing") != tag.npos;
  return cell;
}

PageTable table_of(std::string_view html, const std::string& section) {
  PageTable table{section, plain(between(html, "<caption>", "</caption>")), {}, {}};
  each_element(
      between(html, "<thead>", "</thead>"), {"th"}, [&](std::string_view tag, std::string_view head) {
        table.columns.push_back(
            {plain(head), tag.find("class=\"num\"") != tag.npos, tag.find("data-interval") != tag.npos});
      });
  each_element(between(html, "<tbody>", "</tbody>"), {"tr"}, [&](std::string_view, std::string_view row) {
    table.rows.emplace_back();
    each_element(row, {"th", "td"}, [&](std::string_view tag, std::string_view cell) {
      table.rows.back().push_back(cell_of(tag, cell));
    });
  });
  return table;
}

Json unpacked(Json content) {
  if (!content.contains("data")) return content;
  for (auto& item : content["data"].items()) {
    Json rows = Json::array();
    for (const Json& values : item.value()["rows"]) {
      Json row = Json::object();
      for (std::size_t i = 0; i < values.size(); ++i)
        row[item.value()["fields"][i].get<std::string>()] = values[i];
      rows.push_back(std::move(row));
    }
    item.value() = std::move(rows);
  }
  return content;
}

// Options of the choice above several charts or in one.
std::vector<std::string> choices_of(std::string_view html) {
  std::vector<std::string> choices;
  each_element(between(html, "<select>", "</select>"), {"option"},
               [&](std::string_view, std::string_view words) { choices.push_back(plain(words)); });
  return choices;
}

}  // namespace

PageParts parts_of(std::string_view page) {
  PageParts parts;
  std::string section = "overview";
  std::vector<std::string> shared;  // choices of the charts that follow
  std::size_t at = 0;
  const std::string_view marks[] = {"<section id=\"", "<table class=\"data\">", "<figure class=\"chart\"",
                                    "<div class=\"charts\"><div class=\"controls\">",
                                    "<div class=\"charts\"><"};
  while (true) {
    std::size_t next = page.npos, which = 0;
    for (std::size_t i = 0; i < std::size(marks); ++i)
      if (const std::size_t found = page.find(marks[i], at); found < next) next = found, which = i;
    if (next == page.npos) return parts;
    at = next + 1;
    std::size_t end = next;
    if (which == 0) {
      section = between(page, end, marks[0], "\"");
    } else if (which == 1) {
      parts.tables.push_back(table_of(between(page, end, marks[1], "</table>"), section));
    } else if (which == 2) {
      const std::string_view figure = between(page, end, marks[2], "</figure>");
      const std::string spec(between(figure, "data-spec=\"", "\""));
      Json content = Json::parse(between(figure, "class=\"payload\">", "</script>"));
      const std::vector<std::string> own = choices_of(figure);
      if (!content.contains("variants")) content = {{"variants", Json::array({std::move(content)})}};
      const Json& variants = content["variants"];
      for (std::size_t i = 0; i < variants.size(); ++i) {
        const std::vector<std::string>& choices = own.empty() ? shared : own;
        parts.charts.push_back({section, spec, unpacked(variants[i]),
                                variants.size() > 1 && i < choices.size() ? choices[i] : ""});
      }
    } else {
      shared = which == 3 ? choices_of(between(page, end, marks[3], "</div>")) : std::vector<std::string>{};
    }
    at = std::max(at, end);
  }
}

Json page_spec(std::string_view page, const std::string& name) {
  return Json::parse(between(page, fmt::format("id=\"spec-{}\">", name), "</script>"));
}

}  // namespace leeway::report
