// The flags of a command from the description of its options (leeway/record/fields.h): "shared_beta" is --shared-beta.
#pragma once

#include <string>

#include "apps/leeway/command_line.h"
#include "leeway/record/fields.h"

namespace leeway::app {

// Declares a flag for each field: name, default, range or choices, meaning. What is described must live as long as the
// command. Lists of numbers are written 0,0.5,1 or FIRST:LAST:STEP, lists of texts and whole numbers a,b,c. Structs
// and other lists are no flags (std::logic_error). `group`: the heading in --help under which they stand; empty: that
// of all options.
void add_option_flags(const Command& command, const record::Description& options,
                      const std::string& group = "");

template <class Options>
void add_option_flags(const Command& command, Options& options) {
  add_option_flags(command, record::Description([&options](record::Fields& f) { fields(options, f); }));
}

}  // namespace leeway::app
