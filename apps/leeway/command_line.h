// The command line: commands, their options, and what a command does. CLI11, which parses it, stands behind this header.
//
// Command and Option are handles: cheap to copy, valid as long as the CommandLine.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/describe/number_list.h"
#include "leeway/sweep/catalog.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leeway::app {

// A mistake in how the command was called: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// What `make` returns; an Error of it is a mistake in the command.
template <class Make>
auto or_usage_error(const Make& make) {
  try {
    return make();
  } catch (const Error& mistake) {
    throw UsageError(mistake.what());
  }
}
// UsageError "OPTION VALUE: WHAT".
[[noreturn]] void refuse_value(const std::string& option, const std::string& value, const std::string& what);

// What a file is to hold. By its name, a record (JSON) and a page (HTML) are refused where it is that of another format.
// `claimed`: the command itself claims what its option stands for.
enum class Written { record, page, file, folder, claimed };

struct WrittenFile {
  Written kind = Written::record;
  std::vector<std::string>
      endings;  // of further files that are written: ".state" beside out.npz is out.npz.state
};

// "" where a value is good, else what is wrong with it.
using Check = std::function<std::string(const std::string&)>;

class Option {
 public:
  Option required() const;
  Option by_commas() const;                            // a list may be one word, a,b,c
  Option one_word() const;                             // of a list: a word each time the option is given
  Option group(const std::string& heading) const;      // in --help
  Option shown_as(const std::string& type) const;      // in --help
  Option show_default(const std::string& text) const;  // in --help; those of numbers and texts are shown
  Option excludes(const Option& other) const;
  Option one_of(const std::vector<std::string>& names) const;  // shown as "a|b"
  template <class Member>
  Option one_of(std::span<const Member> family) const {  // the names of its members
    std::vector<std::string> names;
    for (const Member& member : family) names.emplace_back(member.name);
    return one_of(names);
  }
  Option within(double low, double high) const;  // nan is not
  Option whole_within(std::size_t low, std::size_t high) const;
  Option check(Check check) const;
  // A file to write. Values of options without this that name a file are read.
  Option writes(Written kind, std::vector<std::string> endings = {}) const;

 private:
  friend class Command;
  Option(CLI::Option* option, class CommandLine* line) : option_(option), line_(line) {}
  CLI::Option* option_;
  CommandLine* line_;
};

class Command {
 public:
  // A command of its own: leeway bound evaluate.
  [[nodiscard]] Command add(const std::string& name, const std::string& help) const;
  void needs_command() const;  // it does nothing itself

  // An object that lives as long as the command line: what options are bound to.
  template <class T>
  [[nodiscard]] T& keep() const {
    auto object = std::make_shared<T>();
    hold(object);
    return *object;
  }

  // "--name", or "name" for a positional. T: double, int, std::size_t, std::string, std::optional of the last two or of
  // double, std::vector of double, std::size_t or std::string.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const;
  Option flag(const std::string& name, bool& value, const std::string& help) const;
  // A flag that prints a text in place of the command's work, as --help does.
  void prints(const std::string& name, std::string (*text)(), const std::string& help) const;
  // A list that `take` reads; it says what is wrong with the words, or "".
  Option words(const std::string& name, std::function<std::string(const std::vector<std::string>&)> take,
               const std::string& help) const;
  [[nodiscard]] Option operator[](const std::string& name) const;  // declared already
  // The words that an option was given so far; empty: none. For a footer, which is made before options take their values.
  [[nodiscard]] std::vector<std::string> given(const std::string& name) const;
  void group(const std::string& heading, std::initializer_list<const char*> options) const;
  void reads(std::initializer_list<const char*> options) const;  // whose values all name files, [NAME=]FILE
  void hide(std::initializer_list<const char*> options) const;   // common flags that change nothing here
  void footer(const std::string& text) const;
  void footer(std::function<std::string()> text) const;
  void runs(std::function<int()> run) const;

 private:
  friend class CommandLine;
  Command(CLI::App* app, CommandLine* line) : app_(app), line_(line) {}
  void hold(std::shared_ptr<void> object) const;
  CLI::App* app_;
  CommandLine* line_;
};

// What a command says of itself, for those who complete its words and for studies.
struct CommandShape {
  std::string name, help;
  std::vector<sweep::CatalogOption> options;  // without roles
  std::vector<CommandShape> commands;
};

// An option that takes values, as it was given.
struct Given {
  std::string option;
  std::vector<std::string> values;
  const WrittenFile* written;  // null where it names no file to write
};

class CommandLine {
 public:
  CommandLine(const std::string& help, const std::string& footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] Command root();
  // `arguments` begins with the program's name; "help COMMAND" is "COMMAND --help". Returns what the command
  // does; nothing after printing --help or --version. UsageError: invalid options, an empty text, a number
  // out of the type's range. Error: those of apply_config. std::runtime_error: the text could not be
  // printed.
  [[nodiscard]] std::function<int()> parse(const std::vector<std::string>& arguments);
  [[nodiscard]] std::vector<Given> given() const;  // of the command that was parsed
  [[nodiscard]] CommandShape shape() const;        // of the program and of all its commands

 private:
  friend class Command;
  friend class Option;
  struct State;
  std::unique_ptr<State> state_;
};

// --config FILE.toml: options from the file that `arguments` (the program's name first) name; options on the command line
// win. Keys are the long names of options: at the top for all commands that have them, or in a command's table, which wins
// over the top: [pa], [bound.evaluate]. Call before `root` parses the arguments.
// Errors (Error: file, line and column, expected, found): a missing file, those of io/toml.h, a table of an
// unknown command, an unknown key, a value that the option does not take.
void apply_config(CLI::App& root, const std::vector<std::string>& arguments);

// What every option refuses, whatever it stands for: an empty text, which would count as not given, and a number that
// its type cannot hold. nan is no number here.
void check_values(const CLI::Option& option);

// "NAME=PATH", split at the first "="; the first part is empty where there is none.
[[nodiscard]] std::pair<std::string, std::string> split_name(const std::string& text);
// The values by name of "NAME=VALUE,VALUE,..."; `what` a name is, for the UsageError where there is none.
[[nodiscard]] std::map<std::string, std::vector<std::string>> value_lists(
    const std::string& option, const std::string& what, const std::vector<std::string>& texts);

}  // namespace leeway::app
