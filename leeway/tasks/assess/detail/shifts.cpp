#include "leeway/tasks/assess/detail/shifts.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::assess {
namespace {

constexpr std::size_t most_cells = 2'000;
constexpr std::size_t draws = 1999;  // of p-values and intervals

bool same(const Attribute& a, const Attribute& b) {
  return a.name == b.name && a.values == b.values && a.codes == b.codes;
}

bool same(const AttributeTable& a, const AttributeTable& b) {
  return same(a.label, b.label) &&
         std::ranges::equal(a.attributes, b.attributes,
                            [](const Attribute& x, const Attribute& y) { return same(x, y); });
}

bool same(const std::optional<AttributeTable>& a, const std::optional<AttributeTable>& b) {
  return a && b ? same(*a, *b) : a.has_value() == b.has_value();
}

std::optional<AttributeTable> table_of(const Outputs& own, const Outputs& other, const Pairing& pairing,
                                       const std::vector<std::string>& class_names) {
  const auto labels = labels_of(own, other, pairing);
  const auto& groups = groups_of(own, other, pairing);
  if (labels.empty() || groups.empty()) return std::nullopt;
  if (count_labels(labels) == labels.size()) return attribute_table(own.path, labels, groups, class_names);
  const std::vector<std::size_t> rows = rows_with_labels(labels);
  return attribute_table(own.path, at_rows(labels, rows), taken_groups(groups, rows), class_names);
}

// The attributes that both have, in the source's order, with values in common. False where there are none.
bool bring_together(AttributeTable& source, AttributeTable& target) {
  std::vector<Attribute> kept;
  std::erase_if(source.attributes, [&](const Attribute& attribute) {
    const auto found = std::ranges::find(target.attributes, attribute.name, &Attribute::name);
    if (found == target.attributes.end()) return true;
    kept.push_back(std::move(*found));
    return false;
  });
  target.attributes = std::move(kept);
  if (source.attributes.empty()) return false;
  align(source, target);
  return true;
}

// Names of the attributes that are left out of both for having too many cells.
std::vector<std::string> leave_out(AttributeTable& source, std::optional<AttributeTable>& target) {
  std::vector<std::string> names;
  std::size_t cells = source.label.values.size();
  std::vector<std::uint8_t> kept;
  for (const Attribute& attribute : source.attributes) {
    const std::size_t values = attribute.values.size();
    kept.push_back(values <= most_cells / std::max<std::size_t>(cells, 1));
    if (kept.back())
      cells *= values;
    else
      names.push_back(attribute.name);
  }
  const auto reduce = [&](AttributeTable& table) {
    std::size_t i = 0;
    std::erase_if(table.attributes, [&](const Attribute&) { return !kept[i++]; });
  };
  reduce(source);
  if (target) reduce(*target);
  return names;
}

struct Member {
  AttributeTable before;
  std::optional<AttributeTable> after;
  std::vector<std::string> models, left_out;
  std::string target;  // empty: the source alone
};

std::optional<Member> member_of(const Source& source, const Target& target, const Pairing& pairing,
                                const std::vector<std::string>& class_names) {
  auto before = table_of(source.outputs, target.outputs, pairing, class_names);
  if (!before) return std::nullopt;
  Member member;
  member.models = {source.model};
  auto after = table_of(target.outputs, source.outputs, pairing, class_names);
  if (AttributeTable common = *before; after && bring_together(common, *after) && !same(common, *after)) {
    member.before = std::move(common);
    member.after = std::move(after);
    member.target = target.shift;
  } else {
    member.before = std::move(*before);
  }
  member.left_out = leave_out(member.before, member.after);
  if (member.before.attributes.empty()) return std::nullopt;
  return member;
}

}  // namespace

AttributeTable attribute_table(std::string name, std::span<const std::int64_t> labels,
                               const std::vector<GroupColumn>& groups,
                               const std::vector<std::string>& class_names) {
  AttributeTable table;
  table.name = std::move(name);
  if (!labels.empty()) table.label = {"label", class_names, {}};
  for (const std::int64_t label : labels) table.label.codes.push_back(static_cast<std::uint16_t>(label));
  for (const GroupColumn& group : groups) {
    if (group.levels.size() > 65'535)
      refuse(table.name, fmt::format("at most 65535 values of {}", in_quotes(group.name)),
             group.levels.size());
    table.attributes.push_back({group.name, group.levels, {group.codes.begin(), group.codes.end()}});
  }
  check(table);
  return table;
}

std::vector<tasks::AssessShifts> shifts_of(const Task& task, const std::vector<Pairing>& pairings,
                                           const std::vector<std::string>& class_names) {
  std::vector<Member> members;
  auto pairing = pairings.begin();
  for (const Source& source : task.sources)
    for (const Target& target : task.targets) {
      if (target.model != source.model) continue;
      auto member = member_of(source, target, *pairing++, class_names);
      if (!member) continue;
      const auto known = std::ranges::find_if(members, [&](const Member& one) {
        return one.target == member->target && same(one.before, member->before) &&
               same(one.after, member->after);
      });
      if (known == members.end())
        members.push_back(std::move(*member));
      else if (std::ranges::find(known->models, source.model) == known->models.end())
        known->models.push_back(source.model);
    }
  const conds::DescribeOptions how{task.level, draws, draws, task.seed};
  std::vector<tasks::AssessShifts> list;
  for (const Member& member : members) {
    const AttributeTable* after = member.after ? &*member.after : nullptr;
    list.push_back({member.models, member.target, member.left_out,
                    tasks::described(member.before, after, conds::describe(member.before, after, how),
                                     nullptr, task.level)});
  }
  return list;
}

}  // namespace leeway::assess
