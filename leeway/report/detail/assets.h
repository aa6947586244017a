// The files built into the library by embed.cmake: "page/page.css", "specs/curve.vg.json", ..., and
// "vega_parts.js".
#pragma once

#include <string>
#include <string_view>

namespace leeway::report {

// The file's bytes; empty where there is no such file.
[[nodiscard]] std::string asset(std::string_view name);

}  // namespace leeway::report
