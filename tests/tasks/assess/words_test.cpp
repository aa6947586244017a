#include "leeway/tasks/assess/detail/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leeway::assess {
namespace {

using ::testing::ElementsAre;

Share counted(std::size_t count, std::size_t n) { return share(count, n, .95); }

// A labelled pair: right on `before` and `after` of 10000, with `same` predictions unchanged.
Summary labelled_pair(const std::string& model, const std::string& target, std::size_t before,
                      std::size_t after, std::size_t same) {
  Summary s;
  s.model = model;
  s.target = target;
  s.n = s.source_n = 10000;
  s.paired = s.labelled = true;
  s.source_accuracy = counted(before, s.n);
  s.accuracy = counted(after, s.n);
  s.change = before > after ? paired_difference(before - after, 0, s.n, .95)
                            : paired_difference(0, after - before, s.n, .95);
  s.afr_pred = counted(same, s.n);
  return s;
}

Summary unlabelled_pair(const std::string& model, const std::string& target, std::size_t same) {
  Summary s = labelled_pair(model, target, 0, 0, same);
  s.labelled = false;
  s.accuracy.reset();
  s.change.reset();
  return s;
}

Summary confidences_only(const std::string& model, double before, double after) {
  Summary s;
  s.model = model;
  s.target = "monday";
  s.clean_confidence = before;
  s.shifted_confidence = after;
  return s;
}

Comparison compared(const std::string& model, const std::string& other, std::size_t better,
                    std::size_t worse) {
  return {"blur 2", model, other, 10000, paired_difference(worse, better, 10000, .95), 1};
}

TEST(Headline, OfOneModel) {
  EXPECT_EQ(headline({labelled_pair("model", "blur 2", 9100, 7400, 8200)}, {}, {"images", .95}),
            "Under blur 2, the model changes its mind on 18% of images and is right on 74% (95% interval "
            "73.1 to 74.9), "
            "down from 91%.");
}

TEST(Headline, SetsTheOtherModelBesideTheWorst) {
  const std::vector<Summary> both{labelled_pair("cnn", "blur 2", 9100, 7400, 8200),
                                  labelled_pair("robust", "blur 2", 8800, 8500, 9500)};
  const std::string start =
      "Under blur 2, cnn changes its mind on 18% of images and is right on 74% (95% interval 73.1 to 74.9), "
      "down from "
      "91%; robust ";
  EXPECT_EQ(headline(both, {compared("robust", "cnn", 1500, 400)}, {"images", .95}),
            start + "holds 85% (84.3 to 85.7), 11 points more (95% interval 10.2 to 11.8).");
  // The comparison may be the other way round in the record.
  EXPECT_EQ(headline(both, {compared("cnn", "robust", 400, 1500)}, {"images", .95}),
            start + "holds 85% (84.3 to 85.7), 11 points more (95% interval 10.2 to 11.8).");
  EXPECT_EQ(headline(both, {}, {"images", .95}), start + "is right on 85% (84.3 to 85.7).");
}

TEST(Headline, ClaimsNoDifferenceInsideTheNoise) {
  const std::vector<Summary> both{labelled_pair("a", "blur 2", 9100, 7400, 8200),
                                  labelled_pair("b", "blur 2", 8800, 7410, 8200)};
  EXPECT_EQ(
      headline(both, {compared("b", "a", 510, 500)}),
      "Under blur 2, a changes its mind on 18% of samples and is right on 74% (95% interval 73.1 to 74.9), "
      "down "
      "from 91%; b is right on 74% (73.2 to 75.0), no clear difference (95% interval -0.5 to 0.7 points).");
  EXPECT_THAT(headline(both, {compared("b", "a", 500, 1100)}),
              ::testing::HasSubstr("6 points fewer (95% interval 5.2 to 6.8)"));
  EXPECT_EQ(headline({labelled_pair("model", "blur 2", 9100, 9085, 9970)}, {}),
            "Under blur 2, the model changes its mind on 0.3% of samples and is right on 91% (95% interval "
            "90.3 to 91.4), "
            "down by 0.1 points.");
}

TEST(Headline, SaysWhereNothingIsClear) {
  EXPECT_EQ(headline({labelled_pair("model", "blur 2", 9100, 9098, 10000)}, {}),
            "Under blur 2, the model changes its mind on none of 10,000 samples and is right on 91% (95% "
            "interval 90.4 to "
            "91.5), not clearly different from 91% on the source.");
  EXPECT_THAT(headline({labelled_pair("model", "blur 2", 8000, 9000, 9000)}, {}),
              ::testing::HasSubstr("up from 80%."));
}

TEST(Headline, OfManyModelsAndTargetsTakesTheWorstTargetAndTheBestOther) {
  EXPECT_EQ(
      headline(
          {labelled_pair("a", "noise", 9100, 9000, 9800), labelled_pair("a", "blur 2", 9100, 7400, 8200),
           labelled_pair("b", "blur 2", 9000, 8000, 8200), labelled_pair("c", "blur 2", 9000, 8500, 8200)},
          {compared("c", "a", 1500, 400)}),
      "Under blur 2, a changes its mind on 18% of samples and is right on 74% (95% interval 73.1 to 74.9), "
      "down from "
      "91%; best of the 2 other models, c holds 85% (84.3 to 85.7), 11 points more (95% interval 10.2 to "
      "11.8). Of 2 "
      "targets this is the largest measured loss of accuracy.");
}

TEST(Headline, WithoutLabelsSpeaksOfChangedPredictions) {
  EXPECT_EQ(headline({unlabelled_pair("a", "blur 2", 8200), unlabelled_pair("b", "blur 2", 9500)}, {}),
            "Under blur 2, a changes its mind on 18% of samples (95% interval 17.3 to 18.8); b on 5.0% (4.58 "
            "to 5.45).");
  EXPECT_EQ(headline({unlabelled_pair("a", "blur 2", 8200), unlabelled_pair("b", "blur 2", 10000)}, {}),
            "Under blur 2, a changes its mind on 18% of samples (95% interval 17.3 to 18.8); b on none.");
}

TEST(Headline, PrefersLabelledTargetsAndSaysSo) {
  EXPECT_EQ(headline({unlabelled_pair("a", "x", 2000), labelled_pair("a", "y", 9100, 9000, 9800),
                      labelled_pair("a", "z", 9100, 8000, 8800)},
                     {}),
            "Under z, a changes its mind on 12% of samples and is right on 80% (95% interval 79.2 to 80.8), "
            "down from 91%. "
            "Of 2 targets with labels this is the largest measured loss of accuracy.");
}

TEST(Headline, WithoutLabelsAndPairsAdmitsIt) {
  EXPECT_EQ(headline({confidences_only("a", .934, .712), confidences_only("b", .9, .998)}, {}),
            "Under monday, a is 71% sure on average, 93% on the source; without labels or pairs nothing is "
            "known of its "
            "accuracy; b is over 99% sure, 90% on the source.");
}

// Estimates of .22 and .34, and a bound.
Summary with_errors(Summary s, double bound) {
  s.source_accuracy = share(880, 1000, .95);
  s.bounds.estimates.emplace();
  s.bounds.estimates->estimates = {{nullptr, .34, {}}, {nullptr, .22, {}}};
  s.likely_error = record::LikelyError{"cot", "", {.33, .31, .35}, .22, .34};
  s.bounds.dis2.emplace();
  s.bounds.dis2->bound = bound;
  return s;
}

TEST(Headline, WithoutLabelsSaysWhatIsKnown) {
  EXPECT_EQ(
      headline({with_errors(confidences_only("model", .934, .712), .822)}, {}),
      "Under monday, the model's error is probably 22% to 34% (cot says 33%; 12% on the source, 95% interval "
      "10.1 to 14.2), at most 82% if the bound's assumption holds; it is 71% sure on average, 93% on the "
      "source.");
  EXPECT_THAT(headline({with_errors(confidences_only("model", .934, .712), 1)}, {}),
              ::testing::HasSubstr("10.1 to 14.2); the bound excludes nothing; it is 71% sure"));
  EXPECT_EQ(headline({with_errors(unlabelled_pair("a", "blur 2", 8200), .822)}, {}),
            "Under blur 2, a changes its mind on 18% of samples (95% interval 17.3 to 18.8); its error is "
            "probably 22% "
            "to 34% (cot says 33%; 12% on the source, 95% interval 10.1 to 14.2), at most 82% if the bound's "
            "assumption "
            "holds.");
  Summary plain = confidences_only("model", .934, .712);
  plain.source_accuracy = share(880, 1000, .95);
  EXPECT_THAT(headline({plain}, {}),
              ::testing::HasSubstr("; without labels its accuracy here is not known."));
}

TEST(Headline, WithoutLabelsNamesWhatMoved) {
  Summary s = with_errors(confidences_only("model", .934, .712), .822);
  s.drift.emplace();
  EXPECT_THAT(headline({s}, {}), ::testing::EndsWith("93% on the source."));
  s.drift->classes.p_value = 1e-9;
  s.drift->confidence.p_value = .031;
  s.drift->groups.resize(3);
  for (record::DriftTest& group : s.drift->groups) group.name = "camera", group.p_value = .04;
  EXPECT_THAT(
      headline({s}, {}),
      ::testing::EndsWith("; predicted classes (p < 0.0001), confidence (p = 0.031), camera (p = 0.04) and "
                          "more moved."));
}

TEST(Headline, NamesTargetsThatLookLikePairsAndAreNone) {
  Summary s = confidences_only("model", .934, .712);
  s.pairing.doubted = true;
  s.pairing.reason = "nothing shows it";
  Summary second = s, third = s;
  second.target = "tuesday", third.target = "friday";
  EXPECT_THAT(headline({s}, {}),
              ::testing::EndsWith(" Rows of monday are not compared one by one: nothing shows it; "
                                  "--paired yes overrules this."));
  EXPECT_THAT(headline({s, second}, {}), ::testing::HasSubstr("Rows of monday and tuesday are not"));
  EXPECT_THAT(headline({s, second, third}, {}),
              ::testing::HasSubstr("Rows of monday and 2 other targets are not"));
}

TEST(Findings, OfResultsWithLabelsStandBeforeThoseWithout) {
  const auto sentences = findings({confidences_only("a", .9, .1), unlabelled_pair("a", "x", 2000),
                                   labelled_pair("a", "y", 9100, 9000, 9800)});
  EXPECT_THAT(sentences, ElementsAre(::testing::HasSubstr("Under y"), ::testing::HasSubstr("Under x"),
                                     ::testing::HasSubstr("Under monday")));
}

TEST(Headline, OfAnUnpairedLabelledTargetNamesTheUnit) {
  Summary s = labelled_pair("model", "monday", 9100, 7400, 8200);
  s.paired = false;
  s.afr_pred.reset();
  EXPECT_EQ(headline({s}, {}, {"reviews", .9}),
            "Under monday, the model is right on 74% of reviews (90% interval 73.1 to 74.9), down from 91%.");
  s.change.reset();
  s.source_accuracy.reset();
  EXPECT_EQ(headline({s}, {}),
            "Under monday, the model is right on 74% of samples (95% interval 73.1 to 74.9).");
}

TEST(Findings, AreSortedByLossAndNameWhatIsClearlyWeaker) {
  Summary bad = labelled_pair("a", "blur", 9100, 7400, 8200);
  bad.classes = {{"", "Shirt", 6, 1000, 1000, counted(310, 1000), counted(760, 1000), {}},
                 {"", "Bag", 8, 9000, 9000, counted(7090, 9000), {}, {}}};
  bad.groups = {{"class / light", "Shirt / dim", 0, 200, 0, counted(40, 200), {}, {}}};
  Summary mild = labelled_pair("a", "noise", 9100, 9000, 9800);
  mild.classes = {{"", "Shirt", 6, 1000, 1000, counted(895, 1000), {}, {}}};  // inside the noise: not named
  EXPECT_THAT(findings({mild, bad}), ElementsAre("Under blur, a changes its mind on 18% of samples and is "
                                                 "right on 74% (95% interval 73.1 to 74.9), down "
                                                 "from 91%; weakest class Shirt: 31% of 1,000 (28.1 to "
                                                 "34.0), 76% on the source; weakest group class / "
                                                 "light = Shirt / dim: 20% of 200 (15 to 26).",
                                                 "Under noise, a changes its mind on 2.0% of samples and is "
                                                 "right on 90% (95% interval 89.4 to 90.6), down "
                                                 "from 91%."));
}

TEST(Findings, WithoutLabelsNameTheClassThatChangesMost) {
  Summary s = unlabelled_pair("a", "blur", 8200);
  s.classes = {{"", "Shirt", 6, 1000, 0, {}, {}, counted(560, 1000)}};
  EXPECT_THAT(
      findings({s}),
      ElementsAre(
          "Under blur, a changes its mind on 18% of samples (95% interval 17.3 to 18.8); most among those "
          "taken for Shirt: 44% of 1,000 (40.9 to 47.1)."));
}

TEST(Percent, DigitsStopWhereTheIntervalBegins) {
  EXPECT_EQ(percent(counted(7400, 10000)), "74%");
  EXPECT_EQ(percent(counted(740123, 1000000)), "74.0%");
  EXPECT_EQ(interval_text(counted(740123, 1000000)), "73.93 to 74.10");
  EXPECT_EQ(percent(counted(6, 10)), "60%");
  EXPECT_EQ(interval_text(counted(6, 10)), "26 to 88");
  EXPECT_EQ(percent(counted(50, 50)), "100%");
  EXPECT_EQ(interval_text(counted(50, 50)), "92.9 to 100");
  EXPECT_EQ(percent(counted(0, 50)), "0%");
}

TEST(PercentDigits, AtItsSteps) {
  EXPECT_EQ(percent_digits(20), 0);
  EXPECT_EQ(percent_digits(1.8), 0);
  EXPECT_EQ(percent_digits(1), 0);
  EXPECT_EQ(percent_digits(.99), 1);
  EXPECT_EQ(percent_digits(.05), 2);
  EXPECT_EQ(percent_digits(0), 4);
}

TEST(WholePercent, NeverRoundsToAllOrNothing) {
  EXPECT_EQ(whole_percent(.9999), "over 99%");
  EXPECT_EQ(whole_percent(1), "100%");
  EXPECT_EQ(whole_percent(.0001), "under 1%");
  EXPECT_EQ(whole_percent(0), "0%");
  EXPECT_EQ(whole_percent(.125), "12%");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

}  // namespace
}  // namespace leeway::assess
