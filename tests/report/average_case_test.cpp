// The page of leeway average-case.
#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::complaint;
using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

Json spread(double mean, std::size_t n = 40) {
  Json out = {{"n", n}};
  if (n == 0) return out;
  out["mean"] = mean;
  out["low"] = n > 1 ? Json(mean - .02) : Json();
  out["high"] = n > 1 ? Json(mean + .02) : Json();
  out["quantiles"] = {{"0.01", mean - .5}, {"0.05", mean - .4}, {"0.25", mean - .1}, {"0.5", mean + .05},
                      {"0.75", 1.},        {"0.95", 1.},        {"0.99", 1.}};
  return out;
}

Json joined(Json first, const Json& second) {
  first.update(second);
  return first;
}

Json result(const std::string& method, double sigma, double mean, bool probability = true,
            std::size_t n = 40) {
  return joined({{"method", method},
                 {"sigma", sigma},
                 {"probability", probability},
                 {"seconds", .2},
                 {"model_seconds", .15}},
                spread(mean, n));
}

Json of_class(std::size_t label, double mean, const Json& p_value) {
  return joined({{"class", label},
                 {"name", label == 0 ? "coat <b>" : "bag"},
                 {"difference", mean - .8},
                 {"p_value", p_value}},
                spread(mean, 20));
}

Json sample(std::size_t row, double p, std::size_t prediction) {
  return {{"row", row}, {"p", p}, {"prediction", prediction}, {"confidence", .97}};
}

// Two sigmas, mmse and softmax, two classes; Monte Carlo was not asked for.
Json bare() {
  Json record = {{"schema", "leeway.average-case/1"},
                 {"command", {"leeway", "average-case"}},
                 {"results",
                  {result("mmse", .1, .9), result("mmse", .2, .8), result("softmax", .1, .7, false),
                   result("softmax", .2, .7, false)}},
                 {"n", 40},
                 {"k", 2},
                 {"classes_are", "labels"},
                 {"level", .95},
                 {"leading", "mmse"},
                 {"noise", "gaussian"},
                 {"against_monte_carlo", Json::array()},
                 {"convergence", Json::array()}};
  for (const double sigma : {.1, .2}) {
    record["class_bias"].push_back({{"method", "mmse"},
                                    {"sigma", sigma},
                                    {"p_value", .00003},
                                    {"classes", {of_class(0, .7, .01), of_class(1, .9, .4)}}});
    record["ranking"].push_back(
        {{"method", "mmse"},
         {"sigma", sigma},
         {"classes",
          {{{"class", 0},
            {"name", "coat <b>"},
            {"least", {sample(7, .21, 1)}},
            {"most", {sample(3, .999, 0)}}},
           {{"class", 1}, {"name", "bag"}, {"least", {sample(9, .4, 1)}}, {"most", {sample(4, 1, 1)}}}}}});
  }
  return record;
}

Json against(const std::string& method, double sigma, double error, double low, double floor) {
  return {{"method", method},
          {"sigma", sigma},
          {"mean_absolute_error", error},
          {"low", low},
          {"high", error + .01},
          {"root_mean_square_error", error},
          {"largest_error", .1},
          {"bias", -error},
          {"monte_carlo_error", floor},
          {"rank_correlation", .875}};
}

// .8 with .78 to .82; of twenty samples one has .4, five .7.
TEST(AverageCasePage, SaysFirstHowOftenPredictionsSurviveAndHowFragileTheFewAre) {
  const std::string page = page_of(bare());
  EXPECT_THAT(
      page, HasSubstr("Under noise of σ = 0.2 predictions survive with probability 80% (78–82), mmse says."));
  EXPECT_THAT(
      page,
      HasSubstr("Of twenty samples the most fragile keeps its prediction at most 40% of the time, and half "
                "of them at most 85%."));
  EXPECT_THAT(
      page,
      HasSubstr("p is the probability that the model still gives the answer it gave to the clean picture"));
  EXPECT_THAT(page, HasSubstr("40 samples, 2 classes, gaussian noise"));
  for (const char* id : {"samples", "error", "classes", "ranking", "time", "assumptions", "source"})
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, Not(HasSubstr("id=\"convergence\"")));
}

