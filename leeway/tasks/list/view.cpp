#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/list/list.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

static Facts member_facts(const ListedMember& member) {
  Facts facts{{"  " + member.name, member.summary}};
  const auto add = [&](const std::string& text) { facts.emplace_back("", text); };
  if (!member.needs.empty()) add(fmt::format("needs: {}", fmt::join(member.needs, ", ")));
  for (const auto& [name, value] : member.about) add(fmt::format("{}: {}", name, value));
  std::vector<std::string> sizes;
  for (const auto& [shape, weights] : member.weights)
    if (weights) sizes.push_back(fmt::format("{:.0f} for {}", *weights, shape));
  if (!sizes.empty()) add(fmt::format("weights: {}, 10 classes", fmt::join(sizes, ", ")));
  for (const ListedParameter& one : member.parameters)
    facts.emplace_back("    " + one.name,
                       fmt::format("{} ({:g} to {:g}{}, default {:g})", one.meaning, one.low, one.high,
                                   one.integer ? ", integer" : "", one.value));
  return facts;
}

Blocks member_terms(const ListedMember& member) { return in_both(term_list(member_facts(member))); }

View view(const List& record) {
  Blocks lead;
  for (const ListedFamily& family : record.results) {
    lead += subheading(fmt::format("{}: {}", family.family, family.summary));
    Facts facts;
    for (const ListedMember& member : family.members)
      for (auto& fact : member_facts(member)) facts.push_back(std::move(fact));
    if (!family.missing.empty()) facts.emplace_back("  not available", family.missing);
    lead += term_list(std::move(facts));
  }
  return {.title = "leeway: families", .lead = in_both(std::move(lead))};
}

}  // namespace leeway::tasks
