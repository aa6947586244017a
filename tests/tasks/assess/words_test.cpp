#include "leeway/tasks/assess/detail/words.h"

#include <gmock/gmock.h>

#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess::words_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Measured counted(std::size_t count, std::size_t n) { return share(count, n, .95); }

// Right on `before` and `after` of 10000, with `same` predictions unchanged.
Summary labelled_pair(const std::string& model, const std::string& target, std::size_t before,
                      std::size_t after, std::size_t same) {
  Summary s;
  s.model = model;
  s.target = target;
  s.n = s.source_n = 10000;
  s.paired = s.labelled = true;
  s.source_accuracy = counted(before, s.n);
  s.accuracy = counted(after, s.n);
  s.accuracy_change = before > after ? paired_difference(before - after, 0, s.n, .95)
                                     : paired_difference(0, after - before, s.n, .95);
  s.afr_pred = counted(same, s.n);
  return s;
}

Summary unlabelled_pair(const std::string& model, const std::string& target, std::size_t same) {
  Summary s = labelled_pair(model, target, 0, 0, same);
  s.labelled = false;
  s.accuracy = s.accuracy_change = {};
  return s;
}

Summary confidences_only(const std::string& model, double before, double after) {
  Summary s;
  s.model = model;
  s.target = "monday";
  s.confidence.clean_mean = before;
  s.confidence.shifted_mean = after;
  return s;
}

tasks::AssessComparison compared(const std::string& model, const std::string& other, std::size_t better,
                                 std::size_t worse) {
  return {"blur 2", model, other, 10000, paired_difference(worse, better, 10000, .95), 1, false};
}

// Of its parts in their order; the end of the last is the end of the sentence.
void expect_headline(const std::vector<Summary>& summaries,
                     const std::vector<tasks::AssessComparison>& comparisons,
                     const std::vector<std::string>& parts, const WordsOptions& options = {}) {
  const std::string text = headline(summaries, comparisons, options);
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = text.find(part, at);
    EXPECT_NE(found, std::string::npos) << part << "\nin\n" << text;
    at = found == std::string::npos ? at : found + part.size();
  }
  EXPECT_EQ(at, text.size()) << text;
}

const Summary model = labelled_pair("model", "blur 2", 9100, 7400, 8200),
              a = labelled_pair("a", "blur 2", 9100, 7400, 8200);
const std::string of_a =
    "Under blur 2, a changes its prediction on 18% of samples and is right on 74% (95% interval 73.1 to "
    "74.9), down from 91%";

TEST(Headline, OfOneModel) {
  expect_headline({model}, {},
                  {"the model", "18% of images", "74% (95% interval 73.1 to 74.9)", "down from 91%."},
                  {"images", .95});
  expect_headline({labelled_pair("m", "t", 9100, 9085, 9970)}, {}, {"0.3% of", "91%", "down by 0.1 points."});
  expect_headline({labelled_pair("m", "t", 9100, 9098, 10000)}, {},
                  {"no prediction on 10,000 samples", "not clearly different from 91% on the source."});
  expect_headline({labelled_pair("m", "t", 8000, 9000, 9000)}, {}, {"up from 80%."});
  Summary s = model;
  s.paired = false, s.afr_pred = {};
  expect_headline({s}, {}, {"right on 74% of reviews (90% interval", "down from 91%."}, {"reviews", .9});
  s.accuracy_change = s.source_accuracy = {};
  expect_headline({s}, {}, {"right on 74% of samples (95% interval 73.1 to 74.9)."});
}

TEST(Headline, SetsTheOtherModelBesideTheWorst) {
  const std::vector<Summary> both{a, labelled_pair("robust", "blur 2", 8800, 8500, 9500)};
  // The comparison may be the other way round in the record.
  for (const tasks::AssessComparison& comparison :
       {compared("robust", "a", 1500, 400), compared("a", "robust", 400, 1500)})
    expect_headline(both, {comparison},
                    {of_a, "; robust holds 85% (84.3 to 85.7), 11 points more (95% interval 10.2 to 11.8)."});
  expect_headline(both, {}, {of_a, "; robust is right on 85% (84.3 to 85.7)."});
  expect_headline(
      {a, labelled_pair("b", "blur 2", 8800, 7410, 8200)}, {compared("b", "a", 510, 500)},
      {of_a, "; b is right on 74% (73.2 to 75.0), no clear difference (95% interval -0.5 to 0.7 points)."});
  expect_headline(both, {compared("robust", "a", 500, 1100)}, {"6 points fewer (95% interval 5.2 to 6.8)."});
}

TEST(Headline, OfManyModelsAndTargetsTakesTheWorstTargetAndTheBestOther) {
  expect_headline(
      {labelled_pair("a", "noise", 9100, 9000, 9800), a, labelled_pair("b", "blur 2", 9000, 8000, 8200),
       labelled_pair("c", "blur 2", 9000, 8500, 8200)},
      {compared("c", "a", 1500, 400)},
      {of_a, "best of the 2 other models, c holds 85%", "loss of accuracy", "on 2 targets."});
  expect_headline({unlabelled_pair("a", "x", 2000), labelled_pair("a", "y", 9100, 9000, 9800),
                   labelled_pair("a", "z", 9100, 8000, 8800)},
                  {}, {"Under z, a", "12%", "80%", "loss of accuracy", "on 2 targets with labels."});
}

