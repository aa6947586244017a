#include "apps/leeway/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {
namespace {

// Every command with the words that call it, "leeway bound evaluate", the program first.
using Visit = std::function<void(const std::string& words, const CommandShape&)>;

void for_each_command(const CommandShape& shape, const std::string& words, const Visit& visit) {
  visit(words, shape);
  for (const CommandShape& inner : shape.commands) for_each_command(inner, words + " " + inner.name, visit);
}

std::vector<std::string> names_of_commands(const std::vector<CommandShape>& commands) {
  std::vector<std::string> names;
  for (const CommandShape& command : commands) names.push_back(command.name);
  return names;
}

bool is_option(const OptionShape& option) { return option.name.starts_with("--"); }

std::vector<std::string> options_of(const CommandShape& command) {
  std::vector<std::string> names;
  for (const OptionShape& option : command.options)
    if (is_option(option)) names.push_back(option.name);
  return names;
}

// What a command's first word may be: its commands, or the choices of its first positional.
std::vector<std::string> words_of(const CommandShape& command) {
  std::vector<std::string> words = names_of_commands(command.commands);
  for (const OptionShape& option : command.options)
    if (!is_option(option)) {
      words.insert(words.end(), option.choices.begin(), option.choices.end());
      break;
    }
  return words;
}

// The patterns of a shell's `case` that go from the program's word to the innermost command.
std::string command_patterns(const CommandShape& program) {
  std::vector<std::string> patterns;
  for_each_command(program, program.name, [&](const std::string& words, const CommandShape&) {
    if (words != program.name) patterns.push_back('"' + words + '"');
  });
  return fmt::format("{}", fmt::join(patterns, "|"));
}

// A case for each option with choices, and for the others that take values.
std::string option_cases(const CommandShape& program) {
  std::string text;
  std::vector<std::string> valued;
  for_each_command(program, program.name, [&](const std::string& words, const CommandShape& command) {
    for (const OptionShape& option : command.options) {
      if (!is_option(option) || !option.takes_values) continue;
      const std::string pattern = fmt::format("\"{} {}\"", words, option.name);
      if (option.choices.empty())
        valued.push_back(pattern);
      else
        text += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", pattern,
                            fmt::join(option.choices, " "));
    }
  });
  return text + fmt::format("    {}) return ;;\n", fmt::join(valued, "|"));
}

std::string bash_script(const CommandShape& program) {
  std::string text = fmt::format(
      R"sh(_leeway() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=leeway words= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in {}) command+=" ${{COMP_WORDS[i]}}" ;; esac
  done
  COMPREPLY=()
  case "$command $before" in
)sh",
      command_patterns(program));
  text += option_cases(program) + "  esac\n  case \"$command\" in\n";
  for_each_command(program, program.name, [&](const std::string& words, const CommandShape& command) {
    text +=
        fmt::format("    \"{}\")\n      if [[ $word == -* ]]; then words=\"{}\"; else words=\"{}\"; fi ;;\n",
                    words, fmt::join(options_of(command), " "), fmt::join(words_of(command), " "));
  });
  return text + R"sh(  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -o bashdefault -F _leeway leeway
)sh";
}

// One of fish's single-quoted words.
std::string fish_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const CommandShape& program) {
  std::string text =
      "# fish: this file as ~/.config/fish/completions/leeway.fish, or leeway completion fish | source\n"
      "function __leeway_at\n"
      "  set -l command leeway\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$command $word\"\n"
      "      case ";
  std::string patterns = command_patterns(program);
  for (char& c : patterns)
    if (c == '|') c = ' ';
  text += patterns +
          "\n        set command \"$command $word\"\n    end\n  end\n  test \"$command\" = \"$argv\"\nend\n";
  for_each_command(program, program.name, [&](const std::string& words, const CommandShape& command) {
    const std::string here = fmt::format("complete -c leeway -n \"__leeway_at {}\"", words);
    for (const CommandShape& inner : command.commands)
      text += fmt::format("{} -a {} -d {}\n", here, inner.name, fish_word(inner.help));
    if (command.commands.empty())
      for (const std::string& word : words_of(command)) text += fmt::format("{} -a {}\n", here, word);
    for (const OptionShape& option : command.options) {
      if (!is_option(option)) continue;
      std::string values = option.takes_values ? " -r" : "";
      if (!option.choices.empty())
        values = fmt::format(" -x -a {}", fish_word(fmt::format("{}", fmt::join(option.choices, " "))));
      text += fmt::format("{} -l {} -d {}{}\n", here, option.name.substr(2), fish_word(option.help), values);
    }
  });
  return text;
}

}  // namespace

std::string completion_script(const CommandShape& program, std::string_view shell) {
  if (shell == "fish") return fish_script(program);
  if (shell == "zsh")
    return "# zsh: eval \"$(leeway completion zsh)\" in ~/.zshrc, after compinit\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash_script(program);
  return "# bash: eval \"$(leeway completion bash)\", or this text as "
         "~/.local/share/bash-completion/completions/leeway\n" +
         bash_script(program);
}

void add_completion(CommandLine& line, Context& context) {
  const Command command = line.root().add("completion", "Print a shell completion script");
  auto& shell = command.keep<std::string>();
  command.option("shell", shell, "Shell").required().one_of({"bash", "zsh", "fish"});
  command.footer(
      "  eval \"$(leeway completion bash)\"                                    in ~/.bashrc\n"
      "  eval \"$(leeway completion zsh)\"                                     in ~/.zshrc, after compinit\n"
      "  leeway completion fish > ~/.config/fish/completions/leeway.fish");
  command.runs([&line, &context, &shell] {
    context.print({}, completion_script(line.shape(), shell));
    return exit_ok;
  });
}

}  // namespace leeway::app
