#include "leeway/core/numbers.h"

#include <gmock/gmock.h>

#include <cmath>

#include "leeway/core/result.h"

namespace leeway {
namespace {

TEST(Numbers, DigitsStopWhereTheIntervalBegins) {
  EXPECT_EQ(percent({.7402, .7312, .7489}), "74.0%");  // half width .9 points: one decimal
  EXPECT_EQ(percent_interval({.7402, .7312, .7489}), "73.1–74.9");
  EXPECT_EQ(percent({.7402, .65, .83}), "74%");  // 9 points: none
  EXPECT_EQ(percent({.74021, .73995, .74045}), "74.02%");
  EXPECT_EQ(percent({.7402, {}, {}}), "74.0%");
  EXPECT_EQ(decimals_for(0, 3), 3);
  EXPECT_EQ(decimals_for(2.1, 3), 0);
  EXPECT_EQ(decimals_for(1.9, 3), 1);
  EXPECT_EQ(decimals_for(.21, 3), 1);
  EXPECT_EQ(decimals_for(.19, 3), 2);
  EXPECT_EQ(decimals_for(1e-12, 3), 4);
}

TEST(Numbers, AreWrittenForReaders) {
  EXPECT_EQ(fixed(-.71, 1), "−0.7");
  EXPECT_EQ(fixed(-.04, 1), "0.0");
  EXPECT_EQ(fixed(HUGE_VAL, 1), "∞");
  EXPECT_EQ(fixed(-HUGE_VAL, 1), "–∞");
  EXPECT_EQ(fixed(NAN, 1), "not a number");
  EXPECT_EQ(significant(.012345, 3), "0.0123");
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1234567), "1,234,567");
  EXPECT_EQ(sureness(.9996), ">99.9%");
  EXPECT_EQ(sureness(.997), "99.7%");
  EXPECT_EQ(sureness(.46), "46%");
  EXPECT_EQ(signed_points({.031, .02, .042}), "+3.1");
  EXPECT_EQ(bytes(480264), "480 kB");
}

TEST(Numbers, ChartsGetFiveDigits) {
  EXPECT_EQ(brief(.123456789), Json(.12346));
  EXPECT_EQ(brief(HUGE_VAL), Json());
  EXPECT_EQ(brief(5e-324), Json(5e-324));
  EXPECT_EQ(brief(1.7976931348623157e308), Json(1.7976931348623157e308));  // 1.7977e308 is beyond float64
}

}  // namespace
}  // namespace leeway
