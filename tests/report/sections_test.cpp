// Sections of an assessment's page: over time, drift, quality and sub-groups, shifts of labels and groups, predictions under noise;
// the likely error on the first screen.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "leeway/core/message.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/report/join.h"
#include "tests/describe/average_case_records.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::sections_test {

using test::bare_record;
using test::full_record;
using test::occurrences;
using test::page_of;
using test::reference_record;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// `n` days from 2026-01-01, of which those from `bad` on are below the band; none from day 5 to 7.
Assess timed(std::size_t n, std::size_t bad) {
  Assess record;
  record.models = {"cnn"}, record.targets = {"<prod>"}, record.class_names = {"cat", "dog"};
  AssessResult& result = record.results.emplace_back();
  result.model = "cnn", result.target = "<prod>", result.n = 100, result.source_n = 200, result.k = 2;
  AssessTimeline& timeline = record.timelines.emplace_back();
  timeline.model = "cnn", timeline.target = "<prod>", timeline.by = "span", timeline.calendar = true;
  timeline.gaps = 3;
  for (std::size_t i = 0; i < n; ++i) {
    TimelineChunk& chunk = timeline.chunks.emplace_back();
    const double place = static_cast<double>(i < 5 ? i : i + 3);
    chunk.chunk = fmt::format("<day {}>", i);
    chunk.start = 86400 * place, chunk.end = 86400 * (place + 1), chunk.n = 50;
    chunk.accuracy = {i < bad ? .8 : .5, .45, .85};
    chunk.bands.accuracy = {.7, .9, i >= bad, false};
    chunk.confidence.shifted_mean = .9, chunk.drift.classes.distance = .01;
  }
  return record;
}

TEST(TimelineSection, HasAHeadingChartsAndChunks) {
  Assess record = timed(12, 9);
  record.gates.push_back(
      {"accuracy<0.6", "accuracy", "<", .6, {}, {{"cnn", "<prod>", "<day 9>", {}, .5, 3, 12}}, {}});
  const std::string page = html_report(record);
  EXPECT_THAT(page,
              AllOf(HasSubstr("time: accuracy is below the source&#39;s range in 3 of 12"),
                    HasSubstr("data-spec=\"timeline\""), HasSubstr("3 of 12 chunks outside"),
                    HasSubstr("3 spans have no samples"), HasSubstr("Every chunk, in order of time"),
                    HasSubstr("first in chunk &lt;day 9&gt; of cnn under &lt;prod&gt;, in 3 of 12 chunks"),
                    HasSubstr("gate accuracy\\u003c0.6"), Not(HasSubstr("<day"))));
  record.timelines.clear();
  EXPECT_THAT(html_report(record), Not(HasSubstr("id=\"time\"")));
}

TEST(TimelineSection, SaysThatAllIsWell) {
  EXPECT_THAT(html_report(timed(12, 12)), HasSubstr("all 12 chunks lie within the source&#39;s range"));
}

Assess assessed() {
  Assess record = bare_record();
  record.class_names = {"<cat>", "dog"}, record.targets = {"monday"};
  record.results[0].target = "monday", record.results[0].source_n = 200;
  return record;
}

TEST(LikelyErrorColumn, StandsOnTheFirstScreenWithTheSource) {
  Assess record = assessed();
  record.results[0].source_accuracy = {.845, .79, .89};
  record.results[0].likely_error = LikelyError{{.33, .29, .37}, .28, .39, true, "it <moved>"};
  const std::string page = html_report(record);
  EXPECT_THAT(page, AllOf(HasSubstr("Estimated error"), HasSubstr("On the source"), HasSubstr("28–39")));
  EXPECT_THAT(page, HasSubstr("it &lt;moved&gt;; sampling error alone"));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("Estimated error")));
}

