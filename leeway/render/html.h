// Text as safe HTML and JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/json_fwd.h"

namespace leeway::render {

// `text` for element content and quoted attributes. Invalid UTF-8, control characters and direction overrides
// become U+FFFD, line breaks and tabs a space.
[[nodiscard]] std::string escape(std::string_view text);

// The same, with what stands between backticks as code.
[[nodiscard]] std::string inline_html(std::string_view text);

// JSON that may stand inside a <script> element: ASCII only, no "<".
[[nodiscard]] std::string script_json(const Json& value);

// `text` with every KEY of {{KEY}} replaced by its value; values are not searched again.
[[nodiscard]] std::string fill(std::string_view text,
                               const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace leeway::render
