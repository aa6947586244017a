// Scripts that complete the words of the command line in a shell, from what the commands say of themselves.
#pragma once

#include <string>
#include <string_view>

#include "apps/leeway/command_line.h"

namespace leeway::app {

class Context;

// For bash, zsh or fish: commands, options, the choices of options, files elsewhere.
[[nodiscard]] std::string completion_script(const CommandShape& program, std::string_view shell);

// leeway completion SHELL, over all commands that `line` has when it runs.
void add_completion(CommandLine& line, Context& context);

}  // namespace leeway::app