TEST(DriftSection, SaysWhatMovedOrThatNothingDid) {
  Assess record = assessed();
  AssessDrift& drift = record.results[0].drift.emplace();
  drift.classes.name = "predicted class", drift.confidence.name = "confidence";
  drift.left_out = {"<camera>"};
  EXPECT_THAT(html_report(record), AllOf(HasSubstr("No drift detected in the tests of the target"),
                                         HasSubstr("only one of source and target has &lt;camera&gt;")));
  drift.groups.push_back(
      {"weather", "chi-square", 40, 1e-9, 3e-9, {.2, .1, .3}, {}, {{"<snow>", "new", 0, 7, {}}}, 1});
  EXPECT_THAT(html_report(record), AllOf(HasSubstr("monday: weather changed (p &lt; 0.0001)"),
                                         HasSubstr("&lt;snow&gt; new with 7%")));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("id=\"drift\"")));
}

TEST(QualitySection, HasTablesDiagramAndConfusion) {
  Assess record = assessed();
  AssessQuality quality;
  quality.n = 100;
  quality.balanced_accuracy = {.8, .7, .9}, quality.macro_f1 = {.79, .7, .88}, quality.ece = {.05, .01, .09};
  quality.log_loss = {.4, .3, .5}, quality.brier = {.3, .2, .4};
  quality.classes = {{0, 60, 50, {.9, .8, .95}, {.8, .7, .9}, {.85, .8, .9}, {}},
                     {1, 40, 50, {}, {}, {.7, .6, .8}, {}}};
  quality.reliability = {{0, .5, 0, {}, {}}, {.5, 1, 100, .85, {.8, .7, .9}}};
  quality.confusion = {{48, 12}, {2, 38}};
  record.results[0].quality = quality;
  record.results[0].labelled = true;
  const std::string page = html_report(record);
  EXPECT_THAT(page, AllOf(HasSubstr("monday: macro F1 79%"), HasSubstr("AUROC unknown"),
                          HasSubstr("Labels by predictions"), HasSubstr("surer than right"),
                          HasSubstr("never predicted"), Not(HasSubstr("<cat>"))));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("id=\"quality\"")));
}

TEST(QualitySection, SaysWhyAnIntervalIsLeftOut) {
  Assess record = assessed();
  for (const char* end : {"_low", "_high"})
    record.results[0].not_computed[std::string("source_quality.log_loss") + end] = "no error observed";
  EXPECT_THAT(html_report(record),
              AllOf(HasSubstr("The interval of log loss on the source: no error observed."),
                    Not(HasSubstr("log_loss_high"))));
}

TEST(SubgroupsSection, NamesTheWeakest) {
  Assess record = assessed();
  AssessSubgroups& found = record.results[0].subgroups.emplace();
  EXPECT_THAT(html_report(record), Not(HasSubstr("id=\"subgroups\"")));
  found.list.push_back(
      {{"weather", "time"}, {"<fog>", "night"}, 60, 70, {.5, .35, .65}, {-.3, -.45, -.1}, true});
  EXPECT_THAT(html_report(record),
              HasSubstr("Weakest subgroup: weather = &lt;fog&gt;, time = night (monday)"));
  found.list[0].clear = false;
  EXPECT_THAT(html_report(record), HasSubstr("No subgroup is clearly weaker than the rest"));
}

// What leeway conds describe found, as a member of "shifts".
AssessShifts shift_of(const std::vector<std::string>& models, const std::string& target) {
  AssessShifts member{models, target, {}, {}};
  const Json json = reference_record("describe_record.json")["results"][0];
  read([&](Fields& f) { fields(member.shifts, f); }, json, "describe_record.json");
  member.shifts.accuracy.reset();
  return member;
}

TEST(ShiftsSections, SayWhatThePageOfDescribeSays) {
  Assess record = full_record(1, 1, 10);
  record.shifts = {shift_of({"model 0"}, "monday <1>")};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "<section id=\"shifts-1\""), 1u);
  EXPECT_THAT(page, HasSubstr("Spurious correlation: shape and color are correlated in the source"));
  EXPECT_THAT(page, HasSubstr("<a href=\"#shifts-1\">Shifts</a>"));
  EXPECT_THAT(page, HasSubstr("the source against monday &lt;1&gt;"));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 2u);
  EXPECT_THAT(page, Not(HasSubstr("Weakest: shape=")));
}

