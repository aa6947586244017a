// Records of commands on outputs: read as they were written, refused by the path of what does not fit, and their words.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/describe/json.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/distances/distances.h"
#include "leeway/tasks/mvn_cdf/mvn_cdf.h"
#include "tests/describe/average_case_records.h"
#include "tests/describe/bound_evaluations.h"
#include "tests/describe/bound_records.h"
#include "tests/describe/pa_records.h"
#include "tests/describe/select_records.h"
#include "tests/message_of.h"

namespace leeway::tasks::records_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// The JSON of a record that is read as it was written.
template <class Record>
Json round_trip(const Record& record) {
  Json json = to_json(record);
  EXPECT_EQ(to_json(record_from<Record>(json, "r.json")), json);
  return json;
}

struct Broken {
  const char* pointer;
  Json value;
  const char* part;  // of the message
};

template <class Record>
void refused(const Record& record, const std::vector<Broken>& cases) {
  for (const auto& [pointer, value, part] : cases) {
    Json json = to_json(record);
    json[Json::json_pointer(pointer)] = value;
    EXPECT_THAT(message_of([&] { (void)record_from<Record>(json, "r.json"); }),
                AllOf(StartsWith("r.json: expected "), HasSubstr(part)));
  }
}

TEST(PaRecord, IsReadAsItWasWritten) {
  (void)round_trip(test::full_pa());
  (void)round_trip(test::bare_pa());
  refused(test::full_pa(), {{"/results", Json::array(), "at least one result, found none"},
                            {"/schema", "leeway.pa/1", "run the command again"}});
}

TEST(PaRecord, WordsAreOfTheSetThatKeepsLeast) {
  Pa record = test::full_pa();
  EXPECT_THAT(
      headline_of(record),
      AllOf(HasSubstr("noise, b has a posterior agreement of 0.80 (maximum 2.30)"), HasSubstr("70% of its")));
  EXPECT_THAT(findings_of(record), ElementsAre("rows of b/noise.npz need not be those of b/clean.npz",
                                               AllOf(StartsWith("a/noise.npz: at 25% "),
                                                     HasSubstr("b has the PA of a at 50% (PA 1.2"))));
  record.results[1].doubt.clear();
  record.ar_gap[0].points.erase(record.ar_gap[0].points.begin());
  record.ar_gap[0].shift = "noise / blur";
  EXPECT_THAT(findings_of(record), ElementsAre(StartsWith("noise / blur: b starts below")));
  record = test::bare_pa("two\nlines.npy");
  EXPECT_THAT(headline_of(record),
              HasSubstr("two\\x0alines.npy, posterior agreement is 1.20 (maximum 2.30)"));
  EXPECT_THAT(findings_of(record), IsEmpty());
  record.results.push_back(test::set_of("inf.npy", -HUGE_VAL));
  EXPECT_THAT(headline_of(record), HasSubstr("inf.npy, posterior agreement is –∞ (maximum 2.30)"));
}

TEST(SelectRecord, IsReadAsItWasWritten) {
  (void)round_trip(test::full_select());
  (void)round_trip(test::bare_select());
  for (const char* criterion : {"pa", "accuracy", "accuracy_shifted"}) {
    const std::string place = fmt::format("/selected/{}/index", criterion),
                      message = fmt::format("below 3 at selected.{}.index, found 3", criterion);
    refused(test::full_select(), {{place.c_str(), 3, message.c_str()}});
  }
}

TEST(SelectRecord, WordsSayWhatEachCriterionChooses) {
  Select record = test::full_select();
  EXPECT_THAT(headline_of(record),
              AllOf(StartsWith("Posterior agreement chooses run/e1.npz, accuracy chooses run/e2.npz."),
                    HasSubstr("an accuracy of 55%, the second of 50%")));
  EXPECT_THAT(
      findings_of(record),
      ElementsAre("rows of shifted/e0.npz need not be those of run/e0.npz",
                  AllOf(HasSubstr("higher for run/e1.npz than for run/e2.npz, by 0.20 (0.15 to 0.25)"),
                        EndsWith("a clear difference."))));
  record.selected.pa_difference->interval.low = 0;
  EXPECT_THAT(difference_words(record), EndsWith("not a clear difference on these samples."));
  record.selected.accuracy = record.selected.pa;
  EXPECT_THAT(headline_of(record),
              HasSubstr("same checkpoint, run/e1.npz. Its accuracy under the shift is 55%"));
  record = test::bare_select();
  record.selected.pa.checkpoint = "two\nlines";
  EXPECT_THAT(headline_of(record),
              StartsWith("two\\x0alines has the highest posterior agreement, 0.900 (0.900"));
  EXPECT_THAT(findings_of(record), IsEmpty());
}

