#include <gmock/gmock.h>

#include "leeway/tasks/assess/gates.h"

namespace leeway::tasks::junit_test {

using ::testing::HasSubstr;

// A gate violated by one result, undecided for the next, violated in a chunk of the third, passed by the last.
TEST(Junit, HasACaseForEachGateAndResult) {
  Assess record;
  for (const char* target : {"a", "b", "c", "<d>"}) {
    AssessResult& result = record.results.emplace_back();
    result.model = "m", result.target = target;
  }
  record.gates = {{"accuracy<90%",
                   "accuracy",
                   "<",
                   .9,
                   {{"m", "a", .718}},
                   {{"m", "c", "day 3", {}, .5, 2, 7}},
                   {{"m", "b", "the target has no labels"}}}};
  const std::string text = junit(record);
  for (const char* words :
       {"tests=\"4\" failures=\"3\" errors=\"0\" skipped=\"0\"",
        "classname=\"m under a\" name=\"accuracy&lt;90%\"><failure message=\"accuracy 71.8% &lt; 90%\"/>",
        "accuracy 50% &lt; 90% (first in chunk day 3, in 2 of 7 chunks)",
        "not decided: the target has no labels",
        "classname=\"m under &lt;d&gt;\" name=\"accuracy&lt;90%\"></testcase>"})
    EXPECT_THAT(text, HasSubstr(words));
  EXPECT_FALSE(record.passed());
  record.options.undecided = "pass";
  EXPECT_THAT(junit(record), HasSubstr("<skipped message=\"not decided: the target has no labels\"/>"));
  record.gates.front().violations.clear(), record.gates.front().chunks.clear();
  EXPECT_TRUE(record.passed());
}

}  // namespace leeway::tasks::junit_test
