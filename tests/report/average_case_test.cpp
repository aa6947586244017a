// The page of leeway average-case.
#include <gmock/gmock.h>

#include "tests/describe/average_case_records.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::average_case_test {

using tasks::test::bare_average_case;
using tasks::test::survival_of;
using test::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

// The page's markup, with the headline of these numbers.
std::string page_of(AverageCase record, const Pictures& pictures = {}) {
  record.envelope.headline = headline_of(record.found);
  return test::page_of(to_json(record), pictures);
}

TEST(AverageCasePage, DrawsEverySectionOfABareRecord) {
  const std::string page = page_of(bare_average_case());
  for (const char* id : {"samples", "error", "classes", "ranking", "time", "assumptions", "source"})
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, Not(HasSubstr("id=\"convergence\"")));
}

TEST(AverageCasePage, SaysWhichClassesDifferAndWhatClassesAre) {
  std::string page = page_of(bare_average_case());
  EXPECT_THAT(page, HasSubstr("<td>coat &lt;b&gt; (less)</td>"));
  AverageCase record = bare_average_case();
  record.found.labels = false;
  record.found.class_bias[1].p_value = .3;
  page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Classes do not differ significantly at σ = 0.2 (p = 0.3)"));
  record.found.class_bias[1].p_value.reset();
  EXPECT_THAT(page_of(record), HasSubstr("fewer than two classes have samples, or all p tie"));
}

TEST(AverageCasePage, SaysWhichGroupsDiffer) {
  EXPECT_THAT(page_of(bare_average_case()), Not(HasSubstr("<section id=\"groups\"")));
  AverageCase record = tasks::test::full_average_case();
  std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("<section id=\"groups\""));
  EXPECT_THAT(page, HasSubstr("Noise affects groups by light &lt;b&gt; unequally: at σ = 0.2,"));
  EXPECT_THAT(page, HasSubstr("<td>dim &lt;b&gt; (less) and lit (more)</td>"));
  record.found.group_bias.push_back({"site", record.found.group_bias[0].of});
  record.found.group_bias.back().of.p_value = .03;  // not beyond .05 / 2
  page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Groups by site do not differ significantly"));
  EXPECT_THAT(page, HasSubstr("below 0.025, because there are 2 columns."));
}

TEST(AverageCasePage, ShowsTheCertifiedAccuracy) {
  EXPECT_THAT(page_of(bare_average_case()), Not(HasSubstr("<section id=\"certified\"")));
  AverageCase record = tasks::test::full_average_case();
  std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("At σ = 0.2, 50% (35–65) of the samples have a certified radius and are"));
  EXPECT_THAT(page, HasSubstr("Certified accuracy</strong>"));
  record.found.labels = false;
  for (auto& point : record.found.certified->curves[0].points) point.accuracy.reset();
  page = page_of(record);
  EXPECT_THAT(page, HasSubstr("At σ = 0.2, 75% (60–85) of the samples have a certified radius<"));
  EXPECT_THAT(page, HasSubstr("Certified predictions</strong>"));
}

TEST(AverageCasePage, RanksSamplesWithTheirPictures) {
  const AverageCase record = bare_average_case();
  std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "data:image/png"), 0u);
  Pictures pictures;
  for (const std::size_t row : {7u, 3u}) pictures.samples.push_back({row, {1, 1, 2, {0, 255}}});
  pictures.samples.push_back({4, {2, 1, 1, {0, 0}}});  // of no known form
  page = page_of(record, pictures);
  EXPECT_EQ(occurrences(page, "data:image/png"), 4u);  // two samples at two sigmas
  EXPECT_THAT(page, HasSubstr("alt=\"row 7\"><b>21%</b> <span class=\"wrong\">bag (97%)</span>"));
  EXPECT_EQ(occurrences(render::page(view(record, pictures, {.picture_bytes = 300})), "src=\"data:image/png"),
            2u);
}

