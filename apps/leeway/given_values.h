// What every option refuses, whatever it stands for.
#pragma once

#include <CLI/CLI.hpp>

namespace leeway::app {

// Once `root` is parsed. UsageError for an empty text as an option's value, which would count as not given,
// and for a number that the option's type cannot hold: CLI11 wraps -1 and clips what is too large. nan is no
// number here.
void check_given_values(const CLI::App& root);

}  // namespace leeway::app
