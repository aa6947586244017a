// --config FILE.toml: the file's options join those of the command line, which win. Its keys are the
// long names of options: at the top for every command that has the option, in a table for the command it names:
// [pa], and [bound.evaluate] for a command of two words.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace leeway::app {

// The options of the command that `arguments` (the program's name first) call, from the file they name, where
// they name one. To be called before `root` parses them. A table [COMMAND] wins over the top of the file.
// Errors (Error: file, line and column, expected, found): no such file, those of core/toml.h, a key at the top
// that no command knows, a table that is no command, a key that its command does not know, a value that the
// option does not take.
void apply_config(CLI::App& root, const std::vector<std::string>& arguments);

}  // namespace leeway::app
