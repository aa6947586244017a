// The record of leeway attack: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/record/attack.h"
#include "leeway/record/json.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Numbers made up.
Attack within_a_radius(const std::string& target) {
  Attack record;
  record.envelope.command = {"leeway", "attack"};
  record.envelope.instruction_set = "baseline";
  record.options = {"pgd", "linf", 8. / 255, "margin", {{"steps", 20.}}};
  AttackedSet set;
  set.model = "m.safetensors", set.data = "d.npz", set.out = "o.npz", set.target = target;
  set.attack = "pgd", set.eps = 8. / 255, set.parameters = {{"steps", 20.}};
  set.n = 1000;
  set.clean_accuracy = .9, set.clean_accuracy_interval = {.88, .92};
  set.robust_accuracy = .3, set.robust_accuracy_interval = {.27, .33};
  set.success = .7, set.success_interval = {.67, .73};
  set.zero_gradient = .02;
  set.beside_noise = BesideNoise{.4, .5};
  set.stochastic = ModelVariation{16, .5, 2, true};
  record.results = {set};
  return record;
}

Attack of_minimum_norm() {
  Attack record = within_a_radius("label");
  record.options = {"fmn", "l0", {}, "difference", {{"gamma", .05}}};
  record.results[0].attack = "fmn", record.results[0].eps.reset();
  record.results[0].norms =
      NearestNorms{12, {11, 14}, 5, HUGE_VAL, {{0, .9, {.88, .92}}, {40, .3, {.27, .33}}}};
  return record;
}

TEST(AttackRecord, IsReadAsItWasWritten) {
  for (const Attack& record : {within_a_radius("given"), of_minimum_norm()}) {
    const Json json = to_json(record);
    const Attack again = record_from<Attack>(json, "r.json");
    EXPECT_EQ(to_json(again), json);
    EXPECT_EQ(again.options.eps, record.options.eps);
    EXPECT_EQ(again.options.parameters, record.options.parameters);
    EXPECT_EQ(again.results[0].norms.has_value(), record.results[0].norms.has_value());
    EXPECT_TRUE(again.results[0].stochastic->neighbours);
  }
  const Json json = to_json(of_minimum_norm());
  EXPECT_EQ(json["results"][0]["norms"]["upper_quartile"], "inf");
  EXPECT_TRUE(json["options"]["eps"].is_null());
}

TEST(AttackRecord, SaysWhatIsLeftOrHowFarImagesMoved) {
  EXPECT_EQ(
      headline_of(within_a_radius("label")),
      "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 images are predicted as their label; 90% "
      "(88–92) of the clean ones are.");
  EXPECT_EQ(headline_of(within_a_radius("prediction")),
            "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 predictions stay as they were.");
  EXPECT_EQ(headline_of(within_a_radius("given")),
            "pgd in linf of radius 0.0314 succeeds on 70% (67–73) of 1,000 images.");
  EXPECT_EQ(headline_of(of_minimum_norm()),
            "fmn in l0 succeeds on 70% (67–73) of 1,000 images, on half of them within 12.0 (11.0 to 14.0).");
  EXPECT_THAT(findings_of(of_minimum_norm()),
              ElementsAre("A quarter of the images move within 5, three quarters within ∞."));
  EXPECT_THAT(findings_of(within_a_radius("label")), IsEmpty());
}

TEST(AttackRecord, OfSeveralSetsLeadsWithTheStrongest) {
  Attack record = within_a_radius("label");
  AttackedSet weaker = record.results[0];
  weaker.eps = 4. / 255, weaker.robust_accuracy = .6, weaker.robust_accuracy_interval = {.57, .63};
  record.results.insert(record.results.begin(), weaker);
  EXPECT_EQ(headline_of(record),
            "Of 2 attacked sets, the fewest predictions survive: Under pgd in linf of radius 0.0314, 30% "
            "(27–33) of 1,000 "
            "images are predicted as their label; 90% (88–92) of the clean ones are.");
  EXPECT_THAT(findings_of(record),
              ElementsAre("pgd: 60% (57–63) withstand 0.0157; 30% (27–33) withstand 0.0314."));
  record.results.push_back(weaker);
  record.results.back().model = "other.pt", record.results.back().eps.reset();
  EXPECT_THAT(headline_of(record),
              ::testing::StartsWith("Of 3 attacked sets, the fewest predictions survive in m.safetensors: "));
  EXPECT_THAT(findings_of(record),
              ElementsAre("m.safetensors, pgd: 60% (57–63) withstand 0.0157; 30% (27–33) withstand 0.0314.",
                          "other.pt, pgd: 60% (57–63) withstand any radius."));
}

}  // namespace
}  // namespace leeway::record
