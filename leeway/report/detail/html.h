// Text of a record as safe HTML and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/json_fwd.h"
#include "leeway/core/text.h"

namespace leeway::report {

// `text` for element content and quoted attributes. Invalid UTF-8, control characters and direction overrides
// become U+FFFD, line breaks and tabs a space.
[[nodiscard]] std::string escape(std::string_view text);

// JSON that may stand inside a <script> element: ASCII only, no "<".
[[nodiscard]] std::string script_json(const Json& value);

// `text` with every KEY of {{KEY}} replaced by its value; values are not searched again.
[[nodiscard]] std::string fill(std::string_view text,
                               const std::vector<std::pair<std::string, std::string>>& values);

struct Section {
  std::string id, link;  // the link's words in the page's contents
  std::string heading;   // a finding, HTML
  std::string body;      // HTML
};
[[nodiscard]] std::string section_html(const Section& section);
[[nodiscard]] std::string part_html(const Section& section);  // within another section; empty without a body

// What follows takes HTML and puts it as it is.
[[nodiscard]] std::string paragraph(const std::string& html);
[[nodiscard]] std::string paragraphs(const std::vector<std::string>& texts);  // of texts, which are escaped
[[nodiscard]] std::vector<std::string> escaped(std::vector<std::string> texts);
[[nodiscard]] std::string scope_line(const std::string& html);  // what a page is about, small
// An item each; empty where there are none. `kind`: its class in page.css.
[[nodiscard]] std::string list_html(const std::vector<std::string>& items, const std::string& kind = "");
// Something behind one click.
[[nodiscard]] std::string more_html(const std::string& summary, const std::string& body, bool open = false);

// Explains the marks of a chart: "swatch term0" is a class in page.css, "m1" one of a mark, whose shape is that of #shapeN.
struct KeyItem {
  std::string kind;
  std::string words;
  std::optional<std::size_t> shape = {};
};
[[nodiscard]] std::string key_html(const std::vector<KeyItem>& items);

// What a word means, where it first stands: {name, meaning}, both HTML.
[[nodiscard]] std::string terms_html(const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace leeway::report