TEST(Headline, WithoutLabelsSpeaksOfChangedPredictionsOrConfidence) {
  const Summary pair = unlabelled_pair("a", "blur 2", 8200);
  expect_headline(
      {pair, unlabelled_pair("b", "blur 2", 9500)}, {},
      {"a changes its prediction on 18% of samples (95% interval 17.3 to 18.8); b on 5.0% (4.58 to 5.45)."});
  expect_headline({pair, unlabelled_pair("b", "blur 2", 10000)}, {}, {"; b on none."});
  expect_headline({confidences_only("a", .934, .712), confidences_only("b", .9, .998)}, {},
                  {"Under monday, a has 71% mean confidence, 93% on the source; ",
                   "; b has over 99% mean confidence, 90% on the source."});
  Summary plain = confidences_only("model", .934, .712);
  plain.source_accuracy = counted(880, 1000);
  expect_headline({plain}, {},
                  {"where it is right on 88%", "; without labels, its accuracy on the target is not known."});
}

// An estimate with its range, and a bound.
Summary with_errors(Summary s, double bound) {
  s.source_accuracy = counted(880, 1000);
  s.likely_error = tasks::LikelyError{{.33, .31, .35}, .22, .34, true, ""};
  s.error_bound = bound;
  return s;
}

TEST(Headline, WithoutLabelsSaysWhatIsKnownAndWhatMoved) {
  const std::string likely =
      "estimated at 33% (likely range 22% to 34%; 12% on the source, 95% interval 10.1 to 14.2)";
  Summary s = with_errors(confidences_only("model", .934, .712), .822);
  s.drift.emplace();
  expect_headline(
      {s}, {},
      {"the model's error is " + likely, "at most 82%", "71% mean confidence", "93% on the source."});
  expect_headline({with_errors(confidences_only("model", .934, .712), .3)}, {},
                  {"at most 30% if the bound's assumption holds, which is in doubt; ", "93% on the source."});
  expect_headline({with_errors(confidences_only("model", .934, .712), 1)}, {},
                  {likely, "; the bound is 100%; ", "93% on the source."});
  expect_headline(
      {with_errors(unlabelled_pair("a", "blur 2", 8200), .822)}, {},
      {"18% of samples", "; its error is " + likely, "at most 82% if the bound's assumption holds."});
  s.drift->classes.p_value = 1e-9;
  s.drift->confidence.p_value = .031;
  s.drift->groups.resize(3);
  for (tasks::DriftTest& group : s.drift->groups) group.name = "camera", group.p_value = .04;
  expect_headline(
      {s}, {},
      {"; predicted classes (p < 0.0001), confidence (p = 0.031), camera (p = 0.04) and more changed."});
}

TEST(Headline, NamesTargetsThatLookLikePairsAndAreNone) {
  Summary s = confidences_only("model", .934, .712);
  s.pairs.doubted = true;
  s.pairs.reason = "nothing shows it";
  Summary second = s, third = s;
  second.target = "tuesday", third.target = "friday";
  expect_headline(
      {s}, {}, {" Rows of monday are treated as unpaired", "nothing shows it; --paired yes overrides this."});
  EXPECT_THAT(headline({s, second}, {}), HasSubstr("Rows of monday and tuesday are treated as unpaired"));
  EXPECT_THAT(headline({s, second, third}, {}),
              HasSubstr("Rows of monday and 2 other targets are treated as unpaired"));
}

TEST(Findings, AreSortedByLossAndNameWhatIsClearlyWeaker) {
  EXPECT_THAT(findings({confidences_only("a", .9, .1), unlabelled_pair("a", "x", 2000),
                        labelled_pair("a", "y", 9100, 9000, 9800)}),
              ElementsAre(HasSubstr("Under y"), HasSubstr("Under x"), HasSubstr("Under monday")));
  Summary bad = a;
  bad.classes = {{6u, "", "Shirt", 1000, 1000, counted(310, 1000), counted(760, 1000), {}},
                 {8u, "", "Bag", 9000, 9000, counted(7090, 9000), {}, {}}};
  bad.groups = {{{}, "class / light", "Shirt / dim", 200, 0, counted(40, 200), {}, {}}};
  Summary mild = labelled_pair("a", "noise", 9100, 9000, 9800);
  mild.classes = {{6u, "", "Shirt", 1000, 1000, counted(895, 1000), {}, {}}};  // inside the noise: not named
  EXPECT_THAT(
      findings({mild, bad}),
      ElementsAre(
          AllOf(StartsWith(of_a + "; weakest class Shirt: 31% of 1,000 (28.1 to 34.0), 76% on the source"),
                EndsWith("; weakest group class / light = Shirt / dim: 20% of 200 (15 to 26).")),
          AllOf(StartsWith("Under noise, a changes its prediction on 2.0%"), EndsWith("down from 91%."))));
  Summary s = unlabelled_pair("a", "blur", 8200);
  s.classes = {{6u, "", "Shirt", 1000, 0, {}, {}, counted(560, 1000)}};
  EXPECT_THAT(
      findings({s}),
      ElementsAre(EndsWith("; most often among samples predicted as Shirt: 44% of 1,000 (40.9 to 47.1).")));
}

TEST(Percent, DigitsStopWhereTheIntervalBegins) {
  EXPECT_EQ(share_text(counted(7400, 10000)), "74%");
  EXPECT_EQ(share_text(counted(740123, 1000000)), "74.0%");
  EXPECT_EQ(interval_text(counted(740123, 1000000)), "73.93 to 74.10");
  EXPECT_EQ(interval_text(counted(6, 10)), "26 to 88");
  EXPECT_EQ(interval_text(counted(50, 50)), "92.9 to 100");
  EXPECT_EQ(share_text(counted(0, 50)), "0%");
  for (const auto& [share, text] : std::vector<std::pair<double, const char*>>{
           {.9999, "over 99%"}, {1, "100%"}, {.0001, "under 1%"}, {0, "0%"}, {.125, "12%"}})
    EXPECT_EQ(whole_percent(share), text);
}

}  // namespace leeway::assess::words_test
