#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "leeway/report/report.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::full_record;

std::string complaint(const std::vector<std::pair<std::string, Json>>& records) {
  try {
    (void)join_records(records);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Join, OneRecordStaysAsItIs) {
  const Json record = full_record(1, 2, 3);
  EXPECT_EQ(join_records({{"a.json", record}}), record);
}

TEST(Join, SetsModelsSideBySide) {
  Json a = full_record(1, 2, 3), b = full_record(1, 2, 3);
  a["headline"] = "a is fair";
  b["headline"] = "b is bad";
  for (Json& result : b["results"]) {
    result["model"] = "other";
    result["accuracy"] = .1;
  }
  const Json joined = join_records({{"a.json", a}, {"b.json", b}});
  EXPECT_EQ(joined["results"].size(), 4u);
  EXPECT_EQ(joined["models"], (Json{"model 0", "other"}));
  EXPECT_EQ(joined["targets"], (Json{"shift 0", "shift 1"}));
  EXPECT_EQ(joined["headline"], "b is bad");  // its worst result is the worst of all
  EXPECT_EQ(joined["findings"], Json{"a is fair"});
  EXPECT_EQ(joined["commands"].size(), 2u);
  EXPECT_EQ(test::malformed(html_report(joined)), std::nullopt);
}

TEST(Join, TellsEqualNamesApart) {
  const Json record = full_record(1, 1, 3);
  const Json joined = join_records({{"a.json", record}, {"b.json", record}});
  EXPECT_EQ(joined["models"], (Json{"model 0", "model 0 (b.json)"}));
}

TEST(Join, RefusesWhatDoesNotBelongTogether) {
  const Json record = full_record(1, 1, 3);
  EXPECT_EQ(complaint({}), "join: expected at least one record, found none");
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", full_record(1, 1, 4)}}),
            "b.json: expected 3 classes as in a.json, found 4");
  Json renamed = record;
  renamed["class_names"][1] = "cat";
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", renamed}}),
            "b.json: expected class 1 named 'class 1' as in a.json, found 'cat'");
  EXPECT_EQ(complaint({{"a.json", record}, {"b.json", {{"schema", "leeway.pa/1"}}}}),
            "b.json: expected schema leeway.assess/1, the only one of which several make one page, found "
            "\"leeway.pa/1\"");
}

}  // namespace
}  // namespace leeway::report
