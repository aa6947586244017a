// Text of a record as safe HTML and JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/result.h"
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

// A paragraph of at most 70 characters a line; `html` stands as it is.
[[nodiscard]] std::string paragraph(const std::string& html);

// What a word means, where it first stands: {name, meaning}, both HTML.
[[nodiscard]] std::string terms_html(const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace leeway::report
