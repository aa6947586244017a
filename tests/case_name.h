// Names of parametrized tests: the parameter, or its `name` or `first`, with _ for other characters than letters and digits.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace leeway {

inline const auto case_name = [](const auto& instance) {
  const auto& of = instance.param;
  std::string name;
  if constexpr (requires { name = of; })
    name = of;
  else if constexpr (requires { name = of.name; })
    name = of.name;
  else if constexpr (requires { name = of->name; })
    name = of->name;
  else if constexpr (requires { name = of.first; })
    name = of.first;
  else
    name = name_of(of);
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
};

}  // namespace leeway
