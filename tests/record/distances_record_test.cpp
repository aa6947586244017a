// The record of leeway distances: read as it was written, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/agreement/distance.h"
#include "leeway/core/result.h"
#include "leeway/record/distances.h"
#include "tests/message_of.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;

DistancesSet set_of(const std::string& shifted, double kl, double mmd) {
  DistancesSet set{shifted, 100, 100, 3, {}, {}, {}, {}};
  set.distances = {{"kl", kl}, {"mmd", mmd}, {"cosine", std::nullopt}};
  set.not_computed = {{"cosine", "clean.npz has no features"}};
  return set;
}

Distances record_of(std::vector<DistancesSet> sets) {
  Distances record;
  record.envelope.command = {"leeway", "distances"};
  record.envelope.instruction_set = "baseline";
  record.options.only = {"kl", "cosine", "mmd"};
  record.results = std::move(sets);
  return record;
}

TEST(DistancesRecord, IsReadAsItWasWritten) {
  Distances record = record_of({set_of("a.npz", .5, .25), set_of("b.npz", .125, 1)});
  record.results[1].pairing =
      agreement::PairEvidence{agreement::EvidenceBy::none, .4, "predictions disagree"};
  record.results[1].doubt = "kl: rows of b.npz need not be those of clean.npz";
  const Json json = to_json(record);
  const Distances again = read_distances(json, "r.json");
  EXPECT_EQ(to_json(again), json);
  EXPECT_THAT(again.options.only, ElementsAre("kl", "cosine", "mmd"));
  EXPECT_EQ(again.results[0].distances.at("kl"), .5);
  EXPECT_EQ(again.results[0].distances.at("cosine"), std::nullopt);
  EXPECT_FALSE(again.results[0].pairing);
  EXPECT_FALSE(again.results[1].pairing->pairs());
  EXPECT_TRUE(json["results"][0]["distances"]["cosine"].is_null());
  EXPECT_TRUE(json["results"][0]["doubt"].is_null());
}

TEST(DistancesRecord, RefusesWhatIsNoRecordOfIt) {
  const auto complaint = [](const char* pointer, const Json& value) {
    Json json = to_json(record_of({set_of("a.npz", .5, .25)}));
    json[Json::json_pointer(pointer)] = value;
    return message_of([&] { (void)read_distances(json, "r.json"); });
  };
  EXPECT_EQ(complaint("/results/0/distances/kl", -1),
            "r.json: expected a number from 0 at results[0].distances.kl, found -1");
  EXPECT_EQ(
      complaint("/options/only/0", "hope"),
      "r.json: expected one of " + names_of(agreement::distances()) + " at options.only[0], found 'hope'");
  EXPECT_EQ(complaint("/results", Json::array()), "r.json: expected at least one result, found none");
  EXPECT_EQ(
      complaint("/schema", "leeway.distances/1"),
      "r.json: expected a record of schema leeway.distances/2, found 'leeway.distances/1', written by an "
      "earlier version: run the command again");
}

TEST(DistancesRecord, TheHeadlineSaysHowFar) {
  EXPECT_EQ(headline_of(record_of({set_of("two\nlines.npz", .5, .25)})),
            "Between the clean set and two\\x0alines.npz, kl is 0.5, mmd is 0.25.");
  EXPECT_EQ(headline_of(record_of({set_of("a.npz", .5, .25), set_of("b.npz", .125, 1)})),
            "Furthest from the clean set is a.npz by kl; b.npz by mmd.");
  EXPECT_EQ(headline_of(record_of({set_of("a.npz", 0, 0), set_of("b.npz", 0, 0)})),
            "Furthest from the clean set is a.npz by kl, mmd.");
  Distances none = record_of({set_of("a.npz", 0, 0)});
  none.results[0].distances = {{"cosine", std::nullopt}};
  EXPECT_EQ(headline_of(none), "These sets do not hold what the distances need.");
}

TEST(DistancesRecord, FindingsAreDoubts) {
  Distances record = record_of({set_of("a.npz", .5, .25), set_of("b.npz", .125, 1)});
  record.results[1].doubt = "kl: rows of b.npz need not be those of clean.npz";
  EXPECT_THAT(findings_of(record), ElementsAre(record.results[1].doubt));
}

}  // namespace
}  // namespace leeway::record
