#include "apps/leeway/usage_errors.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "leeway/core/message.h"

namespace leeway::app {
namespace {

// The commands that were called, from the root to the innermost.
std::vector<const CLI::App*> called(const CLI::App& root) {
  std::vector<const CLI::App*> path{&root};
  for (auto inner = root.get_subcommands(); !inner.empty(); inner = inner.front()->get_subcommands())
    path.push_back(inner.front());
  return path;
}

std::vector<std::string> commands_of_usage_errors(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

// With their dashes; positionals have none.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("unknown option {}{}", printable(name), did_you_mean(name, options_of(app)));
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = commands_of_usage_errors(app);
  if (commands.empty()) return fmt::format("unexpected argument {}", in_quotes(word));
  return fmt::format("unknown command {}{}", printable(word), did_you_mean(word, commands));
}

}  // namespace

bool names_no_command(const CLI::App& root) {
  const std::vector<const CLI::App*> path = called(root);
  return !commands_of_usage_errors(*path.back()).empty() &&
         std::ranges::any_of(path, [](const CLI::App* one) {
           return std::ranges::any_of(one->remaining(),
                                      [](const std::string& word) { return !word.starts_with('-'); });
         });
}

std::string usage_error(const CLI::App& root, const CLI::ParseError& mistake) {
  const std::vector<const CLI::App*> path = called(root);
  const CLI::App& app = *path.back();
  std::string name;
  for (const CLI::App* const one : path) name += (name.empty() ? "" : " ") + one->get_name();
  std::vector<std::string> words;
  for (const CLI::App* const one : path) {
    const auto left = one->remaining();
    words.insert(words.end(), left.begin(), left.end());
  }
  const auto is_option = [](const std::string& word) { return word.starts_with('-') && word != "--"; };
  const auto option = std::ranges::find_if(words, is_option);
  const auto word = std::ranges::find_if(words, [](const std::string& one) { return !one.starts_with('-'); });
  const bool takes_command = !commands_of_usage_errors(app).empty();
  std::string said = mistake.what();
  if (word != words.end() && (takes_command || option == words.end()))
    said = unknown_word(app, *word);
  else if (option != words.end())
    said = unknown_option(app, *option);
  else if (takes_command && dynamic_cast<const CLI::RequiredError*>(&mistake) != nullptr)
    said = "expected a command";
  const bool inner = path.size() > 1 && said != mistake.what();
  return fmt::format("{}{} (see {} --help)",
                     inner ? name.substr(path.front()->get_name().size() + 1) + ": " : "", said, name);
}

}  // namespace leeway::app
