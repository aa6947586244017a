// What is said of a command line that CLI11 refuses.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leeway::app {

// One line: an unknown option or command first, with the name that is near it, else what CLI11 says; and which --help
// tells more.
[[nodiscard]] std::string usage_error(const CLI::App& root, const CLI::ParseError& mistake);

}  // namespace leeway::app
