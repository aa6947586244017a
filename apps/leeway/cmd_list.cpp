// leeway list: the members of every family.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/leeway/command.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/text.h"
#include "leeway/tasks/list.h"

namespace leeway::app {
namespace {

// A name, and a text beside it whose lines stand below one another.
std::string beside(const std::string& name, const std::string& text) {
  constexpr std::size_t column = 25, width = 100;
  std::string lines = wrapped(text, width - column);
  for (std::size_t end = lines.find('\n'); end + 1 < lines.size(); end = lines.find('\n', end + 1))
    lines.insert(end + 1, column, ' ');
  return fmt::format("{:<{}}{}", name, column, lines);
}

std::string text_of(const record::ListedMember& member) {
  std::string text = beside("  " + member.name, member.summary);
  if (!member.needs.empty()) text += beside("", fmt::format("needs: {}", fmt::join(member.needs, ", ")));
  for (const auto& [name, value] : member.about) text += beside("", fmt::format("{}: {}", name, value));
  std::vector<std::string> sizes;
  for (const auto& [shape, weights] : member.weights)
    if (weights) sizes.push_back(fmt::format("{:.0f} for {}", *weights, shape));
  if (!sizes.empty()) text += beside("", fmt::format("weights: {}, 10 classes", fmt::join(sizes, ", ")));
  for (const record::ListedParameter& one : member.parameters)
    text += beside("    " + one.name, fmt::format("{} ({:g} to {:g}{}, default {:g})", one.meaning, one.low,
                                                  one.high, one.integer ? ", whole" : "", one.value));
  return text;
}

std::string text_of(const record::List& record) {
  std::string text;
  for (const record::ListedFamily& family : record.results) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", family.family, family.summary);
    for (const record::ListedMember& member : family.members) text += text_of(member);
    if (!family.missing.empty()) text += beside("  not available", family.missing);
  }
  return text;
}

int run_list(Context& context, const record::ListOptions& options) {
  const record::List result = tasks::list(
      {[&]() -> const nn::Session& { return model_session(context.threads); }, options, context.seed});
  return context.finish<record::List>(result, text_of);
}

}  // namespace

void add_list(const Command& root, Context& context) {
  const Command command = root.add("list", "List the members of families, with their parameters");
  auto& options = command.keep<record::ListOptions>();
  std::vector<std::string> names;
  for (const tasks::Family& family : tasks::families()) names.emplace_back(family.name);
  command.option("family", options.family, "One of " + names_of(tasks::families()) + " (default: all)")
      .one_of(names)
      .shown_as("NAME");
  context.add_common_flags(command);
  command.runs([&context, &options] { return run_list(context, options); });
}

}  // namespace leeway::app
