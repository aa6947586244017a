// A member of a family as the terminal shows it.
#pragma once

#include <string>

#include "leeway/record/list.h"

namespace leeway::app {

// A name, and a text beside it whose lines stand below one another.
[[nodiscard]] std::string beside(const std::string& name, const std::string& text);

// Its name with what it says of itself, what it needs, and its parameters with ranges and defaults; lines that end.
[[nodiscard]] std::string text_of(const record::ListedMember& member);

}  // namespace leeway::app