TEST(AverageCasePage, IsLedByAMethodThatMetTheStrongestNoise) {
  Json record = bare();
  record["results"] = Json::array({result("taylor", .1, .9), result("mmse", .2, .8)});
  record["leading"] = "taylor";
  EXPECT_THAT(page_of(record), HasSubstr("predictions survive with probability 80% (78–82), mmse says."));
}

TEST(AverageCasePage, CallsNobodyFragileWhoIsNot) {
  EXPECT_THAT(page_of(bare()),
              HasSubstr("The mean hides the few: at σ = 0.2 the median sample has 85%, one in twenty no "
                        "more than 40% (mmse)"));
  Json record = bare();
  record["results"][1]["quantiles"] = {{"0.05", .96}, {"0.25", .97}, {"0.5", .98}};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Nineteen samples in twenty keep their prediction at least 96% of the time."));
  EXPECT_THAT(page, HasSubstr("Nearly all samples are alike: at σ = 0.2 the median sample has 98%"));
}

TEST(AverageCasePage, ScoresStandApart) {
  const std::string page = page_of(bare());
  EXPECT_THAT(page, HasSubstr("Mean probability to survive</strong>"));
  EXPECT_THAT(page, HasSubstr("Mean score</strong> <span class=\"note\">scores are no probabilities"));
  Json record = bare();
  record["results"] = Json::array({result("softmax", .2, .7, false)});
  record["leading"] = "softmax";
  EXPECT_THAT(page_of(record), HasSubstr("<h1>No method here gives a probability.</h1>"));
}

TEST(AverageCasePage, SaysThatMonteCarloWasNotAskedFor) {
  EXPECT_THAT(page_of(bare()), HasSubstr("Monte Carlo was not asked for"));
  EXPECT_THAT(page_of(bare()), HasSubstr("How far these figures are from the truth is not known"));
}

TEST(AverageCasePage, HoldsMethodsAgainstMonteCarloAndItsChance) {
  Json record = bare();
  record["results"].push_back(result("mc", .1, .9));
  record["results"].push_back(result("mc", .2, .81));
  for (const double sigma : {.1, .2}) {
    record["against_monte_carlo"].push_back(against("mmse", sigma, .009, .006, .004));
    record["against_monte_carlo"].push_back(against("softmax", sigma, .2, .15, .004));
  }
  const std::string page = page_of(record);
  EXPECT_THAT(
      page,
      HasSubstr("At σ = 0.2 mmse is 0.9 points from Monte Carlo on average, beyond the 0.40 of chance"));
  EXPECT_THAT(page, HasSubstr("Beside it mc says 81%."));
  EXPECT_THAT(page, HasSubstr("Distance of scores</strong>"));
  EXPECT_THAT(page, HasSubstr(">0.88<"));  // .875
  record["against_monte_carlo"][2]["low"] = .003;
  EXPECT_THAT(page_of(record), HasSubstr("on average, no more than chance explains"));
  record["against_monte_carlo"][2]["rank_correlation"] = nullptr;
  EXPECT_THAT(page_of(record), HasSubstr("all samples tie in one of the two"));
}

TEST(AverageCasePage, SaysWhichClassesDifferAndWhatClassesAre) {
  std::string page = page_of(bare());
  EXPECT_THAT(
      page, HasSubstr("at σ = 0.2 class coat &lt;b&gt; survives with 70% (68–72), class bag with 90% (88–92) "
                      "(p &lt; 0.0001)"));
  EXPECT_THAT(page, HasSubstr("Classes are the labels here"));
  EXPECT_THAT(page, HasSubstr("<td>coat &lt;b&gt; (less)</td>"));
  Json record = bare();
  record["classes_are"] = "predictions";
  record["class_bias"][1]["p_value"] = .3;
  page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Classes do not differ beyond chance at σ = 0.2 (p = 0.3)"));
  EXPECT_THAT(page, HasSubstr("Classes are the model's own predictions here, as there were no labels"));
  record["class_bias"][1]["p_value"] = nullptr;
  EXPECT_THAT(page_of(record), HasSubstr("fewer than two classes have samples, or all p tie"));
}

