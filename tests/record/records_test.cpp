// Records of commands on outputs: read as they were written, refused by the path of what does not fit, and their words.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/record/assess.h"
#include "leeway/record/distances.h"
#include "leeway/record/json.h"
#include "leeway/record/mvn_cdf.h"
#include "tests/message_of.h"
#include "tests/record/average_case_records.h"
#include "tests/record/bound_evaluations.h"
#include "tests/record/bound_records.h"
#include "tests/record/pa_records.h"
#include "tests/record/select_records.h"

namespace leeway::record {
namespace {

using ::testing::AllOf;
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

void expect_null(const Json& of, std::initializer_list<const char*> keys) {
  for (const char* key : keys) EXPECT_TRUE(of.at(key).is_null()) << key;
}

TEST(PaRecord, IsReadAsItWasWritten) {
  const Pa again = record_from<Pa>(round_trip(test::full_pa()), "r.json");
  const PaSet &first = again.results[0], &second = again.results[1];
  EXPECT_TRUE(first.agreement.fitted && first.agreement.converged);
  EXPECT_FALSE(second.agreement.fitted || second.agreement.converged);
  EXPECT_TRUE(std::isnan(second.agreement.gap) && std::isnan(first.entropy->at[1].shifted));
  EXPECT_EQ(first.pairing->by, agreement::EvidenceBy::labels);
  EXPECT_FALSE(second.pairing->pairs());
  EXPECT_EQ(first.decomposition->groups[2].name, "adv");
  EXPECT_TRUE(first.entropy->right_only);
  EXPECT_EQ(again.options.as, "logits");
  EXPECT_EQ(again.ar_gap[0].points[1].ratio_minus, std::nullopt);
  expect_null(round_trip(test::bare_pa())["results"][0],
              {"model", "shift", "pairing", "doubt", "decomposition", "entropy", "confidence", "afr_true",
               "afr_true_low", "asr"});
  refused(test::full_pa(), {{"/results", Json::array(), "at least one result, found none"},
                            {"/schema", "leeway.pa/1", "run the command again"}});
}

TEST(PaRecord, WordsAreOfTheSetThatKeepsLeast) {
  Pa record = test::full_pa();
  EXPECT_THAT(headline_of(record), AllOf(HasSubstr("noise, b keeps 0.80 of 2.30"), HasSubstr("70% of its")));
  EXPECT_THAT(findings_of(record), ElementsAre("rows of b/noise.npz need not be those of b/clean.npz",
                                               AllOf(StartsWith("a/noise.npz: at 25% "),
                                                     HasSubstr("b is where a is at 50% (PA 1.2"))));
  record.results[1].doubt.clear();
  record.ar_gap[0].points.erase(record.ar_gap[0].points.begin());
  record.ar_gap[0].shift = "noise / blur";
  EXPECT_THAT(findings_of(record), ElementsAre(StartsWith("noise / blur: b starts below")));
  record = test::bare_pa("two\nlines.npy");
  EXPECT_THAT(headline_of(record), HasSubstr("two\\x0alines.npy, 1.20 of 2.30"));
  EXPECT_THAT(findings_of(record), IsEmpty());
  record.results.push_back(test::set_of("inf.npy", -HUGE_VAL));
  EXPECT_THAT(headline_of(record), HasSubstr("inf.npy, –∞ of 2.30"));
}

TEST(SelectRecord, IsReadAsItWasWritten) {
  const Json json = round_trip(test::full_select());
  const Select again = record_from<Select>(json, "r.json");
  EXPECT_EQ(again.results[1].measured.agreement.pa, .9);
  EXPECT_EQ(again.results[2].measured.accuracy->interval.high, .92);
  EXPECT_FALSE(again.results[0].pairing.pairs());
  EXPECT_EQ(again.selected.accuracy->checkpoint, "run/e2.npz");
  EXPECT_EQ(again.selected.pa_difference->interval.low, .15);
  EXPECT_EQ(json["selected"]["pa_difference_high"], .25);
  const Json bare = round_trip(test::bare_select());
  expect_null(bare["results"][0], {"accuracy", "accuracy_low", "accuracy_shifted_high", "doubt"});
  expect_null(bare["selected"], {"accuracy", "accuracy_shifted", "pa_difference", "pa_difference_low"});
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
                    HasSubstr("right on 55% of samples, the second on 50%")));
  EXPECT_THAT(
      findings_of(record),
      ElementsAre("rows of shifted/e0.npz need not be those of run/e0.npz",
                  AllOf(HasSubstr("run/e1.npz is higher than that of run/e2.npz by 0.20 (0.15 to 0.25)"),
                        EndsWith("the choice matters."))));
  record.selected.pa_difference->interval.low = 0;
  EXPECT_THAT(difference_words(record), EndsWith("do not tell the two apart."));
  record.selected.accuracy = record.selected.pa;
  EXPECT_THAT(headline_of(record),
              HasSubstr("same checkpoint, run/e1.npz. Under the shift it is right on 55%"));
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
  const Json json = round_trip(record);
  const Distances again = record_from<Distances>(json, "r.json");
  EXPECT_THAT(again.options.only, ElementsAre("kl", "cosine", "mmd"));
  EXPECT_EQ(again.results[0].distances.at("kl"), .5);
  EXPECT_FALSE(again.results[0].pairing);
  EXPECT_FALSE(again.results[1].pairing->pairs());
  expect_null(json["results"][0], {"doubt"});
  expect_null(json["results"][0]["distances"], {"cosine"});
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
  EXPECT_THAT(headline_of(none), HasSubstr("do not hold what the distances need"));
}

