// The message of the Error, or of the Interrupted, that `work` throws; "no error" where it throws none.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "leeway/core/error.h"
#include "leeway/core/progress.h"

namespace leeway {

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  } catch (const Interrupted& stop) {
    return stop.what();
  }
  return "no error";
}

// The parts of a message that a test asserts, in their order: "..." between them stands for any text. The last part ends the message.
MATCHER_P(Says, parts, "") {
  std::string_view rest = arg, left = parts;
  for (std::size_t dots; (dots = left.find("...")) != std::string_view::npos; left.remove_prefix(dots + 3)) {
    const std::size_t at = rest.find(left.substr(0, dots));
    if (at == std::string_view::npos) return false;
    rest.remove_prefix(at + dots);
  }
  return rest.ends_with(left);
}

}  // namespace leeway

// The expression throws an Error, or an Interrupted, whose message has these parts.
#define EXPECT_REFUSED(expression, parts) \
  EXPECT_THAT(::leeway::message_of([&] { static_cast<void>(expression); }), ::leeway::Says(parts))
