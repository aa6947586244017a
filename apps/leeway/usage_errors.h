// What is said of a command line that CLI11 refuses.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leeway::app {

// Whether a word stands where a command is expected: --help, which comes first, would hide it.
[[nodiscard]] bool names_no_command(const CLI::App& root);

// One line: an unknown option or command with the nearest name, else CLI11's message; and the --help to read.
[[nodiscard]] std::string usage_error(const CLI::App& root, const CLI::ParseError& mistake);

}  // namespace leeway::app
