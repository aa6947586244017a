#include "leeway/report/detail/html.h"

#include <gmock/gmock.h>

#include "leeway/core/result.h"

namespace leeway::report {
namespace {

TEST(Html, ListsAndTemplates) {
  EXPECT_EQ(list_of({}), "");
  EXPECT_EQ(list_of({"a"}), "a");
  EXPECT_EQ(list_of({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(fill("{{a}}-{{b}}-{{c", {{"a", "{{b}}"}, {"b", "2"}}),
            "{{b}}-2-{{c");  // values are not searched again
  EXPECT_EQ(script_json({{"x", "</script>\xE2\x80\xA8"}}), "{\"x\":\"\\u003c/script>\\u2028\"}");
}

}  // namespace
}  // namespace leeway::report