TEST(ShiftsSections, NameTargetsAndModelsWhereThereAreSeveral) {
  Assess record = full_record(2, 1, 10);
  record.shifts = {shift_of({"model 1"}, "monday"), shift_of({"model <0>"}, "")};
  record.shifts[0].left_out = {"user"};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "too many cells: user."), 1u);
  EXPECT_THAT(page, HasSubstr("<a href=\"#shifts-1\">Shifts: monday</a>"));
  EXPECT_THAT(page, HasSubstr("the source against monday (model 1)"));
  EXPECT_THAT(page, HasSubstr("the source alone (model &lt;0&gt;)"));
}

ModelUnderNoise subject(const std::string& model) {
  return {model, "model", "m.pt", 100000, {}, {}, test::bare_average_case().found};
}

TEST(NoiseSections, SayWhatThePageOfAverageCaseSays) {
  Assess record = bare_record();
  record.average_case = {subject("cnn")};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "<section id=\"noise-1\""), 1u);
  EXPECT_THAT(page, HasSubstr("<a href=\"#noise-1\">Noise</a>"));
  EXPECT_THAT(page, HasSubstr("of the source&#39;s 100,000 samples, under gaussian noise."));
  for (const char* words :
       {"Mean survival probability</strong>", "Every method at every σ", "nine in ten samples",
        "Class robustness bias: ", "The least robust sample is row ", "Inputs are not clipped"})
    EXPECT_THAT(page, HasSubstr(words));
}

TEST(NoiseSections, AreOneAModelAndTellItsWarnings) {
  Assess record = full_record(2, 1, 10);
  record.average_case = {subject("model <0>"), subject("model 1")};
  record.average_case[1].warnings = {"m.pt predicts <another> class"};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("model &lt;0&gt;: Under noise of σ = "));
  EXPECT_EQ(occurrences(page, "<section id=\"noise-2\""), 1u);
  EXPECT_EQ(occurrences(page, "<p>Warning: m.pt predicts &lt;another&gt; class"), 1u);
}

TEST(NoiseSections, ShowThePicturesOfRankedSamples) {
  Assess record = bare_record(10);
  record.average_case = {subject("cnn")};
  const std::size_t last = 9;  // the highest row of a ranked sample
  const auto images = [](std::size_t n) {
    return Images{"x.npz", make_array<std::uint8_t>({n, 1, 2, 2}, std::vector<std::uint8_t>(4 * n, 200)), {}};
  };
  const Images all = images(last + 1), few = images(last);
  const Pictures pictures = flip_pictures(record, {{"", &all}});
  EXPECT_FALSE(pictures.samples.empty());
  EXPECT_THAT(page_of(record, pictures), HasSubstr("src=\"data:image/png"));
  EXPECT_REFUSED(flip_pictures(record, {{"", &few}}),
                 "x.npz: expected the images of record, whose ranked samples reach row...");
}

TEST(Sections, AreJoinedWithTheirModels) {
  Assess a = full_record(1, 1, 10);
  a.average_case = {subject("model 0")};
  a.shifts = {shift_of({"model 0"}, "")};
  const auto joined = join_records({"a.json", "b.json"}, std::vector<Assess>{a, a});
  ASSERT_EQ(joined.average_case.size(), 2u);
  EXPECT_EQ(joined.average_case[0].model, "model 0");
  EXPECT_EQ(joined.average_case[1].model, "model 0 (b.json)");
  ASSERT_EQ(joined.shifts.size(), 2u);
  EXPECT_EQ(joined.shifts[0].models, std::vector<std::string>{"model 0"});
  EXPECT_EQ(joined.shifts[1].models, std::vector<std::string>{"model 0 (b.json)"});
}

}  // namespace leeway::tasks::sections_test
