// Shifts of labels and groups as the assessment tells them.
#include "leeway/tasks/assess/detail/shifts.h"

#include <gmock/gmock.h>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/described_shifts.h"
#include "tests/holds.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::shifts_test {

using ::testing::IsEmpty;

const std::vector<std::string> names = {"husky", "wolf"};

// Two classes; "place" is the label's own with probability `together`, "hour" has `hours` values, whatever the label.
Outputs outputs(std::size_t n, double together, std::uint64_t seed, std::size_t hours = 2) {
  std::vector<std::int64_t> labels;
  GroupColumn place{"place", {"grass", "snow"}, {}}, hour{"hour", {}, {}};
  for (std::size_t value = 0; value < hours; ++value) hour.levels.push_back(std::to_string(value));
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, stream("assessed shifts"), i);
    labels.push_back(static_cast<std::int64_t>(random.below(2)));
    const auto own = static_cast<std::int32_t>(labels.back());
    place.codes.push_back(random.uniform() < together ? own : 1 - own);
    hour.codes.push_back(static_cast<std::int32_t>(random.below(hours)));
  }
  Outputs made = labelled(outputs_of(std::vector<int>(n, 0), 2), labels);
  made.groups = {place, hour};
  return made;
}

Json shifts(const std::vector<Source>& sources, const std::vector<Target>& targets) {
  Options task;
  task.sources = sources, task.targets = targets;
  task.seed = 5;
  std::vector<Pairing> pairings;
  for (const Source& source : sources)
    for (const Target& target : targets)
      if (target.model == source.model)
        pairings.push_back(pair(source.outputs, target.outputs, predict(source.outputs.logits, "").classes,
                                predict(target.outputs.logits, "").classes, Paired::automatic));
  tasks::Assess record;
  record.shifts = shifts_of(task, pairings, names);
  return to_json(record)["shifts"];
}

TEST(Shifts, AreThoseOfTheDescription) {
  const Outputs source = outputs(600, .95, 1), target = outputs(400, .5, 2);
  const Json found = shifts({{"m", source}}, {{"m", "prod", target}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], Holds(R"({"/target": "prod", "/n_source": 600, "/n_target": 400,
                                  "/findings/0/kind": "SC", "/findings/0/column": "place"})"));

  const AttributeTable before = attribute_table("s", *source.labels, source.groups, names),
                       after = attribute_table("t", *target.labels, target.groups, names);
  conds::DescribeOptions how;
  how.permutations = how.bootstrap = 1999;
  how.seed = 5;
  Json expected = {{"models", {"m"}}, {"target", "prod"}, {"left_out", Json::array()}};
  expected.update(
      to_json(tasks::described(before, &after, conds::describe(before, &after, how), nullptr, .95)));
  EXPECT_EQ(found[0], expected);
}

TEST(Shifts, OfPairsAreTheSourceAloneOnceForAllModels) {
  const Outputs same = outputs(300, .9, 1);
  Outputs bare = same;
  bare.groups.clear();
  const Json found =
      shifts({{"a", same}, {"b", same}},
             {{"a", "noise", same}, {"a", "blur", bare}, {"b", "noise", same}, {"b", "blur", same}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], Holds(R"({"/models": ["a", "b"], "/target": null, "/n_target": null,
                                  "/findings/0/kind": "SC"})"));
}

TEST(Shifts, AreThoseOfTheGroupsThatBothHave) {
  Outputs target = outputs(200, .5, 2);
  target.groups[1].name = "day";
  std::swap(target.groups[0], target.groups[1]);
  Json found = shifts({{"m", outputs(300, .9, 1)}}, {{"m", "prod", target}});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0]["columns"].size(), 2u);
  EXPECT_EQ(found[0]["columns"][1]["name"], "place");
  target.groups.erase(target.groups.begin() + 1);
  found = shifts({{"m", outputs(300, .9, 1)}}, {{"m", "prod", target}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0]["target"].is_null());
}

TEST(Shifts, LeaveOutGroupsOfTooManyCells) {
  const Json found = shifts({{"m", outputs(3000, .9, 1, 501)}}, {{"m", "prod", outputs(3000, .5, 2, 501)}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["left_out"], Json({"hour"}));  // 2 * 2 * 501 cells
  EXPECT_EQ(found[0]["columns"].size(), 2u);
}

TEST(Shifts, NeedLabelsAndGroups) {
  Outputs bare = outputs(100, .5, 1), unlabelled = bare;
  bare.groups.clear();
  unlabelled.labels.reset();
  EXPECT_THAT(shifts({{"m", bare}}, {{"m", "prod", outputs(90, .5, 2)}}), IsEmpty());
  EXPECT_THAT(shifts({{"m", unlabelled}}, {{"m", "prod", outputs(90, .5, 2)}}), IsEmpty());
  // Asserted pairs: what one side has holds for the other.
  EXPECT_EQ(shifts({{"m", bare}}, {{"m", "noise", outputs(100, .5, 1)}}).size(), 1u);
  EXPECT_THAT(assess({{"m", bare}}, {{"m", "prod", bare}})["shifts"], IsEmpty());
}

}  // namespace leeway::assess::shifts_test
