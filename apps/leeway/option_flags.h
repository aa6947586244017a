// The flags of a command from the description of its options (leeway/record/fields.h): "shared_beta" is --shared-beta.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "leeway/record/fields.h"

namespace leeway::app {

// Declares a flag for each field: name, default, range or choices, meaning. What is described must live as long as `command`.
// Lists of numbers are written 0,0.5,1 or FIRST:LAST:STEP, lists of texts and whole numbers a,b,c. Structs and other lists are no flags
// (std::logic_error). `group`: the heading in --help under which they stand; empty: that of all options.
void add_option_flags(CLI::App& command, const record::Description& options, const std::string& group = "");

// "0:1:0.1" or "0,0.5,1", each within the range. CLI::ValidationError otherwise.
[[nodiscard]] std::vector<double> parse_numbers(const std::string& flag, const std::string& text,
                                                const record::Range& range);

}  // namespace leeway::app