DistancesSet set_of(const std::string& shifted, double kl, double mmd) {
  DistancesSet set{shifted, 100, 100, 3, {}, {}, {}, {}};
  set.distances = {{"kl", kl}, {"mmd", mmd}, {"cosine", std::nullopt}};
  set.not_computed = {{"cosine", "clean.npz has no features"}};
  return set;
}

Distances distances_of(std::vector<DistancesSet> sets) {
  Distances record;
  record.envelope.command = {"leeway", "distances"};
  record.envelope.instruction_set = "baseline";
  record.options.only = {"kl", "cosine", "mmd"};
  record.results = std::move(sets);
  return record;
}

TEST(DistancesRecord, IsReadAsItWasWritten) {
  Distances record = distances_of({set_of("a.npz", .5, .25), set_of("b.npz", .125, 1)});
  record.results[1].pairing =
      agreement::PairEvidence{agreement::EvidenceBy::none, .4, "predictions disagree"};
  record.results[1].doubt = "kl: rows of b.npz need not be those of clean.npz";
  (void)round_trip(record);
  EXPECT_THAT(findings_of(record), ElementsAre(record.results[1].doubt));
}

TEST(DistancesRecord, WordsSayHowFar) {
  EXPECT_THAT(headline_of(distances_of({set_of("two\nlines.npz", .5, .25)})),
              HasSubstr("two\\x0alines.npz, kl is 0.5, mmd is 0.25."));
  EXPECT_THAT(headline_of(distances_of({set_of("a.npz", .5, .25), set_of("b.npz", .125, 1)})),
              EndsWith("a.npz by kl; b.npz by mmd."));
  EXPECT_THAT(headline_of(distances_of({set_of("a.npz", 0, 0), set_of("b.npz", 0, 0)})),
              EndsWith("a.npz by kl, mmd."));
  Distances none = distances_of({set_of("a.npz", 0, 0)});
  none.results[0].distances = {{"cosine", std::nullopt}};
  EXPECT_THAT(headline_of(none), HasSubstr("No distance can be computed"));
}

TEST(BoundRecord, IsReadAsItWasWritten) {
  (void)round_trip(test::full_bound());
  Bound bare = test::full_bound();
  bare.dis2.reset(), bare.target.error.reset();
  bare.inverse_temperature = HUGE_VAL;
  (void)round_trip(bare);
  refused(test::ranged_bound(), {{"/dis2/range/chosen", 2, "dis2.range.chosen, found 2"}});
}

TEST(BoundRecord, WordsSayTheBoundTheEstimatesAndTheTruth) {
  Bound record = test::full_bound();
  EXPECT_THAT(headline_of(record), AllOf(HasSubstr("at most 48.8% with probability 99%"),
                                         HasSubstr("20 to 28%"), EndsWith("the error is 23.5%.")));
  EXPECT_THAT(findings_of(record), ElementsAre(AllOf(HasSubstr("24.0%"), HasSubstr("at most 30.0%"),
                                                     HasSubstr("It is proved, except"))));
  record.dis2->dis2.corollary->holds = false;
  EXPECT_THAT(findings_of(record), ElementsAre(HasSubstr("which does not disprove it")));
  record.dis2->dis2.corollary.reset();
  record.dis2->dis2.agreement_source = .06;
  EXPECT_THAT(findings_of(record), ElementsAre(error_bound::critic_warning(record.dis2->dis2)));
  EXPECT_EQ(to_json(record)["dis2"]["critic_warning"], findings_of(record)[0]);
  record.options.dis2.holdout = 0;
  EXPECT_THAT(headline_of(record), HasSubstr("would be 48.8%, but"));
  record.target.error = .6;
  EXPECT_THAT(headline_of(record), HasSubstr("60.0%, more than the bound"));
  record.dis2->dis2.bound = 1;
  EXPECT_THAT(headline_of(record), HasSubstr("it reaches 100%"));
  record.dis2.reset(), record.target.error.reset();
  EXPECT_EQ(headline_of(record), "Individual estimates: 20 to 28%.");
  EXPECT_THAT(findings_of(record), IsEmpty());
  const double errors[] = {.28, .2, .21};
  EXPECT_EQ(percent_range(errors, "–"), "20–28%");
  EXPECT_EQ(percent_range(std::span(errors).subspan(2)), "21%");
  EXPECT_EQ(percent_range({}), "");
}

