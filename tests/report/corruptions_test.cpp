// The page of leeway shift corrupt.
#include <gmock/gmock.h>

#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

Json corrupted() { return reference_record("corruptions_record.json"); }

TEST(CorruptionsPage, SaysWhatWasFoundAndDrawsIt) {
  const std::string page = page_of(corrupted());
  EXPECT_THAT(page, HasSubstr("19 corruptions at 5 severities; corrected variant"));
  EXPECT_THAT(page, HasSubstr("saturate was left out: not defined on grey pictures."));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 2u);  // accuracy and agreement
  EXPECT_EQ(occurrences(page, "data-spec=\"overview\"><"), 1u);
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><"), 5u);  // groups
  EXPECT_THAT(page, HasSubstr("<option value=\"1\">Posterior agreement</option>"));
  EXPECT_THAT(page, HasSubstr("Mean corruption error (unnormalised)"));
}

TEST(CorruptionsPage, ErrorsRelativeToAReference) {
  Json record = corrupted();
  record["mean"]["reference"] = "AlexNet";
  record["mean"]["mce"] = 71.23;
  for (Json& row : record["errors"]) row["ce"] = 71.2, row["ce_low"] = 70.1, row["ce_high"] = 72.3;
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("mCE 71.2 relative to AlexNet"));
  EXPECT_THAT(page, HasSubstr("70.1–72.3"));
  EXPECT_THAT(page, HasSubstr("Relative CE"));
}

TEST(CorruptionsPage, WithoutLabelsOrAModelItSaysLess) {
  Json record = corrupted();
  for (Json& set : record["results"])
    for (const char* key : {"accuracy", "accuracy_low", "accuracy_high", "error", "error_low", "error_high"})
      set[key] = nullptr;
  record["clean"] = record["mean"] = nullptr;
  record["errors"] = Json::array();
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Agreement falls with severity"));
  EXPECT_THAT(page, HasSubstr("no labels were given"));
  EXPECT_THAT(page, Not(HasSubstr("data-spec=\"overview\"><")));
  for (Json& set : record["results"])
    for (const char* key : {"pa", "pa_low", "pa_high", "pa_normalized"}) set[key] = nullptr;
  record["k"] = nullptr;
}

}  // namespace
}  // namespace leeway::report
