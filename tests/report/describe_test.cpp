// The page of leeway conds describe.
#include <gmock/gmock.h>

#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

Json described() { return reference_record("describe_record.json"); }

TEST(DescribePage, SaysWhatWasFoundAndDrawsTheCells) {
  const std::string page = page_of(described());
  EXPECT_THAT(page, HasSubstr("correlation: shape and color go together in the source (Cramer&#39;s"));
  EXPECT_THAT(page, HasSubstr("<li>low data drift: size = "));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 3u);  // three maps in their panels
  EXPECT_THAT(page, HasSubstr("<option value=\"1\">size</option>"));
  EXPECT_THAT(page, HasSubstr("of the target lies in cells that the source lacks"));
  EXPECT_THAT(page, HasSubstr("Weakest: shape="));
  EXPECT_THAT(page, HasSubstr("Accuracy of every cell, worst first"));
}

TEST(DescribePage, WithoutATargetOrOutputsItSaysLess) {
  Json record = described();
  Json& result = record["results"][0];
  result["findings"] = Json::array();
  record["headline"] = "No shift is found. None of 9 tests is beyond chance.";
  result["n_target"] = result["accuracy"] = result["unseen_cells"] = nullptr;
  for (Json& column : result["columns"]) {
    column["uds"] = nullptr;
    if (!column["sc"].is_null()) column["sc"]["target"] = nullptr;
  }
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("No shift is found"));
  EXPECT_THAT(page, HasSubstr("there is no target"));
  EXPECT_THAT(page, Not(HasSubstr("Weakest")));
}

}  // namespace
}  // namespace leeway::report
