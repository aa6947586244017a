#include <fmt/format.h>

#include "leeway/tasks/list/list.h"

namespace leeway::tasks {

ListedMember::ListedMember(const Member& member)
    : name(member.name), summary(member.summary), source(member.source) {
  for (const Parameter& one : member.parameters)
    parameters.push_back(
        {std::string(one.name), one.value, one.low, one.high, one.integer, std::string(one.meaning)});
}

static void fields(ListedParameter& parameter, Fields& f) {
  f("name", parameter.name, "name of the parameter");
  f("default", parameter.value, "default value");
  f("low", parameter.low, "minimum value");
  f("high", parameter.high, "maximum value");
  f("integer", parameter.integer, "integers only");
  f("meaning", parameter.meaning, "meaning and unit");
}

static void fields(ListedMember& member, Fields& f) {
  f("name", member.name, "name of the member");
  f("summary", member.summary, "description of the member");
  f.unless_empty("source", member.source, "source paper; null: none");
  f("needs", member.needs,
    "requirements beyond those of the family; for an algorithm, with its default parameters");
  f("about", member.about, "further properties, by name");
  f("weights", member.weights,
    "number of parameters of an architecture for 10 classes, by image shape; null if it does not support "
    "that shape");
  f("parameters", member.parameters, "parameters beyond the common options");
}

void fields(ListedFamily& family, Fields& f) {
  f("family", family.family, "name of the family");
  f("summary", family.summary, "description of the members, and the option that names them");
  f("members", family.members, "members in order; empty if the family is not available");
  f.unless_empty("missing", family.missing, "why the family is not available; null if it is available");
}

void fields(ListOptions& options, Fields& f) {
  f.unless_empty("family", options.family, "requested family; null: all");
}

std::string headline_of(const List& record) {
  std::size_t members = 0, families = 0;
  for (const ListedFamily& family : record.results) {
    members += family.members.size();
    families += family.missing.empty() ? 1 : 0;
  }
  return fmt::format("The list has {} members of {} {}.", members, families,
                     families == 1 ? "family" : "families");
}

}  // namespace leeway::tasks
