#include "leeway/record/list.h"

#include <fmt/format.h>

#include "leeway/record/json.h"

namespace leeway::record {

ListedMember::ListedMember(const Member& member)
    : name(member.name), summary(member.summary), source(member.source) {
  for (const Parameter& one : member.parameters)
    parameters.push_back(
        {std::string(one.name), one.value, one.low, one.high, one.integer, std::string(one.meaning)});
}

static void fields(ListedParameter& parameter, Fields& f) {
  f("name", parameter.name, "how it is called");
  f("default", parameter.value, "where it is not given");
  f("low", parameter.low, "the least legal value");
  f("high", parameter.high, "the largest legal value");
  f("integer", parameter.integer, "whole numbers alone");
  f("meaning", parameter.meaning, "what it is, with its unit");
}

static void fields(ListedMember& member, Fields& f) {
  f("name", member.name, "how it is called");
  f("summary", member.summary, "what it is");
  f.unless_empty("source", member.source, "the paper; null where there is none");
  f("needs", member.needs,
    "what it needs besides what the whole family needs; of an algorithm, with its default parameters");
  f("about", member.about, "what its family says of members besides, by name");
  f("weights", member.weights,
    "of an architecture, by the shape of images: numbers to learn with 10 classes; null where it does not "
    "take "
    "them");
  f("parameters", member.parameters, "numbers that it takes besides the common options");
}

static void fields(ListedFamily& family, Fields& f) {
  f("family", family.family, "how it is called");
  f("summary", family.summary, "what its members do, and where they are named");
  f("members", family.members, "in the order of the family; empty where it is not available");
  f.unless_empty("missing", family.missing, "why it is not available; null where it is");
}

void fields(ListOptions& options, Fields& f) {
  f.unless_empty("family", options.family, "the family asked for; null: all");
}

void fields(List& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one for each family");
}

std::string headline_of(const List& record) {
  std::size_t members = 0, families = 0;
  for (const ListedFamily& family : record.results) {
    members += family.members.size();
    families += family.missing.empty() ? 1 : 0;
  }
  return fmt::format("{} members of {} {}.", members, families, families == 1 ? "family" : "families");
}

std::vector<std::string> findings_of(const List& record) {
  std::vector<std::string> findings;
  for (const ListedFamily& family : record.results)
    if (!family.missing.empty())
      findings.push_back(fmt::format("{} are not available: {}", family.family, family.missing));
  return findings;
}

}  // namespace leeway::record
