#include "leeway/render/html.h"

#include <algorithm>
#include <iterator>

#include "leeway/core/result.h"
#include "leeway/core/utf8.h"

namespace leeway::render {
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

std::string inline_html(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find('`', begin));
    out += escape(text.substr(begin, end - begin));
    begin = end + 1;
    if (end == text.size()) break;
    if (!code && text.find('`', begin) == text.npos) {
      out += '`';  // one alone
    } else {
      code = !code;
      out += code ? "<code>" : "</code>";
    }
  }
  return out;
}

}  // namespace leeway::render