TEST(BoundRecord, IsReadAsItWasWritten) {
  (void)round_trip(test::full_bound());
  const Bound again = record_from<Bound>(round_trip(test::ranged_bound()), "r.json");
  EXPECT_EQ(again.dis2->dis2.concentrations[2].name, "betting");
  EXPECT_EQ(again.dis2->range->best().components, 5u);
  EXPECT_TRUE(again.dis2->dis2.corollary->holds);
  EXPECT_EQ(again.options.dis2.training_rows, 2500u);
  EXPECT_EQ(again.results[2].interval->high, .2 + .012);
  EXPECT_FALSE(again.results[0].interval);
  Bound bare = test::full_bound();
  bare.dis2.reset(), bare.target.error.reset();
  bare.inverse_temperature = HUGE_VAL;
  const Json json = round_trip(bare);
  expect_null(json, {"dis2"});
  EXPECT_EQ(json["inverse_temperature"], "inf");
  expect_null(json["results"][0], {"error_low"});
  refused(test::ranged_bound(), {{"/dis2/range/chosen", 2, "dis2.range.chosen, found 2"}});
}

TEST(BoundRecord, WordsSayTheBoundTheEstimatesAndTheTruth) {
  Bound record = test::full_bound();
  EXPECT_THAT(headline_of(record), AllOf(HasSubstr("at most 48.8% with probability 99%"),
                                         HasSubstr("20 to 28%"), EndsWith("the error is 23.5%.")));
  EXPECT_THAT(findings_of(record),
              ElementsAre(AllOf(HasSubstr("24.0%"), HasSubstr("at most 30.0%"), HasSubstr("It is, unless"))));
  record.dis2->dis2.corollary->holds = false;
  EXPECT_THAT(findings_of(record), ElementsAre(HasSubstr("does not prove the contrary")));
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
  EXPECT_EQ(headline_of(record), "Estimates without labels say 20 to 28%.");
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
  record.results.insert(record.results.begin(), bound);
  return record;
}

TEST(BoundEvaluateRecord, IsReadAsItWasWritten) {
  const Json json = round_trip(two_methods()), &first = json["results"][0];
  EXPECT_EQ(first["violation_rate"], 1 - 1. / 3);
  EXPECT_EQ(first["violation_rate_low"], 1 - .98);
  EXPECT_EQ(first["exceeds_delta"], true);
  expect_null(first, {"overestimation"});
  expect_null(json["results"][1], {"exceeds_delta"});
  EXPECT_EQ(json["results"][1]["adjusted"], Json::array());
}