TEST(AverageCasePage, RanksSamplesWithTheirPictures) {
  const Json record = bare();
  std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("The most fragile sample is row 7: called bag with 97% confidence, it survives "
                              "noise of σ = 0.2 with probability 21%"));
  EXPECT_EQ(occurrences(page, "data:image/png"), 0u);
  Pictures pictures;
  for (const std::size_t row : {7u, 3u}) pictures.samples.push_back({row, {1, 1, 2, {0, 255}}});
  pictures.samples.push_back({4, {2, 1, 1, {0, 0}}});  // of no known form
  page = page_of(record, pictures);
  EXPECT_EQ(occurrences(page, "data:image/png"), 4u);  // two samples at two sigmas
  EXPECT_THAT(page, HasSubstr("alt=\"row 7\"><b>21%</b> <span class=\"wrong\">bag (97%)</span>"));
  EXPECT_EQ(occurrences(html_report(record, pictures, {.picture_bytes = 300}), "src=\"data:image/png"), 2u);
}

TEST(AverageCasePage, DrawsOneSigmaAndOneSample) {
  Json record = bare();
  record["results"] = Json::array({result("mmse", .2, .5, true, 1)});
  record["n"] = 1;
  record["class_bias"] = record["ranking"] = Json::array();
  const std::string page = page_of(record);
  EXPECT_THAT(page,
              HasSubstr("Under noise of σ = 0.2 the prediction survives with probability 50.0%, mmse says."));
  EXPECT_THAT(page, HasSubstr("<p class=\"scope\">1 sample, "));
  EXPECT_THAT(page, Not(HasSubstr("data-spec=\"lines\"><figcaption>")));
  record["results"] = Json::array({result("mmse", .2, .5, true, 0)});
  EXPECT_THAT(page_of(record), HasSubstr("No sample was looked at."));
}

TEST(AverageCasePage, LeavesOutWhatTheRecordLeavesOut) {
  Json record = {{"schema", "leeway.average-case/1"}, {"results", {result("taylor", 0, .95)}}};
  record["results"][0].erase("seconds");
  record["results"][0].erase("quantiles");
  const std::string page = page_of(record);
  EXPECT_THAT(
      page, HasSubstr("Under noise of σ = 0 predictions survive with probability 95% (93–97), taylor says."));
  EXPECT_THAT(page, HasSubstr("not recorded"));
  for (const char* id : {"samples", "classes", "ranking", "time", "convergence"})
    EXPECT_THAT(page, Not(HasSubstr(std::string("<section id=\"") + id + "\""))) << id;
  record["k"] = 1000;
  EXPECT_THAT(page_of(record), HasSubstr("Classes were not compared: there are 1,000"));
}

TEST(AverageCasePage, ManyClassesSigmasAndMethodsDoNotFloodThePage) {
  Json record = bare();
  record["results"] = Json::array();
  for (const char* method : {"a", "b", "c", "d", "e"})
    for (int s = 1; s <= 7; ++s) record["results"].push_back(result(method, s, .8));
  record["leading"] = "e";
  record["class_bias"].erase(1);
  record["ranking"].erase(1);
  Pictures pictures;
  for (std::size_t c = 0; c < 100; ++c) {
    record["class_bias"][0]["classes"][c] = of_class(c, .8, .9);
    record["ranking"][0]["classes"][c] = {
        {"class", c},
        {"name", "x"},
        {"least", {sample(c, .5 + .001 * static_cast<double>(c), c), sample(c, .9, c)}},
        {"most", Json::array()}};
    pictures.samples.push_back({c, {1, 1, 1, {7}}});
  }
  const std::string page = page_of(record, pictures);
  EXPECT_THAT(page, HasSubstr("Every method at every σ (35 rows)"));
  EXPECT_THAT(page, HasSubstr("The charts show the 20 least robust of 100 classes, the table all."));
  EXPECT_THAT(page, HasSubstr("Pictures are shown of the 20 classes with the most fragile samples."));
  EXPECT_EQ(occurrences(page, "<div class=\"rankedclass\">"), 20u);
  EXPECT_EQ(occurrences(page, "alt=\"row 19\""), 2u);
  EXPECT_EQ(occurrences(page, "alt=\"row 20\""), 0u);
  EXPECT_EQ(occurrences(page, "Mean probability to survive</strong>"), 2u);  // four lines and one
}

