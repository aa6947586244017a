#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "apps/leeway/command_line.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/toml.h"

namespace leeway::app {
namespace {

using Words = std::span<const std::string>;

// The value that stands behind the option, empty where none does; nothing where the option is not there.
std::optional<std::string> value_of(Words words, const std::string& option) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
    if (words[i] == option) return i + 1 < words.size() ? words[i + 1] : "";
  }
  return {};
}

// "pa", and "bound.evaluate" of two words.
using Commands = std::map<std::string, CLI::App*>;

Commands commands_of_config_flags(CLI::App& root) {
  const auto all_of = [](CLI::App& command) {
    return command.get_subcommands([](const CLI::App*) { return true; });
  };
  Commands all;
  for (CLI::App* command : all_of(root)) {
    all[command->get_name()] = command;
    for (CLI::App* inner : all_of(*command)) all[command->get_name() + "." + inner->get_name()] = inner;
  }
  return all;
}

// Which command the words call: that of the first, or the one of its own that a later word names. Words behind an
// option that takes values are those values.
std::string called(const Commands& commands, Words words) {
  const auto command = commands.find(words[1]);
  if (command == commands.end()) return "";
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (commands.contains(words[1] + "." + words[i])) return words[1] + "." + words[i];
    const CLI::Option* const option =
        words[i].starts_with("--") ? command->second->get_option_no_throw(words[i]) : nullptr;
    if (option && option->get_items_expected_max() > 0) ++i;
  }
  return words[1];
}

// Null where the command has no such option, and for those that make no sense in a file.
CLI::Option* option_of(CLI::App& command, const std::string& key) {
  if (key.empty() || key.front() == '-' || key == "help" || key == "config") return nullptr;
  return command.get_option_no_throw("--" + key);
}

std::string shown(const TomlEntry& entry) {
  if (entry.kind == TomlEntry::Kind::boolean) return entry.values.front();
  if (entry.values.size() == 1) return in_quotes(entry.values.front());
  return fmt::format("a list of {}", entry.values.size());
}

void set(CLI::Option& option, const TomlEntry& entry) {
  const auto wrong = [&](std::string_view expected, const std::string& found) {
    refuse(entry.place, fmt::format("{} for {}", expected, entry.key), found);
  };
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag != (entry.kind == TomlEntry::Kind::boolean))
    wrong(is_flag ? "true or false" : "a string, a number or a list", shown(entry));
  if (is_flag && entry.values.front() == "false") return;
  if (option.get_items_expected_max() == 1 && entry.values.size() != 1) wrong("one value", shown(entry));
  if (entry.values.empty()) return;
  for (const std::string& value : entry.values) option.add_result(value);
  check_values(option);
  try {
    option.run_callback();
  } catch (const CLI::ParseError& mistake) {
    wrong("a value that the option takes",
          fmt::format("{} ({})", shown(entry), printable(mistake.what(), 200)));
  }
}

// The option of `command` that an entry is for; null where it is for others.
CLI::Option* meant(const Commands& commands, const CLI::App* command, const TomlEntry& entry) {
  if (entry.table.empty()) {
    CLI::Option* own = nullptr;
    bool known = false;
    for (const auto& [name, one] : commands) {
      CLI::Option* const option = option_of(*one, entry.key);
      known |= option != nullptr;
      if (one == command) own = option;
    }
    if (!known) refuse(entry.place, "the long name of an option", in_quotes(entry.key));
    return own;
  }
  const auto named = commands.find(entry.table);
  if (named == commands.end())
    refuse(entry.place, "a table named after a command of leeway", in_quotes(entry.table));
  CLI::Option* const option = option_of(*named->second, entry.key);
  if (!option)
    refuse(entry.place, fmt::format("the long name of an option of {}", entry.table), in_quotes(entry.key));
  return named->second == command ? option : nullptr;
}

}  // namespace

void apply_config(CLI::App& root, const std::vector<std::string>& arguments) {
  Words words(arguments);
  words = words.first(std::find(words.begin(), words.end(), "--") - words.begin());
  if (words.size() < 2) return;
  const Commands commands = commands_of_config_flags(root);
  const std::string name = called(commands, words), path = value_of(words, "--config").value_or("");
  if (name.empty() || path.empty()) return;
  const std::vector<TomlEntry> entries = parse_toml(map_file(path).text(), path);
  std::set<std::string> own;
  for (const TomlEntry& entry : entries)
    if (entry.table == name) own.insert(entry.key);
  for (const TomlEntry& entry : entries) {
    CLI::Option* const option = meant(commands, commands.at(name), entry);
    const bool overruled = entry.table.empty() && own.contains(entry.key);
    if (option && !overruled && !value_of(words, "--" + entry.key)) set(*option, entry);
  }
}

}  // namespace leeway::app
