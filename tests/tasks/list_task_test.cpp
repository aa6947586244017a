// What every member of every family says of itself, and what is left where there is no model part.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "leeway/core/result.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/list/list.h"
#include "tests/message_of.h"

namespace leeway::tasks::list_task_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ListedMember& named(const List& record, std::string_view name) {
  return *std::ranges::find(record.results.at(0).members, name, &ListedMember::name);
}

const nn::Session& no_session() { throw std::runtime_error("no model part"); }

List listed(const std::string& family) { return list({no_session, {family}, 5}); }

std::string error_of(const std::string& family) {
  return message_of([&] { (void)listed(family); });
}

TEST(ListTask, MembersDescribeThemselves) {
  std::set<std::string> families;
  for (const ListedFamily& family : listed("").results) {
    EXPECT_TRUE(families.insert(family.family).second) << family.family;
    EXPECT_THAT(family.summary, ::testing::HasSubstr(": leeway "));
    if (!family.missing.empty()) continue;
    EXPECT_GE(family.members.size(), 2u) << family.family;
    std::set<std::string> names;
    for (const ListedMember& member : family.members) {
      const std::string where = family.family + ": " + member.name;
      EXPECT_TRUE(names.insert(member.name).second) << where;
      EXPECT_TRUE(std::ranges::all_of(member.name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
      })) << where;
      EXPECT_FALSE(member.summary.empty()) << where;
      EXPECT_TRUE(!family.family.ends_with("shifts") || member.summary.size() < 100) << where;
      for (const auto& [name, value] : member.about) EXPECT_FALSE(value.empty()) << where << ", " << name;
      for (const ListedParameter& one : member.parameters) {
        EXPECT_FALSE(one.name.empty() || one.meaning.empty()) << where;
        EXPECT_TRUE(one.low < one.high && one.low <= one.value && one.value <= one.high) << where;
        EXPECT_TRUE(!one.integer || one.value == std::floor(one.value)) << where;
      }
    }
  }
  EXPECT_EQ(families.size(), tasks::families().size());
}

TEST(ListTask, OneFamilyIsItsMembersInOrder) {
  const List record = listed("shifts");
  ASSERT_EQ(record.results.size(), 1u);
  const std::vector<ListedMember>& members = record.results[0].members;
  ASSERT_EQ(members.size(), shift::members().size());
  for (std::size_t i = 0; i < members.size(); ++i) EXPECT_EQ(members[i].name, shift::members()[i].name);
  const ListedMember &noise = named(record, "gaussian-noise"), &subset = named(record, "label-subset");
  ASSERT_EQ(noise.parameters.size(), 1u);
  EXPECT_EQ(noise.parameters[0].name, "strength");
  EXPECT_EQ(noise.parameters[0].value, .1);
  EXPECT_EQ(noise.parameters[0].high, 10);
  EXPECT_THAT(subset.parameters, IsEmpty());
  EXPECT_THAT(subset.needs, ElementsAre("labels", "classes"));
  EXPECT_EQ(record.envelope.headline, fmt::format("The list has {} members of 1 family.", members.size()));
  EXPECT_THAT(record.envelope.findings, IsEmpty());
  EXPECT_EQ(record.envelope.seed, 5u);
  EXPECT_EQ(to_json(record)["options"]["family"], "shifts");
}

TEST(ListTask, WhatAFamilySaysBesides) {
  EXPECT_EQ(named(listed("estimators"), "cot").about.at("assumes"), error_bound::estimator("cot").assumes);
  EXPECT_THAT(named(listed("pairings"), "label-nearest").needs, ElementsAre("labels", "features"));
  EXPECT_THAT(named(listed("distances"), "kl").needs, ElementsAre("logits", "pairs of rows"));
  EXPECT_EQ(named(listed("attacks"), "fmn").about.at("norms"), "linf l2 l1 l0");
  EXPECT_EQ(named(listed("protocol-sets"), "dsprites").about.at("attributes"), "obj_color, bg_color, scale");
}

TEST(ListTask, WithoutModelsTheRestIsListed) {
  const List record = listed("");
  EXPECT_EQ(record.results[0].family, "architectures");
  EXPECT_THAT(record.results[0].members, IsEmpty());
  EXPECT_EQ(record.results[0].missing, "no model part");
  EXPECT_THROW((void)listed("algorithms"), std::runtime_error);
  EXPECT_THAT(error_of("colours"),
              ::testing::StartsWith("family: expected one of architectures, algorithms, "));
}

}  // namespace leeway::tasks::list_task_test
