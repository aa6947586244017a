// The record of leeway average-case: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/average_case/average_case.h"
#include "leeway/record/digest.h"
#include "leeway/record/json.h"
#include "tests/message_of.h"
#include "tests/record/average_case_records.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AverageCaseRecord, IsReadAsItWasWritten) {
  const Json json = to_json(test::full_average_case());
  const AverageCase again = read_average_case(json, "r.json");
  EXPECT_EQ(to_json(again), json);
  const Robustness& found = again.found;
  EXPECT_EQ(found.options.methods, (std::vector<std::string>{"mmse", "softmax", "mc"}));
  EXPECT_EQ(found.results[1].p.interval->low, .78);
  EXPECT_EQ(json["results"][1].at("mean_low"), .78);
  EXPECT_EQ(json["results"][1].at("quantiles").at("0.05"), .4);
  EXPECT_EQ(found.strongest().not_converged, 3u);
  EXPECT_EQ(found.sigmas(), (std::vector<double>{.1, .2}));
  EXPECT_EQ(found.against_monte_carlo[1].error.interval.low, .15);
  EXPECT_EQ(found.convergence[2].point.copies, 5u);
  EXPECT_TRUE(found.stochastic->neighbours);
  const Json& none = json["class_bias"][1]["classes"][2];  // no sample
  for (const char* key : {"mean", "mean_low", "mean_high", "quantiles", "difference", "p_value"})
    EXPECT_TRUE(none.at(key).is_null()) << key;
  EXPECT_EQ(found.class_bias[1].classes[2].of.distribution.n, 0u);
  const Json bare = to_json(test::bare_average_case());
  EXPECT_EQ(to_json(read_average_case(bare, "r.json")), bare);
  for (const char* key : {"model", "out", "stochastic"}) EXPECT_TRUE(bare.at(key).is_null()) << key;
  for (const char* key : {"error", "not_converged", "left_out", "zero_gradient", "draws"})
    EXPECT_TRUE(bare["results"][0].at(key).is_null()) << key;
}

TEST(AverageCaseRecord, IsAMemberOfAnAssessment) {
  const ModelUnderNoise model{
      "cnn", "jacobian", "j.npy", 100, {}, {"doubt"}, test::full_average_case().found};
  Json assessment = {{"average_case", {to_json(model)}}};
  const auto again = read_models_under_noise(assessment, "r.json");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(to_json(again[0]), assessment["average_case"][0]);
  EXPECT_TRUE(read_models_under_noise(Json::object(), "r.json").empty());
  assessment["average_case"][0]["results"][0]["mean"] = 2;
  EXPECT_EQ(message_of([&] { (void)read_models_under_noise(assessment, "r.json"); }),
            "r.json: expected a number from 0 to 1 at average_case[0].results[0].mean, found 2");
  assessment["average_case"][0]["results"] = Json::array();
  EXPECT_EQ(message_of([&] { (void)read_models_under_noise(assessment, "r.json"); }),
            "r.json: expected at least one result at average_case[0].results, found none");
}

TEST(AverageCaseRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const Json& json) {
    return message_of([&] { (void)read_average_case(json, "r.json"); });
  };
  Json json = to_json(test::bare_average_case());
  json["results"][0]["mean"] = 1.5;
  EXPECT_EQ(complaint(json), "r.json: expected a number from 0 to 1 at results[0].mean, found 1.5");
  json = to_json(test::bare_average_case());
  json["results"][0].erase("sigma");
  EXPECT_EQ(complaint(json), "r.json: expected a number from 0 at results[0].sigma, found none");
  json = to_json(test::bare_average_case());
  json["options"]["methods"] = {"magic"};
  EXPECT_EQ(complaint(json), "r.json: expected one of " + names_of(average_case::estimators()) +
                                 " at options.methods[0], found 'magic'");
  json = to_json(test::bare_average_case());
  json["leading"] = "mc";
  EXPECT_EQ(complaint(json), "r.json: expected a result of 'mc' under the strongest noise, found none");
  json["results"] = Json::array();
  EXPECT_EQ(complaint(json), "r.json: expected at least one result, found none");
  EXPECT_THAT(complaint({{"schema", "leeway.average-case/1"}}), HasSubstr("run the command again"));
}

// .8 with .78 to .82; of twenty samples one has .4, half .85.
TEST(AverageCaseRecord, TheHeadlineIsOfTheStrongestNoise) {
  EXPECT_EQ(headline_of(test::bare_average_case().found),
            "Under noise of σ = 0.2 predictions survive with probability 80% (78–82), mmse says. Of twenty "
            "samples the most fragile keeps its prediction at most 40% of the time, and half of them at most "
            "85%.");
  EXPECT_THAT(headline_of(test::full_average_case().found),
              HasSubstr(" at most 85%. Beside it mc says 81%."));
  Robustness found = test::bare_average_case().found;
  found.n = 1, found.results = {test::survival_of("mmse", .2, .5, true, 1)};
  EXPECT_EQ(headline_of(found),
            "Under noise of σ = 0.2 the prediction survives with probability 50.0%, mmse says.");
  found.results = {test::survival_of("softmax", .2, .7, false)}, found.leading = "softmax";
  EXPECT_EQ(
      headline_of(found),
      "No method here gives a probability. The mean score of softmax at σ = 0.2 is 0.70 (0.68 to 0.72): "
      "scores rank samples, no more.");
}

TEST(AverageCaseRecord, FindingsAreErrorClassesAndTheMostFragileSample) {
  Robustness found = test::full_average_case().found;
  EXPECT_THAT(
      findings_of(found),
      ElementsAre(
          "At σ = 0.2 mmse is 0.9 points from Monte Carlo on average, beyond the 0.40 of chance",
          "Whether classes differ at σ = 0.2 cannot be told from these samples",
          "Noise hits groups by light <b> unequally: at σ = 0.2 light <b> dim <b> survives with 60% (58–62), "
          "light <b> lit with 90% (88–92) (p = 0.0004)",
          "The most fragile sample is row 7: called bag with 97% confidence, it survives noise of "
          "σ = 0.2 with probability 21%"));
  found.against_monte_carlo[2].error.interval.low = .003;
  found.class_bias[1].p_value = .3;
  EXPECT_THAT(findings_of(found)[0], HasSubstr("on average, no more than chance explains"));
  EXPECT_EQ(findings_of(found)[1], "Classes do not differ beyond chance at σ = 0.2 (p = 0.3)");
  EXPECT_EQ(
      findings_of(test::bare_average_case().found)[0],
      "Noise hits classes unequally: at σ = 0.2 class coat <b> survives with 70% (68–72), class bag with "
      "90% (88–92) (p < 0.0001)");
}

TEST(AverageCaseRecord, ZeroGradientsAreALineOfTheirMethods) {
  EXPECT_TRUE(gradient_warnings(test::bare_average_case().found).empty());
  EXPECT_THAT(
      gradient_warnings(test::full_average_case().found),
      ElementsAre("the gradient of 25.0% of 40 samples is exactly 0, as behind sign, rounding or quantised "
                  "layers: mmse takes them as surviving any noise; Monte Carlo (mc) needs no gradient"));
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