TEST(AverageCasePage, DrawsOneSigmaAndOneSample) {
  AverageCase record = bare_average_case();
  Robustness& found = record.found;
  found.results = {survival_of("mmse", .2, .5, true, 1)};
  found.n = 1;
  found.class_bias.clear(), found.ranking.clear();
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("noise of σ = 0.2 the prediction survives with probability 50.0%,"));
  EXPECT_THAT(page, HasSubstr("<p class=\"scope\">1 sample, "));
  EXPECT_THAT(page, Not(HasSubstr("data-spec=\"lines\"><figcaption>")));
  for (const char* id : {"samples", "classes", "ranking", "convergence"})
    EXPECT_THAT(page, Not(HasSubstr(std::string("<section id=\"") + id + "\""))) << id;
  found.k = 1000;
  EXPECT_THAT(page_of(record), HasSubstr("Classes were not compared: there are 1,000"));
  found.results = {survival_of("mmse", .2, .5, true, 0)};
  EXPECT_THAT(page_of(record), HasSubstr("No sample was evaluated."));
}

TEST(AverageCasePage, ManyClassesSigmasAndMethodsDoNotFloodThePage) {
  AverageCase record = bare_average_case();
  Robustness& found = record.found;
  found.results.clear();
  for (const char* method : {"a", "b", "c", "d", "e"})
    for (int s = 1; s <= 7; ++s) found.results.push_back(survival_of(method, s, .8));
  found.leading = "e";
  found.class_bias.pop_back(), found.ranking.pop_back();
  found.class_bias[0].classes.clear(), found.ranking[0].classes.clear();
  Pictures pictures;
  for (std::size_t c = 0; c < 100; ++c) {
    found.class_bias[0].classes.push_back(tasks::test::class_of(static_cast<std::int64_t>(c), .8, .9));
    found.ranking[0].classes.push_back(
        {c, "x", {{c, .5 + .001 * static_cast<double>(c), c, .97}, {c, .9, c, .97}}, {}});
    pictures.samples.push_back({c, {1, 1, 1, {7}}});
  }
  const std::string page = page_of(record, pictures);
  EXPECT_THAT(page, HasSubstr("Every method at every σ (35 rows)"));
  EXPECT_THAT(page, HasSubstr("The charts show the 20 least robust of 100 classes; the table shows all."));
  EXPECT_THAT(page, HasSubstr("Images are shown for the 20 classes with the least robust samples."));
  EXPECT_EQ(occurrences(page, "<p class=\"row\">least robust</p>"), 20u);
  EXPECT_EQ(occurrences(page, "alt=\"row 19\""), 2u);
  EXPECT_EQ(occurrences(page, "alt=\"row 20\""), 0u);
  EXPECT_EQ(occurrences(page, "Mean survival probability</strong>"), 2u);  // four lines and one
}

TEST(AverageCasePage, SaysWhatIsNotSettled) {
  AverageCase record = tasks::test::full_average_case();
  record.found.methods[0].summary = "averaged <gradients>";
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("the normal distribution function for up to 3 of 40 samples"));
  EXPECT_THAT(page, HasSubstr("averaged &lt;gradients&gt; (Han et al. 2024)."));
  EXPECT_THAT(page, HasSubstr("<p>Warning: the gradient of 25.0% of 40 samples is exactly 0"));
  EXPECT_THAT(page_of(bare_average_case()), Not(HasSubstr("Warning:")));
}

TEST(SamplePictures, AreTakenOfEveryRankedRowOnce) {
  std::vector<float> values(10 * 100 * 2);
  values[7 * 200] = 1;
  const Images images{"x.npz", make_array<float>({10, 1, 100, 2}, values), std::nullopt};
  const Pictures found = sample_pictures(bare_average_case(), images);
  ASSERT_EQ(found.samples.size(), 4u);
  EXPECT_EQ(found.samples[0].row, 7u);
  EXPECT_EQ(found.samples[0].picture.height, 50u);     // no side beyond 64
  EXPECT_EQ(found.samples[0].picture.pixels[0], 64u);  // 255 / 4, rounded
  const Images few{"few.npz", make_array<float>({5, 1, 1, 1}, std::vector<float>(5)), std::nullopt};
  EXPECT_REFUSED(sample_pictures(bare_average_case(), few, {.record_name = "r.json"}),
                 "few.npz: expected the images of r.json, whose ranked samples reach row 7, found 5 images");
}

}  // namespace leeway::tasks::average_case_test
