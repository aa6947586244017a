#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/leeway/tables.h"
#include "leeway/core/text.h"

namespace leeway::app {

std::string beside(const std::string& name, const std::string& text) {
  constexpr std::size_t column = 27, width = 100;
  std::string lines = wrapped(text, width - column);
  for (std::size_t end = lines.find('\n'); end + 1 < lines.size(); end = lines.find('\n', end + 1))
    lines.insert(end + 1, column, ' ');
  if (name.size() >= column) return fmt::format("{}\n{:{}}{}", name, "", column, lines);
  return fmt::format("{:<{}}{}", name, column, lines);
}

std::string member_text(const record::ListedMember& member) {
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

std::string table_of(const record::List& record) {
  std::string text;
  for (const record::ListedFamily& family : record.results) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", family.family, family.summary);
    for (const record::ListedMember& member : family.members) text += member_text(member);
    if (!family.missing.empty()) text += beside("  not available", family.missing);
  }
  return text;
}

}  // namespace leeway::app
