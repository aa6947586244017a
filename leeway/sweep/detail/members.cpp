#include "leeway/sweep/detail/members.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"

namespace leeway::sweep {
namespace {

using Given = MemberCheck::Given;

// Those that a text names.
std::vector<const Member*> members_of(const CatalogFamily& family, const std::string& text,
                                      const std::string& place) {
  std::vector<const Member*> found;
  for (const std::string& name : family.several ? split(text, ',') : std::vector{text})
    found.push_back(
        &family.members[index_of_name(family.heads ? name.substr(name.find(':') + 1) : name, family.members,
                                      &Member::name, place, fmt::format("{} in leeway list", family.what))]);
  return found;
}

// Name and value of the parameter that a setting gives.
std::pair<std::string, std::string> parameter_of(const Given& given) {
  const auto& [setting, word] = given;
  if (!setting->part.empty()) return {setting->part, word};
  if (setting->option.number) return {setting->name, word};
  const std::size_t equals = word.find('=');
  if (equals == word.npos)
    refuse(setting->place, fmt::format("NAME=NUMBER for {}", setting->name), in_quotes(word));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void check_parameter(const Member& member, const Given& given) {
  const auto [name, text] = parameter_of(given);
  const std::string& place = given.first->place;
  const std::string names = names_of(member.parameters);
  const Parameter& parameter = member.parameters[index_of_name(
      name, member.parameters, &Parameter::name, place,
      names.empty() ? fmt::format("no parameter for {}", member.name)
                    : fmt::format("a parameter of {}: {}", member.name, names))];
  const auto value = parse_fraction(text);
  if (!value && given.first->option.number) return;  // several in one word
  const bool is_whole = !parameter.integer || (value && *value == std::floor(*value));
  if (!value || !(*value >= parameter.low && *value <= parameter.high) || !is_whole)
    refuse(place,
           fmt::format("a {2} from {3:g} to {4:g} for {0} of {1}", name, member.name,
                       parameter.integer ? "whole number" : "number", parameter.low, parameter.high),
           in_quotes(text));
}

}  // namespace

MemberCheck::MemberCheck(const Study& study, const Catalog& catalog) {
  for (const Stage& stage : study.stages) {
    families_.emplace_back();
    try {
      for (CatalogFamily& family : families_of(stage, catalog))
        families_.back().push_back({std::move(family), {}});
    } catch (const std::runtime_error&) {  // another machine will run it
    }
  }
}

void MemberCheck::check(std::size_t stage, const std::vector<Given>& given) {
  for (auto& [family, seen] : families_[stage]) {
    std::string names = family.fallback, place, key;
    std::vector<const Given*> parameters;
    for (const Given& one : given) {
      if (one.first->name == family.option) names = one.second, place = one.first->place;
      if (one.first->name != family.parameters) continue;
      parameters.push_back(&one);
      key += fmt::format(";{}={}", one.first->part, one.second);
    }
    if (names.empty() || !seen.insert(names + key).second) continue;
    for (const Member* member : members_of(family, names, place))
      for (const Given* one : parameters) check_parameter(*member, *one);
  }
}

bool MemberCheck::names(std::size_t stage, const Setting& setting) const {
  return std::ranges::any_of(families_[stage], [&](const OfFamily& one) {
    return one.family.option == setting.name && setting.part.empty();
  });
}

}  // namespace leeway::sweep