// Two methods, the first with a delta and an adjustment.
BoundEvaluation two_methods() {
  BoundEvaluation record = test::evaluation();
  EvaluatedMethod bound = record.results[0];
  bound.method = "dis2@0.005", bound.delta = .005;
  bound.score = {3, .2, 1. / 3, {.01, .98}, std::nullopt};
  bound.adjusted = {{"scale", .9, bound.score}};
  bound.proved = Estimate{.5, {.2, .8}};
  bound.validity = ValidityScores{Estimate{.5, {-.2, .9}}, {{.9, bound.score, .3}}};
  record.losses = {{"disagreement", "d-bat", .3, .28, .02, Interval{.01, .03}, 20, 15, .01, .03}};
  record.results.insert(record.results.begin(), bound);
  return record;
}

TEST(BoundEvaluateRecord, IsReadAsItWasWritten) {
  const Json json = round_trip(two_methods()), &first = json["results"][0];
  EXPECT_EQ(first["violation_rate"], 1 - 1. / 3);
  EXPECT_EQ(first["violation_rate_low"], 1 - .98);
  EXPECT_EQ(first["exceeds_delta"], true);
  EXPECT_TRUE(first["overestimation"].is_null());
}

TEST(BoundEvaluateRecord, WordsSayTheSafestAndTheClosestMethod) {
  EXPECT_THAT(headline_of(test::evaluation()),
              AllOf(StartsWith("Over 3 shifts cot "), HasSubstr("33% (1–90)"), HasSubstr("13.3 points off")));
  EXPECT_THAT(findings_of(test::evaluation()), IsEmpty());
  BoundEvaluation record = two_methods();
  record.results[1].score.mae = .3;
  EXPECT_THAT(headline_of(record), HasSubstr("; dis2@0.005 is most accurate, 20.0 points off"));
  EXPECT_THAT(findings_of(record),
              ElementsAre(AllOf(StartsWith("dis2@0.005 "), HasSubstr("67% (2–99)"), HasSubstr("0.5%"))));
}

TEST(BoundRecord, WarnsIfTheLikelyRangeReachesBeyondTheBound) {
  Bound record = test::full_bound();  // a bound of .488
  EXPECT_EQ(bound_warning(.4, {.1, .4}, true, false), "");
  EXPECT_EQ(bound_warning(.4, {.1, .6}, false, false), "");
  record.results.back().likely_low = .1, record.results.back().likely_high = .6;
  record.results.back().margins_moved = true;
  EXPECT_THAT(findings_of(record), Contains(HasSubstr("10 to 60%, reaches beyond the bound, 49%")));
}

TEST(BoundEvaluateRecord, SaysHowOftenTheLikelyRangeHoldsTheError) {
  BoundEvaluation record = test::evaluation();
  EvaluatedMethod low = record.results[0], high = low;
  low.method = "likely_low", high.method = "likely_high";
  low.points = {{"", .9, .95}, {"", .7, .95}, {"", .97, .95}};  // accuracies: errors from .05 to .2
  high.points = {{"", .9, .8}, {"", .7, .8}, {"", .97, .8}};
  record.results = {low, high};
  EXPECT_THAT(findings_of(record),
              ElementsAre(HasSubstr(
                  "the error on 1 of 3 shifts (95% interval 1 to 91%); errors above the range: 1")));
  record.results = {high};
  EXPECT_THAT(findings_of(record), IsEmpty());
}

