// --config FILE.toml: options from a file; options on the command line win. Keys are the long names of
// options: at the top for all commands that have them, or in a command's table: [pa], [bound.evaluate].
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace leeway::app {

// Applies the file that `arguments` (the program's name first) name, if any. Call before `root` parses them.
// A table [COMMAND] wins over the top of the file.
// Errors (Error: file, line and column, expected, found): no such file, those of core/toml.h, a table of an
// unknown command, an unknown key, a value that the option does not take.
void apply_config(CLI::App& root, const std::vector<std::string>& arguments);

}  // namespace leeway::app
