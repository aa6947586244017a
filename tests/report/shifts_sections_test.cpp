// Shifts of labels and groups on the page of an assessment.
#include <gmock/gmock.h>

#include "leeway/record/join.h"
#include "leeway/record/json.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::full_record;
using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

// What leeway conds describe found, as a member of "shifts".
record::AssessShifts shift_of(const std::vector<std::string>& models, const std::string& target) {
  record::AssessShifts member{models, target, {}, {}};
  const Json json = reference_record("describe_record.json")["results"][0];
  record::read([&](record::Fields& f) { fields(member.shifts, f); }, json, "describe_record.json");
  member.shifts.accuracy.reset();
  return member;
}

TEST(ShiftsSections, SayWhatThePageOfDescribeSays) {
  record::Assess record = full_record(1, 1, 10);
  record.shifts = {shift_of({"model 0"}, "monday <1>")};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "<section id=\"shifts-1\""), 1u);
  EXPECT_THAT(page, HasSubstr("Spurious correlation: shape and color go together in the source"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#shifts-1\">Shifts</a>"));
  EXPECT_THAT(page, HasSubstr("the source against monday &lt;1&gt;"));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("Weakest: shape=")));
}

TEST(ShiftsSections, NameTargetsAndModelsWhereThereAreSeveral) {
  record::Assess record = full_record(2, 1, 10);
  record.shifts = {shift_of({"model 1"}, "monday"), shift_of({"model <0>"}, "")};
  record.shifts[0].left_out = {"user"};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "too many cells: user."), 1u);
  EXPECT_THAT(page, HasSubstr("<a href=\"#shifts-1\">Shifts: monday</a>"));
  EXPECT_THAT(page, HasSubstr("the source against monday (model 1)"));
  EXPECT_THAT(page, HasSubstr("the source alone (model &lt;0&gt;)"));
}

TEST(ShiftsSections, AreJoinedWithTheirModels) {
  record::Assess a = full_record(1, 1, 10);
  a.shifts = {shift_of({"model 0"}, "")};
  const auto joined = record::join_records({"a.json", "b.json"}, std::vector<record::Assess>{a, a}).shifts;
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].models, std::vector<std::string>{"model 0"});
  EXPECT_EQ(joined[1].models, std::vector<std::string>{"model 0 (b.json)"});
}

}  // namespace
}  // namespace leeway::report
