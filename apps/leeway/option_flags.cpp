#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/family.h"
#include "leeway/describe/number_list.h"
#include "leeway/describe/overloaded.h"

namespace leeway::app {
namespace {

// Several of a list come from a TOML file.
std::string read_numbers(const std::vector<std::string>& words, const Range& range,
                         std::vector<double>& values) {
  values.clear();
  for (const std::string& word : words) {
    const auto numbers = parse_numbers(word, range);
    if (!numbers)
      return fmt::format(
          "expected FIRST:LAST:STEP or a list of numbers from {:g} to {:g}, at most {} numbers, found {}",
          range.least, range.most, most_numbers, word);
    values.insert(values.end(), numbers->begin(), numbers->end());
  }
  return "";
}

// The meaning as a sentence, and those of the choices.
std::string help_of(const Field& field) {
  std::string text(field.meaning);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  const char* before = "\n";
  for (const Choice& choice : field.choices) {
    if (choice.meaning.empty()) continue;
    text += fmt::format("{}{}: {}", before, choice.name, choice.meaning);
    before = ";\n";
  }
  return text;
}

constexpr std::array<std::string_view, 4> field_files{"labels", "groups", "index",
                                                      "vocabulary"};  // files to read

class FlagMaker : public Fields {
 public:
  FlagMaker(const Command& command, const std::string& group) : command_(command), group_(group) {}

 private:
  void visit(const Field& field, const Slot& slot) override {
    std::string flag = "--" + std::string(field.name);
    std::ranges::replace(flag, '_', '-');
    const std::string help = help_of(field);
    const auto take = [&](auto* value) { return command_.option(flag, *value, help); };
    const Option option = std::visit(
        Overloaded{[&](double* value) { return bounded(take(value), field); },
                   [&](std::optional<double>* value) { return bounded(take(value), field); },
                   [&](std::size_t* value) { return counted(take(value), field); },
                   [&](std::optional<std::size_t>* value) { return counted(take(value), field); },
                   [&](bool* value) { return command_.flag(flag, *value, help); },
                   [&](std::string* value) { return chosen(take(value), field); },
                   [&](std::optional<std::string>* value) { return chosen(take(value), field); },
                   [&](std::vector<double>* values) {
                     const auto read = [values, range = field.range](const std::vector<std::string>& words) {
                       return read_numbers(words, range, *values);
                     };
                     return command_.words(flag, read, help)
                         .show_default(fmt::format("{}", fmt::join(*values, ",")))
                         .shown_as("NUMBERS");
                   },
                   [&](std::vector<std::size_t>* values) { return take(values).by_commas(); },
                   [&](std::vector<std::string>* values) {
                     return chosen(take(values), field).by_commas().shown_as("NAMES");
                   },
                   [&](const auto&) -> Option {
                     throw std::logic_error(flag + ": no flag has values of this type");
                   }},
        slot);
    if (!group_.empty()) option.group(group_);
    if (std::ranges::find(field_files, field.name) != field_files.end()) command_.reads({flag.c_str()});
  }

  static bool has_range(const Field& field) {
    return std::isfinite(field.range.least) || std::isfinite(field.range.most);
  }

  static Option bounded(const Option& option, const Field& field) {
    return has_range(field) ? option.within(field.range.least, field.range.most) : option;
  }

  static Option counted(const Option& option, const Field& field) {
    constexpr double most = 0x1p62;  // a whole number of float64 that size_t holds
    return has_range(field) ? option.whole_within(static_cast<std::size_t>(std::max(0., field.range.least)),
                                                  static_cast<std::size_t>(std::min(most, field.range.most)))
                            : option;
  }

  // The type shown is the names themselves, where they have no meanings to list.
  static Option chosen(const Option& option, const Field& field) {
    if (field.choices.empty()) return option;
    std::vector<std::string> names;
    for (const Choice& choice : field.choices) names.push_back(choice.name);
    const bool explained =
        std::ranges::any_of(field.choices, [](const auto& c) { return !c.meaning.empty(); });
    return explained ? option.one_of(names).shown_as("NAME") : option.one_of(names);
  }

  const Command& command_;
  const std::string group_;
};

}  // namespace

void add_option_flags(const Command& command, const Description& options, const std::string& group) {
  FlagMaker maker(command, group);
  options(maker);
}

}  // namespace leeway::app
