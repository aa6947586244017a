// Completion of the command line in a shell: a short script asks `leeway completion words`.
#pragma once

#include <string>
#include <vector>

#include "apps/leeway/command_line.h"

namespace leeway::app {

class Context;

// What the last of `words` may become, "WORD HELP" a line: commands, options, or choices; nothing where it is any value or
// a file.
[[nodiscard]] std::string completions(const CommandShape& program, const std::vector<std::string>& words);

// leeway completion SHELL, over all commands that `line` has when it runs.
void add_completion(CommandLine& line, Context& context);

}  // namespace leeway::app
