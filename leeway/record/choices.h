// The members of a family, as what an option may be.
#pragma once

#include <string>
#include <vector>

#include "leeway/record/fields.h"

namespace leeway::record {

template <class Members>
[[nodiscard]] std::vector<Choice> choices_of(const Members& members) {
  std::vector<Choice> choices;
  for (const auto& member : members)
    choices.push_back({std::string(member.name), std::string(member.summary)});
  return choices;
}

}  // namespace leeway::record
