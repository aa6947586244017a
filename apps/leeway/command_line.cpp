#include "apps/leeway/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/core/version.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"

namespace leeway::app {
namespace {

// CLI11's own get_name() is empty where an option is hidden.
std::string name_of(const CLI::Option& option) {
  return option.get_positional() || option.get_lnames().empty() ? option.get_name()
                                                                : "--" + option.get_lnames().front();
}

[[noreturn]] void refuse_found(const CLI::Option& option, const std::string& expected,
                               const std::string& value) {
  throw UsageError(fmt::format("{}: expected {}, found {}", name_of(option), expected, in_quotes(value)));
}

// CLI11 2.3 wraps -1 and clips what is too large; 2.4 refuses both without saying why.
template <class Whole, class Parse>
void check_whole(const CLI::Option& option, const std::string& value, Parse parse) {
  constexpr Whole least = std::numeric_limits<Whole>::min(), most = std::numeric_limits<Whole>::max();
  errno = 0;
  static_cast<void>(parse(value.c_str(), nullptr, 0));
  const auto first = value.find_first_not_of(" \t");
  const bool negative = first != std::string::npos && value[first] == '-';
  if (errno == ERANGE || (negative && least == 0))
    refuse_found(option, fmt::format("an integer from {} to {}", least, most), value);
}

void check_value(const CLI::Option& option, const std::string& value) {
  if (value.empty() && !option.get_positional()) refuse_found(option, "a value", value);
  const std::string type = option.get_type_name();
  if (type.starts_with("UINT")) check_whole<std::uint64_t>(option, value, std::strtoull);
  if (type.starts_with("INT")) check_whole<std::int64_t>(option, value, std::strtoll);
  if (!type.starts_with("FLOAT")) return;
  const double number = std::strtod(value.c_str(), nullptr);
  const bool says_infinity = value.find_first_of("iI") != std::string::npos;
  if (std::isnan(number) || (std::isinf(number) && !says_infinity))
    refuse_found(option, "a number that fits in float64", value);
}

// The options that take values, of the commands that were called.
std::vector<const CLI::Option*> called_options(const CLI::App& root) {
  std::vector<const CLI::Option*> options;
  for (const CLI::App* command : root.get_subcommands()) {
    for (const CLI::Option* option : command->get_options())
      if (option->get_items_expected_max() > 0) options.push_back(option);
    const auto inner = called_options(*command);
    options.insert(options.end(), inner.begin(), inner.end());
  }
  return options;
}

// "leeway help pa" as "leeway pa --help".
std::vector<std::string> help_last(std::vector<std::string> arguments) {
  if (arguments.size() < 2 || arguments[1] != "help") return arguments;
  arguments.erase(arguments.begin() + 1);
  arguments.emplace_back("--help");
  return arguments;
}

// "90%" as 0.9; what is no such number stays as it is.
std::string percent_as_number(std::string& text) {
  if (!text.ends_with('%')) return "";
  if (const auto number = parse_number_or_percent(text)) text = fmt::format("{}", *number);
  return "";
}

// The commands that were called, from the root to the innermost.
std::vector<const CLI::App*> called(const CLI::App& root) {
  std::vector<const CLI::App*> path{&root};
  for (auto inner = root.get_subcommands(); !inner.empty(); inner = inner.front()->get_subcommands())
    path.push_back(inner.front());
  return path;
}

std::vector<std::string> commands_in(const CLI::App& app) {
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
  const std::vector<std::string> commands = commands_in(app);
  const std::string near = commands.empty() ? "" : did_you_mean(word, commands);
  const bool needs_command = app.get_parent() == nullptr || app.get_require_subcommand_min() > 0;
  if (near.empty() && !(needs_command && !commands.empty()))
    return fmt::format("unexpected argument {}", in_quotes(word));
  return fmt::format("unknown command {}{}", printable(word), near);
}

// Whether a word stands where a command is expected: --help, which comes first, would hide it.
bool names_no_command(const CLI::App& root) {
  const std::vector<const CLI::App*> path = called(root);
  return !commands_in(*path.back()).empty() && std::ranges::any_of(path, [](const CLI::App* one) {
    return std::ranges::any_of(one->remaining(),
                               [](const std::string& word) { return !word.starts_with('-'); });
  });
}

// One line: an unknown option or command with the nearest name, else CLI11's message; and the --help to read.
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
  const bool takes_command = !commands_in(app).empty();
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

// Sentences break between words; commands, which begin with a blank, do not.
std::string footer_text(const std::string& text) {
  std::string lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines += line.empty() || line.front() == ' ' ? line + "\n" : wrapped(line);
  return lines.substr(0, lines.find_last_not_of('\n') + 1);
}

}  // namespace

void check_values(const CLI::Option& option) {
  for (const std::string& value : option.results()) check_value(option, value);
}

struct CommandLine::State {
  CLI::App app;
  // What CLI11 does not know of an option.
  struct Facts {
    std::optional<WrittenFile> written;
    std::vector<std::string> choices;
    bool reads = false;
  };
  std::map<const CLI::Option*, Facts> facts = {};
  std::vector<std::shared_ptr<void>> kept = {};
  std::function<int()> run = {};
};

Option Option::required() const { return {option_->required(), line_}; }
Option Option::by_commas() const { return {option_->delimiter(','), line_}; }
Option Option::one_word() const { return {option_->allow_extra_args(false), line_}; }
Option Option::group(const std::string& heading) const { return {option_->group(heading), line_}; }
Option Option::shown_as(const std::string& type) const { return {option_->type_name(type), line_}; }
Option Option::show_default(const std::string& text) const { return {option_->default_str(text), line_}; }
Option Option::excludes(const Option& other) const { return {option_->excludes(other.option_), line_}; }
Option Option::check(Check check) const { return {option_->check(std::move(check)), line_}; }

Option Option::one_of(const std::vector<std::string>& names) const {
  line_->state_->facts[option_].choices = names;
  option_->check([names](const std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return std::string();
    return fmt::format("expected one of {}, found {}{}", fmt::join(names, ", "), in_quotes(text),
                       did_you_mean(text, names));
  });
  return shown_as(fmt::format("{}", fmt::join(names, "|")));
}

Option Option::within(double low, double high) const {
  const auto good = [low, high](std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return std::string();
    return fmt::format("expected a number from {:g} to {:g}, found {}", low, high, text);
  };
  option_->check(CLI::Validator(good, fmt::format("from {:g} to {:g}", low, high)));
  return *this;
}

Option Option::whole_within(std::size_t low, std::size_t high) const {
  option_->check(option_->get_type_name().starts_with("INT")
                     ? CLI::Range(static_cast<int>(low), static_cast<int>(high))
                     : CLI::Range(low, high));
  return *this;
}

Option Option::writes(Written kind, std::vector<std::string> endings) const {
  line_->state_->facts[option_].written = {kind, std::move(endings)};
  return *this;
}

Command Command::add(const std::string& name, const std::string& help) const {
  CLI::App* const command = app_->add_subcommand(name, help);
  command->footer("");  // CLI11 hands down that of the command above
  return {command, line_};
}

void Command::needs_command() const { app_->require_subcommand(1); }

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& help) const {
  CLI::Option* const option = app_->add_option(name, value, help);
  if constexpr (std::is_same_v<T, std::size_t>) {
    if (value > 0) option->capture_default_str();
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    option->capture_default_str();
  }
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>> ||
                std::is_same_v<T, std::vector<double>>)
    option->transform(CLI::Validator(percent_as_number, ""));
  return {option, line_};
}

