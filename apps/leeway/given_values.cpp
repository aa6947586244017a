#include "apps/leeway/given_values.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "apps/leeway/command.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

[[noreturn]] void refuse_value(const CLI::Option& option, const std::string& expected,
                               const std::string& value) {
  throw UsageError(fmt::format("{}: expected {}, found {}", option.get_name(), expected, in_quotes(value)));
}

void check_whole(const CLI::Option& option, const std::string& value, bool may_be_negative) {
  errno = 0;
  if (may_be_negative)
    static_cast<void>(std::strtoll(value.c_str(), nullptr, 0));
  else
    static_cast<void>(std::strtoull(value.c_str(), nullptr, 0));
  const auto first = value.find_first_not_of(" \t");
  const bool negative = first != std::string::npos && value[first] == '-';
  if (errno != ERANGE && (may_be_negative || !negative)) return;
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  refuse_value(option,
               may_be_negative
                   ? fmt::format("a whole number from {} to {}", least, most)
                   : fmt::format("a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max()),
               value);
}

void check_number(const CLI::Option& option, const std::string& value) {
  const double number = std::strtod(value.c_str(), nullptr);
  const bool says_infinity = value.find_first_of("iI") != std::string::npos;
  if (std::isnan(number) || (std::isinf(number) && !says_infinity))
    refuse_value(option, "a number that float64 holds", value);
}

void check_value(const CLI::Option& option, const std::string& value) {
  if (value.empty() && !option.get_positional()) refuse_value(option, "a value", value);
  const std::string type = option.get_type_name();
  if (type.starts_with("UINT"))
    check_whole(option, value, false);
  else if (type.starts_with("INT"))
    check_whole(option, value, true);
  else if (type.starts_with("FLOAT"))
    check_number(option, value);
}

}  // namespace

void check_given_values(const CLI::App& root) {
  for (const CLI::App* command : root.get_subcommands()) {
    for (const CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() > 0)
        for (const std::string& value : option->results()) check_value(*option, value);
    check_given_values(*command);
  }
}

}  // namespace leeway::app
