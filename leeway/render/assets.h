// The files that embed.cmake builds in: "page/page.css", "specs/curve.vg.json", ..., and "vega_parts.js".
#pragma once

#include <string>
#include <string_view>

namespace leeway::render {

// The file's bytes; empty where there is no such file.
[[nodiscard]] std::string asset(std::string_view name);

[[nodiscard]] std::string vega_script();  // Vega as one script

}  // namespace leeway::render