TEST(MvnCdfRecord, IsReadAsItWasWritten) {
  MvnCdf record, again;
  record.envelope.instruction_set = "baseline";
  record.options.log_tolerance = HUGE_VAL;
  record.results = {{.25, std::log(.25), 2e-5, 1e-4, 0, true, average_case::MvnMethod::one_factor},
                    {0, -HUGE_VAL, 0, 0, 4096, false, average_case::MvnMethod::tilted}};
  const Json json = to_json(record);
  EXPECT_EQ(json["options"].dump(), R"({"tolerance":0.0001,"log_tolerance":"inf","max_points":1048576})");
  EXPECT_EQ(json["results"][1]["log_probability"], "-inf");
  read([&](Fields& f) { fields(again, f); }, json, "r.json");
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.results[0].method, average_case::MvnMethod::one_factor);
  EXPECT_THAT(headline_of(record), HasSubstr("0 to 0.25 at 2 points"));
  EXPECT_THAT(findings_of(record), ElementsAre(StartsWith("1 of 2 exceed the tolerance")));
  record.results.pop_back();
  EXPECT_THAT(headline_of(record), HasSubstr("0.25, within 2e-05 with 99%"));
  EXPECT_THAT(findings_of(record), IsEmpty());
}

TEST(AverageCaseRecord, IsReadAsItWasWritten) {
  (void)round_trip(test::full_average_case());
  (void)round_trip(test::bare_average_case());
  refused(test::bare_average_case(),
          {{"/leading", "mc", "a result for 'mc' under the strongest noise, found none"}});
}

TEST(AverageCaseRecord, IsAMemberOfAnAssessment) {
  const ModelUnderNoise model{
      "cnn", "jacobian", "j.npy", 100, {}, {"doubt"}, test::full_average_case().found};
  Assess assessment;
  assessment.envelope.instruction_set = "baseline";
  assessment.results.resize(1);
  assessment.results[0].n = assessment.results[0].source_n = 1, assessment.results[0].k = 2;
  assessment.average_case = {model};
  (void)round_trip(assessment);
  refused(assessment, {{"/average_case/0/results", Json::array(),
                        "at least one result at average_case[0].results, found none"}});
}

// .8 with .78 to .82; of twenty samples one has .4, half .85.
TEST(AverageCaseRecord, WordsAreOfTheStrongestNoise) {
  Robustness found = test::full_average_case().found;
  EXPECT_THAT(headline_of(found),
              AllOf(HasSubstr("σ = 0.2 predictions survive with probability 80% (78–82), estimated by mmse"),
                    HasSubstr("at most 40%"), HasSubstr("at most 85%"), HasSubstr("mc 81%")));
  EXPECT_THAT(
      findings_of(found),
      ElementsAre(AllOf(HasSubstr("from Monte Carlo by 0.9 points"), HasSubstr("more than the 0.40")),
                  HasSubstr("These samples do not show whether"),
                  AllOf(HasSubstr("dim <b> survives with probability 60% (58–62)"),
                        HasSubstr("lit with 90% (88–92)"), HasSubstr("p = 0.0004")),
                  AllOf(HasSubstr("row 7: predicted as bag with 97%"), HasSubstr("probability 21%"))));
  EXPECT_THAT(gradient_warnings(found), ElementsAre(StartsWith("the gradient of 25.0% of 40 samples")));
  found.against_monte_carlo[2].error.interval.low = .003;
  found.class_bias[1].p_value = .3;
  EXPECT_THAT(findings_of(found)[0], HasSubstr("no more than sampling error"));
  EXPECT_THAT(findings_of(found)[1], HasSubstr("(p = 0.3)"));
  found = test::bare_average_case().found;
  EXPECT_THAT(findings_of(found)[0],
              AllOf(HasSubstr("coat <b> survives with probability 70% (68–72)"), HasSubstr("p < 0.0001")));
  EXPECT_TRUE(gradient_warnings(found).empty());
  found.n = 1, found.results = {test::survival_of("mmse", .2, .5, true, 1)};
  EXPECT_THAT(headline_of(found), HasSubstr("survives with probability 50.0%, estimated by mmse"));
  found.results = {test::survival_of("softmax", .2, .7, false)}, found.leading = "softmax";
  EXPECT_THAT(headline_of(found), HasSubstr("softmax at σ = 0.2 is 0.70 (0.68 to 0.72)"));
}

TEST(Digest, IsOfWhatIsWritten) {
  AverageCaseOptions options;
  const auto digest = [&] { return digest_of([&](Fields& f) { fields(options, f); }); };
  const std::string centred = digest();
  EXPECT_EQ(centred.size(), 32u);
  EXPECT_EQ(digest(), centred);
  options.copies_as_published = true;
  EXPECT_NE(digest(), centred);
}

}  // namespace leeway::tasks::records_test
