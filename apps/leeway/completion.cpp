// Completion of the command line in a shell: a short script asks `leeway completion words`.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {
namespace {

constexpr std::string_view bash_script = R"sh(_leeway() {
  local words
  words=$(leeway completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -d ' ' -f 1)
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -o bashdefault -F _leeway leeway
)sh";

constexpr std::string_view fish_script = R"sh(function __leeway_words
  leeway completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null | string replace ' ' \t
end
complete -c leeway -a '(__leeway_words)'
)sh";

std::string script_of(const std::string& shell) {
  if (shell == "fish") return std::string(fish_script);
  return (shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") + std::string(bash_script);
}

std::string word_of(const sweep::CatalogOption& option) { return "--" + option.name; }

// What the last of `words` may become, "WORD HELP" a line: commands, options, or choices; nothing where it is any value or
// a file.
std::string completions(const CommandShape& program, const std::vector<std::string>& words) {
  const CommandShape* command = &program;
  const sweep::CatalogOption* before = nullptr;  // whose value the last word is
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto inner = std::ranges::find(command->commands, words[i], &CommandShape::name);
    if (inner != command->commands.end()) command = &*inner;
    const auto option = std::ranges::find(command->options, words[i], word_of);
    before = option != command->options.end() && !option->flag ? &*option : nullptr;
  }
  std::string lines;
  const auto add = [&](const std::string& word, const std::string& help) {
    lines += word + " " + help + "\n";
  };
  if (before == nullptr && !words.empty() && words.back().starts_with('-')) {
    for (const sweep::CatalogOption& option : command->options)
      if (!option.positional) add(word_of(option), option.help);
    return lines;
  }
  if (before == nullptr) {
    for (const CommandShape& inner : command->commands) add(inner.name, inner.help);
    const auto first = std::ranges::find(command->options, true, &sweep::CatalogOption::positional);
    if (first != command->options.end()) before = &*first;
  }
  if (before != nullptr)
    for (const std::string& choice : before->choices) add(choice, "");
  return lines;
}

}  // namespace

void add_completion(CommandLine& line, Context& context) {
  struct Asked {
    std::string shell;
    std::vector<std::string> words;
  };
  const Command command = line.root().add("completion", "Print a shell completion script");
  auto& asked = command.keep<Asked>();
  command
      .option("shell", asked.shell, "Shell; `words` lists completions of the last word (used by the scripts)")
      .required()
      .one_of({"bash", "zsh", "fish", "words"});
  command.option("words", asked.words,
                 "With `words`: `--` and the command line so far, without the first word leeway");
  command.footer(
      "  eval \"$(leeway completion bash)\"          in ~/.bashrc\n"
      "  eval \"$(leeway completion zsh)\"           in ~/.zshrc, after compinit\n"
      "  leeway completion fish | source           in ~/.config/fish/config.fish");
  command.runs([&line, &context, &asked] {
    context.print({},
                  asked.shell == "words" ? completions(line.shape(), asked.words) : script_of(asked.shell));
    return exit_ok;
  });
}

}  // namespace leeway::app