template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, std::size_t&, const std::string&) const;
template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::size_t>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<double>&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::size_t>&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&) const;

Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return {app_->add_flag(name, value, help), line_};
}

void Command::prints(const std::string& name, std::string (*text)(), const std::string& help) const {
  app_->add_flag_callback(
          name, [text] { throw CLI::CallForVersion(text(), 0); }, help)
      ->configurable(false);
}

Option Command::words(const std::string& name,
                      std::function<std::string(const std::vector<std::string>&)> take,
                      const std::string& help) const {
  CLI::callback_t read = [name, take = std::move(take)](const CLI::results_t& given) {
    if (const std::string wrong = take(given); !wrong.empty()) throw CLI::ValidationError(name, wrong);
    return true;
  };
  CLI::Option* const option = app_->add_option(name, std::move(read), help);
  return {option->type_name("TEXT")->expected(1, -1)->allow_extra_args(false), line_};
}

Option Command::operator[](const std::string& name) const { return {app_->get_option(name), line_}; }

std::vector<std::string> Command::given(const std::string& name) const {
  return app_->get_option(name)->results();
}

void Command::group(const std::string& heading, std::initializer_list<const char*> options) const {
  for (const char* const option : options) app_->get_option(option)->group(heading);
}

void Command::reads(std::initializer_list<const char*> options) const {
  for (const char* const option : options) line_->state_->facts[app_->get_option(option)].reads = true;
}

