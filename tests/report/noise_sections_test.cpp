// Predictions under noise on the page of an assessment.
#include <gmock/gmock.h>

#include "leeway/core/error.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::bare_record;
using test::complaint;
using test::full_record;
using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

// What leeway average-case found, as a member of "average_case".
Json subject(const std::string& model, std::vector<std::string> warnings = {}) {
  record::AverageCase own = record::read_average_case(reference_record("average_case_record.json"), "r.json");
  return to_json(record::ModelUnderNoise{model, "model", "m.pt", 100000, 0., std::move(warnings), own.found});
}

TEST(NoiseSections, AreLeftOutWithoutModels) {
  EXPECT_THAT(page_of(bare_record()), Not(HasSubstr("id=\"noise-1\"")));
}

TEST(NoiseSections, SayWhatThePageOfAverageCaseSays) {
  Json record = bare_record();
  record["average_case"] = Json::array({subject("cnn")});
  const std::string page = page_of(record), own = page_of(reference_record("average_case_record.json"));
  EXPECT_EQ(occurrences(page, "<section id=\"noise-1\""), 1u);
  EXPECT_THAT(page, HasSubstr("<a href=\"#noise-1\">Noise</a>"));
  EXPECT_THAT(page, HasSubstr("of the source&#39;s 100,000 samples"));
  for (const char* words :
       {"Mean probability to survive</strong>", "Every method at every σ", "nine in ten samples",
        "Class robustness bias: ", "The most fragile sample is row ", "Inputs are not clipped"}) {
    EXPECT_THAT(own, HasSubstr(words));
    EXPECT_EQ(occurrences(page, words), occurrences(own, words)) << words;
  }
}

TEST(NoiseSections, AreOneAModelAndTellItsWarnings) {
  Json record = full_record(2, 1, 10);
  record["average_case"] = {subject("model <0>"), subject("model 1", {"m.pt predicts <another> class"})};
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("model &lt;0&gt;: Under noise of σ = "));
  EXPECT_EQ(occurrences(page, "<section id=\"noise-2\""), 1u);
  EXPECT_EQ(occurrences(page, "<b>Warning:</b> m.pt predicts &lt;another&gt; class"), 1u);
}

TEST(NoiseSections, ShowThePicturesOfRankedSamples) {
  Json record = bare_record(10);
  record["average_case"] = Json::array({subject("cnn")});
  std::size_t last = 0;
  for (const Json& ranking : record["average_case"][0]["ranking"])
    for (const Json& one : ranking["classes"])
      for (const char* end : {"least", "most"})
        for (const Json& sample : one[end]) last = std::max(last, sample["row"].get<std::size_t>());
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
  Json a = full_record(1, 1, 10);
  a["average_case"] = Json::array({subject("model 0")});
  const Json joined = join_records({{"a.json", a}, {"b.json", a}});
  ASSERT_EQ(joined["average_case"].size(), 2u);
  EXPECT_EQ(joined["average_case"][0]["model"], "model 0");
  EXPECT_EQ(joined["average_case"][1]["model"], "model 0 (b.json)");
}

TEST(NoiseSections, RefuseWhatTheyCannotRead) {
  Json record = bare_record();
  record["average_case"] = Json::array({subject("cnn")});
  record["average_case"][0]["results"][0]["mean"] = 2;
  EXPECT_THAT(complaint(record), HasSubstr("average_case[0].results[0].mean"));
  record["average_case"][0]["results"] = Json::array();
  EXPECT_EQ(complaint(record), "r.json: expected at least one result at average_case[0].results, found none");
}

}  // namespace
}  // namespace leeway::report
