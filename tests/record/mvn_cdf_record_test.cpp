// The record of leeway mvn-cdf: its keys and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/record/json.h"
#include "leeway/record/mvn_cdf.h"

namespace leeway::record {
namespace {

using average_case::MvnMethod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MvnCdf two_points() {
  MvnCdf record;
  record.envelope.instruction_set = "baseline";
  record.options.log_tolerance = HUGE_VAL;
  record.results = {{.25, std::log(.25), 2e-5, 1e-4, 0, true, MvnMethod::one_factor},
                    {0, -HUGE_VAL, 0, 0, 4096, false, MvnMethod::tilted}};
  return record;
}

TEST(MvnCdfRecord, IsReadAsItWasWritten) {
  const Json json = to_json(two_points());
  EXPECT_EQ(json["schema"], "leeway.mvn-cdf/2");
  EXPECT_EQ(json["options"].dump(), R"({"tolerance":0.0001,"log_tolerance":"inf","max_points":1048576})");
  EXPECT_EQ(json["results"][1]["log_probability"], "-inf");
  MvnCdf again;
  read([&](Fields& f) { fields(again, f); }, json, "r.json");
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.results[0].method, MvnMethod::one_factor);
}

TEST(MvnCdfRecord, WordsSayTheProbabilityAndWhatIsMissed) {
  MvnCdf record = two_points();
  EXPECT_EQ(headline_of(record), "P(Z <= z) is 0 to 0.25 at 2 points.");
  EXPECT_THAT(findings_of(record),
              ElementsAre("1 of 2 not within the tolerance: raise --max-points or --tolerance"));
  record.results.pop_back();
  EXPECT_EQ(headline_of(record), "P(Z <= z) is 0.25, within 2e-05 with 99%.");
  EXPECT_THAT(findings_of(record), IsEmpty());
}

}  // namespace
}  // namespace leeway::record
