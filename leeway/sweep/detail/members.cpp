#include "leeway/sweep/detail/members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"
#include "leeway/core/suggestion.h"
#include "leeway/record/number_list.h"

namespace leeway::sweep {
namespace {

using Given = MemberCheck::Given;

// Those that a setting names. A name with a colon is built of others.
std::vector<const Member*> named_members(const CatalogFamily& family, const Given& given) {
  std::vector<const Member*> found;
  for (const std::string& name : record::split(given.second, ',')) {
    if (name.find(':') != std::string::npos) continue;
    const auto member = std::ranges::find(family.members, name, &Member::name);
    if (member == family.members.end()) {
      std::vector<std::string> names;
      for (const Member& one : family.members) names.emplace_back(one.name);
      refuse(given.first->place, fmt::format("{} that leeway list has", family.what),
             in_quotes(name) + did_you_mean(name, names));
    }
    found.push_back(&*member);
  }
  return found;
}

// Name and value of the parameter that a setting gives.
std::pair<std::string, std::string> parameter_of(const Given& given) {
  const auto& [setting, word] = given;
  if (!setting->part.empty()) return {setting->part, word};
  const std::size_t equals = word.find('=');
  return equals == word.npos ? std::pair(setting->name, word)
                             : std::pair(word.substr(0, equals), word.substr(equals + 1));
}

void check_parameter(const std::vector<const Member*>& members, const Given& given) {
  const auto [name, text] = parameter_of(given);
  const std::string& place = given.first->place;
  std::string who;
  std::vector<std::string> names;
  bool known = false;
  for (const Member* member : members) {
    who += (who.empty() ? "" : ", ") + std::string(member->name);
    for (const Parameter& parameter : member->parameters) {
      names.emplace_back(parameter.name);
      if (parameter.name != name) continue;
      known = true;
      const auto value = parse_number(text);
      if (!value && given.first->option.number) continue;  // several in one word
      if (!value || !(*value >= parameter.low && *value <= parameter.high) ||
          (parameter.integer && *value != std::floor(*value)))
        refuse(place,
               fmt::format("for {} of {} a {} from {:g} to {:g}", name, member->name,
                           parameter.integer ? "whole number" : "number", parameter.low, parameter.high),
               in_quotes(text));
    }
  }
  if (!known)
    refuse(place,
           fmt::format("a parameter of {} ({})", who,
                       names.empty() ? "it has none" : fmt::format("{}", fmt::join(names, ", "))),
           fmt::format("{}{}; exclude leaves a combination out, and \"\" among several values the option",
                       in_quotes(name), did_you_mean(name, names)));
}

}  // namespace

MemberCheck::MemberCheck(const Study& study, const Catalog& catalog) {
  for (const Stage& stage : study.stages) {
    families_.emplace_back();
    if (!catalog.families_of) continue;
    for (CatalogFamily& family : catalog.families_of(stage.command))
      families_.back().push_back({std::move(family), {}});
  }
}

void MemberCheck::check(std::size_t stage, const std::vector<Given>& given) {
  for (auto& [family, seen] : families_[stage]) {
    const auto names = std::ranges::find_if(
        given, [&](const Given& one) { return one.first->name == family.option && one.first->part.empty(); });
    if (names == given.end()) continue;
    std::string key = names->second;
    std::vector<const Given*> parameters;
    for (const Given& one : given)
      if (one.first->name == family.parameters) {
        parameters.push_back(&one);
        key += fmt::format(";{}={}", one.first->part, one.second);
      }
    if (!seen.insert(key).second) continue;
    const std::vector<const Member*> members = named_members(family, *names);
    if (members.empty()) continue;
    for (const Given* one : parameters) check_parameter(members, *one);
  }
}

}  // namespace leeway::sweep