void Command::hide(std::initializer_list<const char*> options) const {
  for (const char* const option : options) app_->get_option(option)->group("");
}

void Command::footer(const std::string& text) const { app_->footer(footer_text(text)); }

void Command::footer(std::function<std::string()> text) const {
  app_->footer([text = std::move(text)] { return footer_text(text()); });
}

void Command::runs(std::function<int()> run) const {
  app_->callback([chosen = &line_->state_->run, run = std::move(run)] {
    if (!*chosen) *chosen = run;  // a command's own command comes before it
  });
}

void Command::hold(std::shared_ptr<void> object) const { line_->state_->kept.push_back(std::move(object)); }

CommandLine::CommandLine(const std::string& help, const std::string& footer)
    : state_(new State{CLI::App(help, "leeway")}) {
  CLI::App& app = state_->app;
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return {&state_->app, this}; }

std::function<int()> CommandLine::parse(const std::vector<std::string>& given) {
  CLI::App& app = state_->app;
  const std::vector<std::string> arguments = help_last(given);
  try {
    apply_config(app, arguments);
    std::vector<std::string> words(arguments.rbegin(), arguments.rend() - (arguments.empty() ? 0 : 1));
    app.parse(std::move(words));
  } catch (const CLI::Success& done) {
    if (done.get_name() == "CallForHelp" && names_no_command(app)) throw UsageError(usage_error(app, done));
    app.exit(done);
    if (!std::cout.flush() || std::fflush(stdout) != 0)
      throw std::runtime_error("stdout: cannot write the text");
    return {};
  } catch (const CLI::ParseError& mistake) {
    for (const CLI::Option* const option : called_options(app)) check_values(*option);
    throw UsageError(usage_error(app, mistake));
  }
  for (const CLI::Option* const option : called_options(app)) check_values(*option);
  return state_->run;
}

std::vector<Given> CommandLine::given() const {
  std::vector<Given> all;
  for (const CLI::Option* const option : called_options(state_->app)) {
    const auto& written = state_->facts[option].written;
    all.push_back({name_of(*option), option->results(), written ? &*written : nullptr});
  }
  return all;
}

CommandShape CommandLine::shape() const {
  const std::function<CommandShape(const CLI::App&)> shape_of = [&](const CLI::App& app) {
    CommandShape shape{app.get_name(), app.get_description(), {}, {}};
    for (const CLI::Option* const option : app.get_options()) {
      if (option->get_group().empty()) continue;
      const std::string& help = option->get_description();
      const State::Facts& facts = state_->facts[option];
      const std::string type = option->get_type_name(), name = name_of(*option);
      sweep::CatalogOption& made = shape.options.emplace_back();
      made.positional = !name.starts_with("--");
      made.name = made.positional ? lower_case(name) : name.substr(2);
      made.help = help.substr(0, help.find('\n'));
      made.flag = option->get_items_expected_max() == 0;
      made.whole = type.starts_with("UINT") || type.starts_with("INT");
      made.number = made.whole || type.starts_with("FLOAT") || type == "NUMBERS";
      if (made.number) made.default_text = option->get_default_str();
      made.file = facts.written.has_value();
      made.record = made.file && facts.written->kind == Written::record;
      made.input = facts.reads, made.choices = facts.choices;
    }
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
      if (!command->get_group().empty()) shape.commands.push_back(shape_of(*command));
    return shape;
  };
  return shape_of(state_->app);
}

void refuse_value(const std::string& option, const std::string& value, const std::string& what) {
  throw UsageError(fmt::format("{} {}: {}", option, value, what));
}

std::pair<std::string, std::string> split_name(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::map<std::string, std::vector<std::string>> value_lists(const std::string& option,
                                                            const std::string& what,
                                                            const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> lists;
  for (const std::string& text : texts) {
    const auto [name, values] = split_name(text);
    if (name.empty())
      throw UsageError(
          fmt::format("{}: expected {}=VALUE,VALUE,..., found {}", option, what, in_quotes(text)));
    lists[name] = split(values, ',');
  }
  return lists;
}

}  // namespace leeway::app
