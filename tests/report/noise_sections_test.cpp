// Predictions under noise on the page of an assessment.
#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "leeway/record/join.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::bare_record;
using test::full_record;
using test::occurrences;
using test::page_of;
using testing::HasSubstr;

// What a model says under noise, by one method at two sigmas, of 10 classes.
record::ModelUnderNoise subject(const std::string& model) {
  record::ModelUnderNoise made;
  made.model = model, made.from = "model", made.file = "m.pt", made.source_n = 100000;
  record::Robustness& found = made.found;
  found.options.sigma = {.1, .5};
  found.n = 1000, found.k = 10, found.labels = true, found.leading = "mmse";
  found.methods = {{"mmse", "mean over noisy copies", "a paper", true}};
  for (const double sigma : found.options.sigma) {
    const average_case::Distribution p{
        1000, 1 - sigma, Interval{.98 - sigma, 1 - .9 * sigma}, {.05, .1, .3, .5, .7, .8, .9}};
    record::Survival& result = found.results.emplace_back();
    result.method = "mmse", result.sigma = sigma, result.probability = true, result.p = p;
    record::ClassComparison& comparison = found.class_bias.emplace_back();
    comparison.method = "mmse", comparison.sigma = sigma, comparison.p_value = .001;
    record::Ranking& ranking = found.ranking.emplace_back();
    ranking.method = "mmse", ranking.sigma = sigma;
    for (std::size_t c = 0; c < 10; ++c) {
      average_case::ClassDistribution of;
      of.label = static_cast<std::int64_t>(c), of.distribution = p, of.p_value = .5;
      of.distribution.n = 100;
      comparison.classes.push_back({std::to_string(c), of});
      ranking.classes.push_back({c, std::to_string(c), {{10 * c, .1, c, .9}}, {{10 * c + 1, .9, c, .99}}});
    }
  }
  return made;
}

TEST(NoiseSections, SayWhatThePageOfAverageCaseSays) {
  record::Assess record = bare_record();
  record.average_case = {subject("cnn")};
  const std::string page = page_of(record);
  EXPECT_EQ(occurrences(page, "<section id=\"noise-1\""), 1u);
  EXPECT_THAT(page, HasSubstr("<a href=\"#noise-1\">Noise</a>"));
  EXPECT_THAT(page, HasSubstr("of the source&#39;s 100,000 samples, under gaussian noise."));
  for (const char* words :
       {"Mean probability to survive</strong>", "Every method at every σ", "nine in ten samples",
        "Class robustness bias: ", "The most fragile sample is row ", "Inputs are not clipped"})
    EXPECT_THAT(page, HasSubstr(words));
}

TEST(NoiseSections, AreOneAModelAndTellItsWarnings) {
  record::Assess record = full_record(2, 1, 10);
  record.average_case = {subject("model <0>"), subject("model 1")};
  record.average_case[1].warnings = {"m.pt predicts <another> class"};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("model &lt;0&gt;: Under noise of σ = "));
  EXPECT_EQ(occurrences(page, "<section id=\"noise-2\""), 1u);
  EXPECT_EQ(occurrences(page, "<b>Warning:</b> m.pt predicts &lt;another&gt; class"), 1u);
}

TEST(NoiseSections, ShowThePicturesOfRankedSamples) {
  record::Assess record = bare_record(10);
  record.average_case = {subject("cnn")};
  const std::size_t last = 91;  // the row of the last class's most robust sample
  const auto images = [](std::size_t n) {
    return Images{"x.npz", make_array<std::uint8_t>({n, 1, 2, 2}, std::vector<std::uint8_t>(4 * n, 200)), {}};
  };
  const Images all = images(last + 1), few = images(last);
  const Pictures pictures = flip_pictures(record, {{"", &all}});
  EXPECT_FALSE(pictures.samples.empty());
  EXPECT_THAT(page_of(record, pictures), HasSubstr("src=\"data:image/png"));
  EXPECT_THAT(message_of([&] {
                (void)flip_pictures(record, {{"", &few}});
              }),
              HasSubstr("x.npz: expected the images of record, whose ranked samples reach row"));
}

TEST(NoiseSections, AreJoinedWithTheirModels) {
  record::Assess a = full_record(1, 1, 10);
  a.average_case = {subject("model 0")};
  const auto joined =
      record::join_records({"a.json", "b.json"}, std::vector<record::Assess>{a, a}).average_case;
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].model, "model 0");
  EXPECT_EQ(joined[1].model, "model 0 (b.json)");
}

}  // namespace
}  // namespace leeway::report
