// One function for each alternative of a std::variant.
#pragma once

namespace leeway {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // Clang 14 deduces none of its own

}  // namespace leeway
