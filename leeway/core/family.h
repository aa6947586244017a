// Families: members that a user chooses by name, each with a field `name`, in one visible list.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "leeway/core/message.h"

namespace leeway {

// "linear, small-cnn", in the order of the list; "" of an empty one.
template <class Members>
[[nodiscard]] std::string names_of(const Members& members) {
  std::string names;
  for (const auto& member : members) {
    if (!names.empty()) names += ", ";
    names += member.name;
  }
  return names;
}

// The first member of that name. Error where there is none: "WHAT: expected one of NAMES, found 'NAME'".
template <class Member>
[[nodiscard]] const Member& find_member(std::span<const Member> family, std::string_view what,
                                        std::string_view name) {
  for (const Member& member : family)
    if (member.name == name) return member;
  refuse(what, "one of " + names_of(family), in_quotes(name));
}

}  // namespace leeway