TEST(BoundEvaluateRecord, WordsSayTheSafestAndTheClosestMethod) {
  EXPECT_THAT(headline_of(test::evaluation()),
              AllOf(StartsWith("Over 3 shifts cot "), HasSubstr("33% (1–90)"), HasSubstr("13.3 points off")));
  EXPECT_THAT(findings_of(test::evaluation()), IsEmpty());
  BoundEvaluation record = two_methods();
  record.results[1].score.mae = .3;
  EXPECT_THAT(headline_of(record), HasSubstr("; dis2@0.005 is closest to it, 20.0 points off"));
  EXPECT_THAT(findings_of(record),
              ElementsAre(AllOf(StartsWith("dis2@0.005 "), HasSubstr("67% (2–99)"), HasSubstr("0.5%"))));
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
  EXPECT_THAT(findings_of(record), ElementsAre(StartsWith("1 of 2 not within the tolerance")));
  record.results.pop_back();
  EXPECT_THAT(headline_of(record), HasSubstr("0.25, within 2e-05 with 99%"));
  EXPECT_THAT(findings_of(record), IsEmpty());
}

TEST(AverageCaseRecord, IsReadAsItWasWritten) {
  const Json json = round_trip(test::full_average_case());
  const Robustness found = record_from<AverageCase>(json, "r.json").found;
  EXPECT_THAT(found.options.methods, ElementsAre("mmse", "softmax", "mc"));
  EXPECT_EQ(found.results[1].p.interval->low, .78);
  EXPECT_EQ(json["results"][1].at("quantiles").at("0.05"), .4);
  EXPECT_EQ(found.strongest().not_converged, 3u);
  EXPECT_THAT(found.sigmas(), ElementsAre(.1, .2));
  EXPECT_EQ(found.against_monte_carlo[1].error.interval.low, .15);
  EXPECT_EQ(found.convergence[2].point.copies, 5u);
  EXPECT_TRUE(found.stochastic->neighbours);
  expect_null(json["class_bias"][1]["classes"][2],  // no sample
              {"mean", "mean_low", "mean_high", "quantiles", "difference", "p_value"});
  EXPECT_EQ(found.class_bias[1].classes[2].of.distribution.n, 0u);
  const Json bare = round_trip(test::bare_average_case());
  expect_null(bare, {"model", "out", "stochastic"});
  expect_null(bare["results"][0], {"error", "not_converged", "left_out", "zero_gradient", "draws"});
  refused(test::bare_average_case(),
          {{"/leading", "mc", "a result of 'mc' under the strongest noise, found none"}});
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
              AllOf(HasSubstr("σ = 0.2 predictions survive with probability 80% (78–82), mmse"),
                    HasSubstr("at most 40%"), HasSubstr("at most 85%"), HasSubstr("mc says 81%")));
  EXPECT_THAT(findings_of(found),
              ElementsAre(AllOf(HasSubstr("0.9 points from Monte Carlo"), HasSubstr("beyond the 0.40")),
                          HasSubstr("cannot be told"),
                          AllOf(HasSubstr("dim <b> survives with 60% (58–62)"),
                                HasSubstr("lit with 90% (88–92)"), HasSubstr("p = 0.0004")),
                          AllOf(HasSubstr("row 7: called bag with 97%"), HasSubstr("probability 21%"))));
  EXPECT_THAT(gradient_warnings(found), ElementsAre(StartsWith("the gradient of 25.0% of 40 samples")));
  found.against_monte_carlo[2].error.interval.low = .003;
  found.class_bias[1].p_value = .3;
  EXPECT_THAT(findings_of(found)[0], HasSubstr("no more than chance"));
  EXPECT_THAT(findings_of(found)[1], HasSubstr("(p = 0.3)"));
  found = test::bare_average_case().found;
  EXPECT_THAT(findings_of(found)[0],
              AllOf(HasSubstr("coat <b> survives with 70% (68–72)"), HasSubstr("p < 0.0001")));
  EXPECT_TRUE(gradient_warnings(found).empty());
  found.n = 1, found.results = {test::survival_of("mmse", .2, .5, true, 1)};
  EXPECT_THAT(headline_of(found), HasSubstr("survives with probability 50.0%, mmse"));
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

}  // namespace
}  // namespace leeway::record
