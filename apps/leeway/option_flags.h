// The flags of a command from the description of its options (leeway/describe/fields.h): "shared_beta" is --shared-beta.
#pragma once

#include <string>

#include "apps/leeway/command_line.h"
#include "leeway/describe/fields.h"

namespace leeway::app {

// Declares a flag for each field: name, default, range or choices, meaning. `options` must outlive the
// command. Lists of numbers are 0,0.5,1 or FIRST:LAST:STEP; lists of texts and whole numbers are a,b,c.
// Structs and other lists are std::logic_error. `group`: the heading in --help; empty: that of all options.
void add_option_flags(const Command& command, const Description& options, const std::string& group = "");

template <class Options>
void add_option_flags(const Command& command, Options& options) {
  add_option_flags(command, Description([&options](Fields& f) { fields(options, f); }));
}

}  // namespace leeway::app
