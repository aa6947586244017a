#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/render/html.h"
#include "leeway/tasks/report/page.h"
#include "tests/describe/bound_records.h"
#include "tests/describe/pa_records.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::report_test {

using test::bare_record;
using test::complaint;
using test::full_record;
using test::malformed;
using test::markup;
using test::occurrences;
using test::page_of;
using test::reference_assessment;
using test::reference_record;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, ListsAndTemplates) {
  EXPECT_EQ(list_of({}), "");
  EXPECT_EQ(list_of({"a"}), "a");
  EXPECT_EQ(list_of({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(render::fill("{{a}}-{{b}}-{{c", {{"a", "{{b}}"}, {"b", "2"}}),
            "{{b}}-2-{{c");  // values are not searched again
  EXPECT_EQ(render::inline_html("`a<b>` and ` alone"), "<code>a&lt;b&gt;</code> and ` alone");
  EXPECT_EQ(render::script_json({{"x", "</script>\xE2\x80\xA8"}}), "{\"x\":\"\\u003c/script>\\u2028\"}");
}

TEST(Report, DrawsEverySectionOfTheReferenceRecord) {
  const std::string page = page_of(reference_assessment());
  for (const char* id : {"overview", "warnings", "models", "bounds", "agreement", "confidence", "classes",
                         "groups", "shares", "changes", "flips", "missing", "assumptions", "source"})
    EXPECT_EQ(occurrences(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none';"));
  EXPECT_THAT(page,
              HasSubstr("<b>18.2%</b> <span class=\"iv\">17.4–18.9</span>"));  // .1816, .174085 to .189296
  EXPECT_EQ(occurrences(page, "data-spec=\"confidence\"><"), 12u);
}

TEST(Report, SaysWhichGateFailed) {
  const std::string page = page_of(reference_assessment());
  EXPECT_THAT(page, HasSubstr("<li>failed: accuracy "));
  Assess record = bare_record();
  record.gates = {{"pa>1", "pa", ">", 1, {}, {}, {}}};
  EXPECT_THAT(page_of(record), HasSubstr("<li>passed: pa&gt;1</li>"));
}

TEST(Report, TheFirstScreenHoldsTheFirstSentenceAndThreeFindings) {
  Assess record = bare_record();
  record.envelope.headline = "Under blur 0.5 cnn is right on 44%. Of 3 targets this is the largest loss.";
  record.envelope.findings = {"Under blur 0.5 cnn is right on 44%.", "one", "two", "three", "four", "five"};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("<h1>Under blur 0.5 cnn is right on 44%.</h1>\n<p"));
  EXPECT_EQ(occurrences(page, "Under blur 0.5 cnn is right"), 1u);  // said once
  EXPECT_THAT(page, HasSubstr("<li>three</li>\n</ul>\n<details class=\"more\"><summary>2 more findings"));
}

// Results with labels by accuracy, then pairs by their predictions, then those with a bound, whichever stood first.
TEST(Report, ResultsWithoutLabelsAreSortedWorstFirstToo) {
  Assess record = bare_record();
  const AssessResult empty = record.results[0];
  record.results.clear();
  const auto add = [&](const std::string& target) -> AssessResult& {
    record.results.push_back(empty);
    record.results.back().target = target;
    return record.results.back();
  };
  const error_bound::Estimator& ac = error_bound::estimator("ac");
  add("bound-20").error_bound = .2;
  add("bound-90").error_bound = .9;
  add("estimates-60").estimates = {{&ac, .6, {}}};
  add("estimates-70").estimates = {{&ac, .7, {}}};
  add("pairs-80").afr_pred.value = .8;
  add("right-90").accuracy.value = .9;
  add("right-50").accuracy.value = .5;
  const std::string page = page_of(record);
  const std::string table = page.substr(page.find("Every target, worst first"));
  std::size_t last = 0;
  for (const char* target :
       {"right-50", "right-90", "pairs-80", "bound-90", "bound-20", "estimates-70", "estimates-60"}) {
    const std::size_t at = table.find(target);
    ASSERT_NE(at, std::string::npos) << target;
    EXPECT_GT(at, last) << target;
    last = at;
  }
}

TEST(Report, EscapesEverythingThatComesFromTheRecord) {
  const std::string evil = "\"><script>alert('x')</script><img src=x onerror=alert(1)>\n]]>&amp;";
  Assess record = full_record(2, 2, 3);
  record.envelope.headline = evil;
  record.envelope.findings = {evil};
  record.envelope.command = {"leeway", evil};
  record.envelope.version = evil;
  record.envelope.inputs = {{evil, 0, {1, 2}, evil}};
  record.class_names = {evil, "b", "c"};
  record.gates = {{evil, "", "<", 0, {{evil, evil, 1}}, {}, {}}};
  record.comparisons = {{evil, evil, evil, 1, {.1, .05, .2}, 1, true}};
  for (std::string& model : record.models) model = evil + model;
  for (std::string& target : record.targets) target = evil + target;
  for (AssessResult& result : record.results) {
    result.model = evil + result.model;
    result.target = evil + result.target;
    result.warnings = {evil};
    result.not_computed = {{evil, evil}, {"accuracy", evil}};
    result.accuracy = {};
    for (AssessCell& member : result.classes) member.name = evil;
    result.groups = {{{}, evil, evil, 3, 0, {.5, {}, {}}, {}, {}}};
  }
  const std::string html = html_report(record);
  EXPECT_EQ(malformed(html), std::nullopt);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_EQ(occurrences(markup(html), "<script"), occurrences(markup(html), "</script"));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}

TEST(Report, KeepsTextThatIsNoUtf8AndTurnedTextInItsPlace) {
  Assess record = bare_record();
  record.envelope.headline =
      "a\xff"
      "b \xE2\x80\xAE"
      "evil\x01";  // U+202E turns what follows
  EXPECT_THAT(page_of(record), HasSubstr("<h1>a\xEF\xBF\xBD"
                                         "b \xEF\xBF\xBD"
                                         "evil\xEF\xBF\xBD</h1>"));
}

TEST(Report, ABareRecordStillMakesAPage) {
  const std::string page = page_of(bare_record());
  EXPECT_THAT(page, Not(HasSubstr("id=\"agreement\"")));
  EXPECT_THAT(page, HasSubstr("id=\"assumptions\""));
}

TEST(Report, ADashSaysWhy) {
  Assess record = full_record(1, 2, 2);
  record.results[1].accuracy = {};
  record.results[1].not_computed["accuracy"] = "nobody labelled <it>";
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("title=\"nobody labelled &lt;it&gt;\""));
  EXPECT_THAT(page, HasSubstr("<li><sup>a</sup> nobody labelled &lt;it&gt;</li>"));
  EXPECT_THAT(page, HasSubstr("<li>Accuracy: nobody labelled &lt;it&gt;. (shift 1)</li>"));
}

TEST(Report, AnUnlabelledTargetHasNoAccuracyColumn) {
  Assess record = full_record(1, 1, 2);
  AssessResult& result = record.results[0];
  result.labelled = false;
  result.accuracy = result.source_accuracy = result.accuracy_change = {};
  for (AssessCell& member : result.classes) member.accuracy = {};
  const std::string page = page_of(record);
  EXPECT_THAT(page, Not(HasSubstr("<dt>Accuracy</dt>")));
  EXPECT_THAT(page, HasSubstr("<dt>Prediction unchanged</dt>"));
  EXPECT_THAT(page, HasSubstr("The class that changes most: name 0 (shift 0), 80%"));
}

TEST(Report, DrawsTheConfusionOfAHundredClassesAndListsThoseOfAThousand) {
  const std::string hundred = html_report(full_record(1, 1, 100));
  EXPECT_THAT(markup(hundred), HasSubstr("data-spec=\"confusion\""));
  EXPECT_LT(hundred.size(), 3000000u);
  const std::string thousand = html_report(full_record(3, 4, 1000));
  EXPECT_EQ(malformed(thousand), std::nullopt);
  EXPECT_THAT(markup(thousand), Not(HasSubstr("data-spec=\"confusion\"")));
  EXPECT_THAT(markup(thousand), HasSubstr("most frequent changes of each model and target"));
  EXPECT_THAT(markup(thousand), HasSubstr("the 30 worst of 1000"));
  EXPECT_LT(thousand.size(), 3000000u);
}

TEST(Report, AtMostFourLinesAChart) {
  // 6 models on one target: panels of 4 and 2 lines; 3 metrics for models 0..3 and 3 for models 4, 5
  const std::string page = page_of(full_record(6, 1, 3));
  EXPECT_EQ(occurrences(page, "data-spec=\"curve\"><"), 2u);
  EXPECT_EQ(occurrences(page, "data-spec=\"overview\"><"), 6u);
}

TEST(Report, RefusesWhatIsNoRecordOfItsKind) {
  EXPECT_THAT(complaint({{"schema", "leeway.other/1"}}),
              Says("r.json: expected a record of schema leeway.assess/4, ..., found 'leeway.other/1'"));
  Json none = to_json(bare_record());
  none["results"] = Json::array();
  EXPECT_EQ(complaint(none), "r.json: expected at least one result, found none");
}

struct Wrong {
  const Json& record;
  const char* pointer;
  Json value;
  std::string found;  // parts of the message, as Says has them
};

// A record of each kind with a value that does not fit, whose message names the value's place.
TEST(Pages, NameTheValueThatDoesNotFit) {
  const Json assess = to_json(full_record(1, 1, 3)), described = reference_record("describe_record.json"),
             corrupted = reference_record("corruptions_record.json"),
             swept = reference_record("sweep_report_record.json"), bound = to_json(tasks::test::full_bound());
  const Json list = Json::array(), outside = {"square", "none", "none"},
             quality = {{"n", 1}, {"classes", list}, {"reliability", list}, {"confusion", {{1}, {0, 1}}}},
             subgroup = {{"columns", {"light", "place"}},
                         {"values", {"dim"}},
                         {"search_n", 1},
                         {"n", 1},
                         {"clear", false}},
             subgroups = {{"columns", 1}, {"searched", 1}, {"least_rows", 1}, {"list", {subgroup}}};
  for (const Wrong& wrong : std::vector<Wrong>{
           {assess, "/results/0/confidence/clean", {1, 2}, "equal length at ... clean (2), shifted (20)"},
           {assess, "/results/0/confidence/edges", {0, 1}, "1 counts at results[0].confidence.clean...20"},
           {assess, "/results/0/confusion/1", {1}, "3 numbers at results[0].confusion[1], found 1"},
           {assess, "/results/0/quality", quality, "2 numbers at results[0].quality.confusion[0], found 1"},
           {assess, "/results/0/subgroups", subgroups, "subgroups.list[0], found columns (2), values (1)"},
           {assess, "/results/0/predicted_shares/shifted", list, "predicted_shares, found clean (3)..."},
           {swept, "/starts", list, "expected a non-empty list at starts, found none"},
           {swept, "/curves/0/points", list, "at curves[0].points, found none"},
           {described, "/results/0/cells/0/values", {"square"}, "expected cells of 3 values...found 1..."},
           {described, "/results/0/cells/0/values", outside, "found 'none'..."},
           {described, "/results/0/accuracy/cells/0/values", outside, "found 'none'..."},
           {described, "/results/0/accuracy/cells/0/values", {nullptr, nullptr, nullptr}, "accuracy..."},
           {described, "/results/0/columns/1/values", nullptr, "results[0].columns[1].values...found null"},
           {corrupted, "/results/0/severity", 6, "r.json: expected..."},
           {swept, "/results/0/value_basis", "luck", "results[0].value_basis...found 'luck'"},
           {bound, "/results/0/error", "much", "from 0 to 1 at results[0].error...found 'much'"}}) {
    SCOPED_TRACE(wrong.pointer);
    Json record = wrong.record;
    record[Json::json_pointer(wrong.pointer)] = wrong.value;
    EXPECT_THAT(complaint(record), Says(wrong.found));
  }
}

TEST(Pages, EscapeTextAndNeedResults) {
  for (const char* file : {"describe_record.json", "corruptions_record.json", "sweep_report_record.json",
                           "pa_record.json", "select_record.json", "average_case_record.json"}) {
    SCOPED_TRACE(file);
    Json record = reference_record(file);
    record["headline"] = "<script>alert";
    record["command"] = {"leeway", "<script>alert"};
    const std::string page = page_of(record);
    EXPECT_THAT(page, AllOf(HasSubstr("&lt;script&gt;alert"), Not(HasSubstr("<script>alert"))));
    record["results"] = Json::array();
    EXPECT_EQ(complaint(record), "r.json: expected at least one result, found none");
  }
}

TEST(Report, TheCommandCanBePastedIntoAShell) {
  Assess record = bare_record();
  record.envelope.command = {"leeway",   "assess",        "--source", "my cnn=it's.npz",
                             "--target", "plain=a/b.npz", ""};
  EXPECT_THAT(page_of(record), HasSubstr("--source &#39;my cnn=it&#39;\\&#39;&#39;s.npz&#39;"));
}

TEST(Report, PicturesStopAtTheirBudget) {
  const Assess record = full_record(2, 1, 3);
  Pictures pictures;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t row = 0; row < 8; ++row) {
      Picture picture{1, 8, 8, std::vector<std::uint8_t>(64, static_cast<std::uint8_t>(row))};
      pictures.flips.push_back({r, row, picture, picture});
    }
  EXPECT_EQ(occurrences(page_of(record, pictures), "<img"), 3u * 16);
  PageOptions small;
  small.picture_bytes = 3000;  // some five triples of about 550 bytes
  const std::string html = html_report(record, pictures, small);
  const std::size_t images = occurrences(html, "<img");
  EXPECT_GT(images, 0u);
  EXPECT_LT(images, 3u * 8);
  small.picture_bytes = 0;
  EXPECT_EQ(occurrences(html_report(record, pictures, small), "<img"), 0u);
}

TEST(Report, ShowsAsManyFlipsAsAsked) {
  const Assess record = full_record(1, 1, 3);
  PageOptions options;
  options.flips_per_result = 0;
  EXPECT_THAT(markup(render::page(view(record, {}, options))), Not(HasSubstr("id=\"flips\"")));
  options.flips_per_result = 100;
  EXPECT_THAT(markup(render::page(view(record, {}, options))), HasSubstr("24 of 1,800 changed samples"));
}

// Targets that are one shift of several strengths.
TEST(Report, ThreeStrengthsOfAShiftAreACurve) {
  Assess record = bare_record();
  const AssessResult empty = record.results[0];
  record.results.clear(), record.targets.clear();
  const auto add = [&](const std::string& target, double accuracy) {
    record.targets.push_back(target);
    record.results.push_back(empty);
    record.results.back().target = target;
    record.results.back().accuracy = {accuracy, accuracy - .05, accuracy + .05};
  };
  add("blur 2", .7), add("pgd-8/255", .3), add("pgd-2/255", .8), add("blur 1", .75);
  EXPECT_THAT(html_report(record), Not(HasSubstr("id=\"strengths\"")));
  add("pgd-4/255", .6);
  EXPECT_THAT(html_report(record), HasSubstr("Accuracy falls from 80% at pgd 0.00784 to 30% at 0.0314"));
  const test::Parts parts = test::parts_of(view(record));
  const auto chart = std::ranges::find(parts.charts, "strengths", [](const auto& one) { return one.first; });
  ASSERT_NE(chart, parts.charts.end());
  const Json points = test::data_of(chart->second, "points");
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0]["y"], .8);  // in the order of strengths
  EXPECT_EQ(points[2]["y"], .3);
}

TEST(Report, ADifferenceWithoutAnIntervalIsTurnedWithoutOne) {
  const AssessComparison turned = AssessComparison{"noise", "a", "b", 9, {.1, {}, {}}, 1, false}.turned();
  EXPECT_EQ(turned.difference.value, -.1);
  EXPECT_FALSE(turned.difference.low || turned.difference.high);
  EXPECT_EQ(turned.model, "b");
}

}  // namespace leeway::tasks::report_test
