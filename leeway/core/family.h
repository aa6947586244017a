// Families: lists of members that a user selects by name.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/message.h"

namespace leeway {

// One number that a member takes besides the common options.
struct Parameter {
  std::string_view name;
  double value;      // default
  double low, high;  // legal values, both included
  std::string_view meaning;
  bool integer = false;  // whole numbers alone
};

struct Member {
  std::string_view name;                   // "atc-conf"
  std::string_view summary;                // one line for --help and the report
  std::string_view source;                 // paper; may be empty
  std::vector<Parameter> parameters = {};  // none: it takes no numbers of its own
};

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

// The member of that name. Error: "WHAT: expected one of NAMES, found 'NAME'" and the nearest name.
template <class T>
[[nodiscard]] const T& find_member(std::span<const T> family, std::string_view what, std::string_view name) {
  return family[index_of_name(name, family, &T::name, what)];
}

// The defaults of `parameters`, replaced by `given`. Error, opened by `member`: unknown names, values out of range,
// fractional counts.
[[nodiscard]] std::map<std::string, double> complete_parameters(const std::string& member,
                                                                std::span<const Parameter> parameters,
                                                                const std::map<std::string, double>& given);

}  // namespace leeway
