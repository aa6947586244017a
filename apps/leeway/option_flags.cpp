#include "apps/leeway/option_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "apps/leeway/options.h"
#include "leeway/core/family.h"
#include "leeway/record/overloaded.h"

namespace leeway::app {
namespace {

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string sentence(std::string_view meaning) {
  std::string text(meaning);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

class FlagMaker : public record::Fields {
 public:
  FlagMaker(CLI::App& command, const std::string& group) : command_(command), group_(group) {}

 private:
  void visit(const record::Field& field, const record::Slot& slot) override {
    const std::string flag = flag_of(field.name), help = sentence(field.meaning);
    CLI::Option* option = std::visit(
        record::Overloaded{
            [&](double* value) {
              return add_number(command_.add_option(flag, *value, help), field)->capture_default_str();
            },
            [&](std::optional<double>* value) {
              return add_number(command_.add_option(flag, *value, help), field);
            },
            [&](std::size_t* value) {
              CLI::Option* made = add_count(command_.add_option(flag, *value, help), field);
              return *value > 0 ? made->capture_default_str() : made;
            },
            [&](std::optional<std::size_t>* value) {
              return add_count(command_.add_option(flag, *value, help), field);
            },
            [&](bool* value) { return command_.add_flag(flag, *value, help); },
            [&](std::string* value) {
              return add_choice(command_.add_option(flag, *value, help), field)->capture_default_str();
            },
            [&](std::optional<std::string>* value) {
              return add_choice(command_.add_option(flag, *value, help), field);
            },
            [&](std::vector<double>* values) {
              CLI::callback_t take = [values, flag, range = field.range](const CLI::results_t& words) {
                values->clear();
                for (const std::string& word : words)  // several of a list in a TOML file
                  std::ranges::copy(parse_numbers(flag, word, range), std::back_inserter(*values));
                return true;
              };
              return command_.add_option(flag, std::move(take), help)
                  ->type_name("TEXT")
                  ->expected(1, -1)
                  ->allow_extra_args(false)
                  ->default_str(fmt::format("{}", fmt::join(*values, ",")));
            },
            [&](std::vector<std::size_t>* values) {
              return command_.add_option(flag, *values, help)->delimiter(',');
            },
            [&](std::vector<std::string>* values) {
              CLI::Option* made = add_choice(command_.add_option(flag, *values, help), field);
              return made->delimiter(',')->type_name("NAMES");
            },
            [&](const auto&) -> CLI::Option* {
              throw std::logic_error(flag + ": no flag has values of this type");
            }},
        slot);
    if (!group_.empty()) option->group(group_);
  }

  static CLI::Option* add_number(CLI::Option* option, const record::Field& field) {
    const bool bounded = std::isfinite(field.range.least) || std::isfinite(field.range.most);
    return bounded ? option->check(within(field.range.least, field.range.most)) : option;
  }

  static CLI::Option* add_count(CLI::Option* option, const record::Field& field) {
    constexpr double most = 0x1p62;  // a whole number of float64 that size_t holds
    if (std::isfinite(field.range.least) || std::isfinite(field.range.most))
      option->check(CLI::Range(static_cast<std::size_t>(std::max(0., field.range.least)),
                               static_cast<std::size_t>(std::min(most, field.range.most))));
    return option;
  }

  // The type shown is the names themselves, where they have no meanings to list.
  static CLI::Option* add_choice(CLI::Option* option, const record::Field& field) {
    if (field.choices.empty()) return option;
    std::vector<std::string> names;
    std::string help = option->get_description(), type;
    const char* before = "\n";
    for (const record::Choice& choice : field.choices) {
      names.push_back(choice.name);
      type += (type.empty() ? "" : "|") + choice.name;
      if (choice.meaning.empty()) continue;
      help += fmt::format("{}{}: {}", before, choice.name, choice.meaning);
      before = ";\n";
    }
    const bool explained = help.size() > option->get_description().size();
    return option->check(CLI::IsMember(names).description(""))
        ->type_name(explained ? "NAME" : type)
        ->description(help);
  }

  CLI::App& command_;
  const std::string group_;
};

}  // namespace

void add_option_flags(CLI::App& command, const record::Description& options, const std::string& group) {
  FlagMaker maker(command, group);
  options(maker);
}

std::vector<double> parse_numbers(const std::string& flag, const std::string& text,
                                  const record::Range& range) {
  const auto fail = [&] {
    throw CLI::ValidationError(
        flag, fmt::format("expected FIRST:LAST:STEP or a list within {:g} to {:g}, found {}", range.least,
                          range.most, text));
  };
  const bool steps = text.find(':') != std::string::npos;
  std::vector<double> numbers;
  for (const std::string& part : CLI::detail::split(text, steps ? ':' : ',')) {
    double value = 0;
    if (!CLI::detail::lexical_cast(part, value) || !(value >= range.least && value <= range.most)) fail();
    numbers.push_back(value);
  }
  if (!steps) return numbers;
  if (numbers.size() != 3 || numbers[1] < numbers[0] || !(numbers[2] >= 1e-4)) fail();
  std::vector<double> values;
  for (int i = 0; numbers[0] + i * numbers[2] <= numbers[1] + 1e-9; ++i)
    values.push_back(std::min(range.most, numbers[0] + i * numbers[2]));
  return values;
}

}  // namespace leeway::app
