#include "leeway/report/detail/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "leeway/core/result.h"
#include "leeway/core/utf8.h"

namespace leeway::report {
namespace {

using Entity = std::pair<std::string_view, std::string_view>;
constexpr Entity html_entities[] = {
    {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// U+202A..202E and U+2066..2069 change the text direction: a name could rewrite its surroundings.
bool turns_direction(std::string_view character) {
  if (character.size() != 3 || character[0] != '\xE2') return false;
  return (character[1] == '\x80' && character[2] >= '\xAA' && character[2] <= '\xAE') ||
         (character[1] == '\x81' && character[2] >= '\xA6' && character[2] <= '\xA9');
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool space = character == "\n" || character == "\r" || character == "\t";
    const bool control = !space && (byte < 0x20 || byte == 0x7F);
    const auto* named = std::ranges::find(html_entities, character, &Entity::first);
    if (length == 0 || control || turns_direction(character))
      out += replacement;
    else if (named != std::end(html_entities))
      out += named->second;
    else
      out += space ? " " : character;
  }
  return out;
}

std::string script_json(const Json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, Json::error_handler_t::replace))
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string fill(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find("{{");
    const std::size_t end = begin == text.npos ? text.npos : text.find("}}", begin);
    if (end == text.npos) return out.append(text);
    out.append(text.substr(0, begin));
    const std::string_view key = text.substr(begin + 2, end - begin - 2);
    for (const auto& [name, value] : values)
      if (name == key) out += value;
    text.remove_prefix(end + 2);
  }
}

std::string section_html(const Section& section) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 "
      "id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
      section.id, section.heading, section.body);
}

std::string part_html(const Section& section) {
  return section.body.empty() ? "" : "<h3>" + section.heading + "</h3>\n" + section.body;
}

std::string terms_html(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::string out;
  for (const auto& [name, meaning] : terms)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, meaning);
  return out.empty() ? out : "<dl class=\"terms\">\n" + out + "</dl>\n";
}

std::string paragraph(const std::string& html) { return "<p>" + html + "</p>\n"; }

std::vector<std::string> escaped(std::vector<std::string> texts) {
  for (std::string& text : texts) text = escape(text);
  return texts;
}

std::string paragraphs(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += paragraph(escape(text));
  return out;
}

std::string scope_line(const std::string& html) { return "<p class=\"scope\">" + html + "</p>\n"; }

std::string list_html(const std::vector<std::string>& items, const std::string& kind) {
  if (items.empty()) return "";
  std::string out = kind.empty() ? "<ul>\n" : fmt::format("<ul class=\"{}\">\n", kind);
  for (const std::string& item : items) out += "<li>" + item + "</li>\n";
  return out + "</ul>\n";
}

std::string more_html(const std::string& summary, const std::string& body, bool open) {
  return fmt::format("<details class=\"more\"{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "",
                     summary, body);
}

std::string key_html(const std::vector<KeyItem>& items) {
  std::string out;
  for (const auto& [kind, words, shape] : items) {
    const std::string mark = shape ? fmt::format(
                                         "<svg class=\"mark {}\" viewBox=\"0 0 12 12\" "
                                         "aria-hidden=\"true\"><use href=\"#shape{}\"/></svg>",
                                         kind, *shape)
                                   : fmt::format("<span class=\"{}\"></span>", kind);
    out += "<li>" + mark + words + "</li>";
  }
  return "<ul class=\"key\">" + out + "</ul>\n";
}

}  // namespace leeway::report
