// The page of leeway align.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/report/report.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

record::Align record_of(bool labelled) {
  record::Align record;
  record.envelope.instruction_set = "baseline";
  record::AlignSet& set = record.results.emplace_back();
  set.shifted = "blue<1>.npz", set.n = 3, set.d = 8;
  set.cross_domain_error = .25, set.cross_domain_error_interval = {.125, .5};
  set.correlation = .5, set.angle = 12.5, set.explained_variance_clean = .75,
  set.explained_variance_shifted = .5;
  set.projections_clean = {-1, 0, 1}, set.projections_shifted = {-1, .5, 1};
  if (labelled) {
    set.class_variance_clean = .1, set.class_variance_clean_interval = Interval{.05, .2};
    set.class_variance_shifted = .6, set.class_variance_shifted_interval = Interval{.5, .7};
    set.projection_labels = {"four", "nine", "nine"};
  }
  record.envelope.headline = headline_of(record);
  return record;
}

TEST(AlignPage, ShowsProjectionsByClass) {
  const std::string page = html_report(record_of(true));
  EXPECT_THAT(page, HasSubstr("data-spec=\"alignment\""));
  EXPECT_THAT(page, HasSubstr("id=\"spec-alignment\""));
  EXPECT_THAT(page, HasSubstr("12.5 degrees between the strongest directions"));
  EXPECT_THAT(page, HasSubstr("blue&lt;1&gt;.npz"));
  EXPECT_THAT(page, Not(HasSubstr("blue<1>")));
  EXPECT_THAT(page, HasSubstr("nine"));
  EXPECT_THAT(page, HasSubstr("0.125–0.5"));
  EXPECT_EQ(html_report(to_json(record_of(true))), page);
}

TEST(AlignPage, SaysThatThereAreNoLabels) {
  EXPECT_THAT(html_report(record_of(false)), HasSubstr("the files hold no labels"));
  Json json = to_json(record_of(false));
  json["results"][0]["angle"] = 200;
  EXPECT_THAT(message_of([&] { (void)html_report(json); }), HasSubstr("expected a number from 0 to 180"));
}

}  // namespace
}  // namespace leeway::report