TEST(AverageCasePage, SaysHowMethodsSettle) {
  Json record = bare();
  for (const std::size_t copies : {1, 2, 5})
    record["convergence"].push_back({{"method", "mmse"},
                                     {"sigma", .2},
                                     {"copies", copies},
                                     {"n", 40},
                                     {"mean_change", copies == 5 ? 0 : .1 / static_cast<double>(copies)},
                                     {"most_change", .3}});
  EXPECT_THAT(page_of(record), HasSubstr("At σ = 0.2 mmse still moves by 5.00 points from 2 to 5 copies"));
  EXPECT_THAT(page_of(record), HasSubstr("mean change of p against 5 copies"));
  record["convergence"].erase(0), record["convergence"].erase(0);
  EXPECT_THAT(page_of(record), HasSubstr("One number of copies alone"));
}

TEST(AverageCasePage, SaysWhatIsNotSettled) {
  Json record = bare();
  record["results"][1]["not_converged"] = 3;
  record["results"][1]["left_out"] = .002;
  record["methods"] = {{{"method", "mmse"},
                        {"summary", "averaged <gradients>"},
                        {"source", "Han et al. 2024"},
                        {"probability", true}}};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("p of up to 3 of 40 samples is not within the tolerance"));
  EXPECT_THAT(page, HasSubstr("this changes p by up to 0.002"));
  EXPECT_THAT(page, HasSubstr("averaged &lt;gradients&gt; (Han et al. 2024)."));
}

TEST(AverageCasePage, SaysWhereGradientsAreZero) {
  EXPECT_THAT(page_of(bare()), Not(HasSubstr("<b>Warning:</b>")));
  Json record = bare();
  record["warnings"] = {"the gradient of 25.0% of 40 samples is exactly 0"};
  record["results"][1]["zero_gradient"] = .25;
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("<b>Warning:</b> the gradient of 25.0% of 40 samples is exactly 0"));
  EXPECT_THAT(page, HasSubstr("Up to 25.0% of the samples have gradients of exactly 0"));
}

TEST(AverageCasePage, RefusesWhatDoesNotFit) {
  Json record = bare();
  record["results"][0]["mean"] = 1.5;
  EXPECT_EQ(complaint(record), "r.json: expected a number from 0 to 1 at results[0].mean, found 1.5");
  record = bare();
  record["results"][0].erase("sigma");
  EXPECT_EQ(complaint(record), "r.json: expected a finite number at results[0].sigma, found none");
  record["results"] = Json::array();
  EXPECT_EQ(complaint(record), "r.json: expected at least one result, found none");
}

TEST(AverageCasePage, SeveralRecordsDoNotJoin) {
  EXPECT_THAT(
      message_of([&] {
        (void)join_records({{"a.json", bare()}, {"b.json", bare()}});
      }),
      HasSubstr("a.json: expected schema leeway.assess/1 or leeway.pa/2, of which several make one page"));
}

TEST(AverageCasePage, DrawsARecordOfTheCommand) {
  const std::string page = page_of(reference_record("average_case_record.json"));
  for (const char* id :
       {"samples", "error", "classes", "ranking", "convergence", "time", "assumptions", "source"})
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + id + "\""), 1u) << id;
}

TEST(SamplePictures, AreTakenOfEveryRankedRowOnce) {
  std::vector<float> values(10 * 100 * 2);
  values[7 * 200] = 1;
  const Images images{"x.npz", make_array<float>({10, 1, 100, 2}, values), std::nullopt};
  const Pictures found = sample_pictures(bare(), images);
  ASSERT_EQ(found.samples.size(), 4u);
  EXPECT_EQ(found.samples[0].row, 7u);
  EXPECT_EQ(found.samples[0].picture.height, 50u);     // no side beyond 64
  EXPECT_EQ(found.samples[0].picture.pixels[0], 64u);  // 255 / 4, rounded
  const Images few{"few.npz", make_array<float>({5, 1, 1, 1}, std::vector<float>(5)), std::nullopt};
  EXPECT_EQ(message_of([&] { (void)sample_pictures(bare(), few, {.record_name = "r.json"}); }),
            "few.npz: expected the images of r.json, whose ranked samples reach row 7, found 5 images");
}

}  // namespace
}  // namespace leeway::report
