// What moved, and what may be read of it: small and equal sets, new and vanished values.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "tests/at_threads.h"
#include "tests/holds.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::drift_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A classifier of three classes, right with probability .8 and then surer, on labels of these weights; `noise` shrinks its
// margins and has it guess, class 0 most of all.
Outputs drawn(std::size_t n, const std::vector<int>& weights, std::uint64_t seed, double noise = 0) {
  Random random(seed, stream("drawn"));
  std::vector<int> urn;
  for (std::size_t j = 0; j < weights.size(); ++j) urn.insert(urn.end(), weights[j], static_cast<int>(j));
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const int label = urn[random.below(urn.size())];
    const bool lost = random.uniform() < noise, right = random.uniform() < .8;
    const int said = lost ? 0 : right ? label : static_cast<int>(random.below(3));
    const double margin = lost ? .3 : 1 + (right ? 3 : 1) * random.uniform();
    for (int j = 0; j < 3; ++j) logits.push_back(j == said ? margin : 0);
    labels.push_back(label);
  }
  Outputs outputs;
  outputs.path = "drawn.npz";
  outputs.logits = make_array<double>({n, 3}, std::move(logits));
  return labelled(std::move(outputs), labels);
}

Outputs unlabelled(Outputs outputs) {
  outputs.labels.reset();
  return outputs;
}

Json result_of(const Outputs& source, const Outputs& target, Options task = {}) {
  task.options.restarts = 1;
  task.options.paired = "no";
  return assess({{"m", source}}, {{"m", "t", target}}, std::move(task))["results"][0];
}

Outputs with_group(Outputs outputs, const std::string& name, std::vector<std::string> levels,
                   std::vector<std::int32_t> codes) {
  outputs.groups.push_back({name, std::move(levels), std::move(codes)});
  return outputs;
}

// Ages from 18 in the source, from 18 + `later` in the target; row by row a level of its own.
Outputs with_ages(Outputs outputs, std::size_t later, bool words = false) {
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < outputs.n(); ++i) {
    levels.push_back(fmt::format("{}", static_cast<double>(later + 18) + .125 * static_cast<double>(i)));
    codes.push_back(static_cast<std::int32_t>(i));
  }
  if (words) levels[0] = "unknown";
  return with_group(std::move(outputs), "age", std::move(levels), std::move(codes));
}

TEST(Drift, OfColumnsOfNumbersIsByKolmogorovSmirnovAndCellsAreBins) {
  const Outputs source = with_ages(drawn(400, {1, 1, 1}, 1), 0),
                rest = with_ages(drawn(400, {1, 1, 1}, 2), 0),
                moved = with_ages(drawn(400, {1, 1, 1}, 2), 25);
  const Json still = result_of(source, rest), older = result_of(source, moved);
  EXPECT_EQ(still["drift"]["groups"][0]["test"], "Kolmogorov-Smirnov");
  EXPECT_EQ(still["drift"]["groups"][0]["statistic"], 0);
  EXPECT_EQ(older["drift"]["groups"][0]["statistic"], .5);  // 200 of 400 rows lie below 43
  EXPECT_LT(older["drift"]["groups"][0]["p_value"], 1e-6);
  EXPECT_EQ(older["drift"]["groups"][0]["values"][0]["name"], "above 55.375");
  std::map<std::string, std::size_t> cells;
  for (const Json& cell : still["groups"])
    if (cell["group"] == "age") cells[cell["name"]] = cell["n"];
  EXPECT_THAT(cells,
              ElementsAre(std::pair("above 30.375 to 42.875", 100), std::pair("above 42.875 to 55.375", 100),
                          std::pair("above 55.375", 100), std::pair("up to 30.375", 100)));
  EXPECT_NE(result_of(with_ages(drawn(400, {1, 1, 1}, 1), 0, true), rest)["drift"]["groups"][0]["test"],
            "Kolmogorov-Smirnov");
}

// Four normal features; the first tenth of the rows moved.
Outputs with_features(Outputs outputs, double by, std::uint64_t seed) {
  Random random(seed, stream("features"));
  std::vector<double> values(4 * outputs.n());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = random.normal() + (i < values.size() / 10 ? by : 0);
  outputs.features = make_array<double>({outputs.n(), 4}, std::move(values));
  return outputs;
}

TEST(Drift, OfFeaturesIsATestOfTheFamily) {
  const Outputs plain = drawn(200, {1, 1, 1}, 2), source = with_features(drawn(300, {1, 1, 1}, 1), 0, 1);
  const Json moved = result_of(source, with_features(plain, 6, 2))["drift"], features = moved["features"];
  EXPECT_THAT(moved, Holds(R"({"/tests": 3, "/features/test": "MMD permutation", "/left_out": []})"));
  EXPECT_LT(features["p_alone"].get<double>(), .004);  // no draw reaches it
  EXPECT_EQ(moved["p_value"], features["p_value"]);
  EXPECT_LT(features["distance_low"].get<double>(), .1);  // a tenth of the rows
  EXPECT_GT(features["distance_high"].get<double>(), .1);
  EXPECT_LT(features["rows"][0]["row"], 20);
  Options task;
  task.options.paired = "yes", task.options.restarts = 1;
  const Json pairs =
      assess({{"m", source}}, {{"m", "t", source}}, std::move(task))["results"][0]["drift"]["features"];
  EXPECT_THAT(pairs, Holds(R"({"/test": "MMD sign flip", "/p_value": 1, "/distance_low": 0})"));
  EXPECT_THAT(result_of(source, plain)["drift"], Holds(R"({"/features": null, "/left_out": ["features"]})"));
}

TEST(Drift, OfOneSetAndItselfIsNone) {
  const Outputs all = drawn(500, {1, 1, 1}, 1);
  const Json drift = result_of(all, all)["drift"];
  EXPECT_THAT(drift, Holds(R"({"/p_value": 1, "/tests": 2, "/classes/distance": 0,
                               "/confidence/statistic": 0, "/worst_group": null})"));
}

TEST(Drift, OfSingleRowsOneClassAndConstantConfidence) {
  const Json single = result_of(outputs_of({0}, 3), outputs_of({1}, 3))["drift"];
  EXPECT_THAT(single,
              Holds(R"({"/p_value": 1, "/classes/test": "permutation", "/classes/distance_low": 0})"));
  EXPECT_LT(single["confidence"]["mean_change_low"].get<double>(), -.3);
  const std::vector<int> zeros(300, 0);
  const Json one = result_of(outputs_of(zeros, 3), outputs_of(zeros, 3))["drift"];
  EXPECT_THAT(one, Holds(R"({"/classes/test": "none", "/p_value": 1, "/confidence/mean_change": 0})"));
  EXPECT_LT(one["confidence"]["mean_change_low"], 0);
}

TEST(Drift, NamesNewVanishedAndGrownValues) {
  std::vector<std::int32_t> before(400), after(400);
  for (std::size_t i = 0; i < 400; ++i) {
    before[i] = i < 200 ? 0 : i < 300 ? 1 : 2;  // sun 200, rain 100, fog 100
    after[i] = i < 100 ? 0 : i < 300 ? 1 : 2;   // sun 100, rain 200, snow 100
  }
  const std::vector<int> classes(400, 1);
  const Outputs source =
      with_group(with_group(outputs_of(classes, 3), "weather", {"sun", "rain", "fog"}, before), "camera",
                 {"a"}, std::vector<std::int32_t>(400));
  const Outputs target = with_group(outputs_of(classes, 3), "weather", {"sun", "rain", "snow"}, after);
  const Json drift = result_of(source, target)["drift"];
  const Json& weather = drift["worst_group"];
  EXPECT_EQ(weather["name"], "weather");
  EXPECT_LT(weather["p_value"].get<double>(), 1e-9);
  EXPECT_NEAR(weather["distance"].get<double>(), .5, 1e-12);
  std::map<std::string, std::string> kinds;
  for (const Json& value : weather["values"]) kinds[value["name"]] = value["kind"];
  EXPECT_EQ(kinds, (std::map<std::string, std::string>{
                       {"fog", "vanished"}, {"rain", "grown"}, {"snow", "new"}, {"sun", "shrunk"}}));
  EXPECT_EQ(drift["left_out"], Json::array({"camera"}));
  EXPECT_EQ(drift["tests"], 3);
  EXPECT_EQ(drift["p_value"], weather["p_value"]);
  EXPECT_NEAR(weather["p_value"].get<double>(), 3 * weather["p_alone"].get<double>(), 1e-15);  // Holm
}

TEST(Drift, IsAGateAndHasTheSameBitsAtAnyThreads) {
  Options task;
  task.gates = {"drift.classes.p_value<0.01", "likely_error.high>0.9"};
  task.sources = {{"m", drawn(400, {1, 1, 1}, 1)}};
  task.targets = {{"m", "t", unlabelled(drawn(300, {8, 1, 1}, 2))}};
  const tasks::Assess record = tasks::assess(task);
  EXPECT_EQ(record.gates[0].violations.size(), 1u);
  EXPECT_TRUE(record.gates[1].violations.empty());
  EXPECT_TRUE(record.gates[1].not_computed.empty());
  const auto drift = [&] {
    return result_of(drawn(40, {1, 1, 1}, 1), drawn(30, {8, 1, 1}, 2))["drift"].dump();
  };
  EXPECT_EQ(at_threads(1, drift), at_threads(4, drift));
}

// A source without an error, and its rows with every sixth prediction replaced by another sure one: that is the error.
TEST(LikelyError, OfPairsIsWithinTheChangedPredictionsAndTheSourcesError) {
  std::vector<int> before(600), after(600);
  Random random(4, stream("pairs"));
  for (std::size_t i = 0; i < 600; ++i) {
    before[i] = static_cast<int>(random.below(3));
    after[i] = i % 6 == 0 ? (before[i] + 1) % 3 : before[i];
  }
  std::vector<std::int64_t> labels(before.begin(), before.end());
  const auto likely_of = [&](const std::string& paired) {
    Options task;
    task.options.restarts = 1, task.options.paired = paired;
    return assess({{"m", labelled(outputs_of(before, 3, 8), labels)}}, {{"m", "t", outputs_of(after, 3, 8)}},
                  std::move(task))["results"][0]["likely_error"];
  };
  const Json likely = likely_of("auto");
  EXPECT_NEAR(likely["error"].get<double>(), 1. / 6, 1e-12);
  EXPECT_NEAR(likely["low"].get<double>(), 1. / 6, 1e-12);
  EXPECT_NEAR(likely["high"].get<double>(), 1. / 6, 1e-12);
  EXPECT_THAT(likely["moved"].get<std::string>(), HasSubstr("16.7% of predictions changed"));
  EXPECT_LT(likely_of("no")["high"].get<double>(), .1);
  for (std::size_t i = 0; i < 600; i += 10) labels[i] = (labels[i] + 1) % 3;  // the source's error is .1
  const Json wider = likely_of("auto");
  EXPECT_GE(wider["low"].get<double>(), 1. / 6 - .1 - 1e-9);
  EXPECT_LE(wider["high"].get<double>(), 1. / 6 + .1 + 1e-9);
}

double true_error(const Outputs& target) {
  std::size_t wrong = 0;
  const auto said = predict(target.logits, "").classes;
  for (std::size_t i = 0; i < said.size(); ++i) wrong += said[i] != (*target.labels)[i];
  return static_cast<double>(wrong) / static_cast<double>(said.size());
}

TEST(LikelyError, SaysWhatMovedAndHoldsTheError) {
  const Outputs source = drawn(2000, {1, 1, 1}, 1);
  const std::pair<Outputs, const char*> targets[] = {
      {drawn(1500, {1, 1, 1}, 2), "sampling error alone can explain the change of the outputs (p = "},
      {drawn(1500, {6, 1, 1}, 2), "which another mix of the source's classes explains"},
      {drawn(1500, {1, 1, 1}, 2, .4), "no other mix"}};
  for (const auto& [target, moved] : targets) {
    const Json likely = result_of(source, unlabelled(target))["likely_error"];
    EXPECT_THAT(likely["moved"].get<std::string>(), HasSubstr(moved));
    EXPECT_LE(likely["low"].get<double>(), true_error(target)) << moved;
    EXPECT_GE(likely["high"].get<double>(), true_error(target)) << moved;
    EXPECT_NEAR(likely["error"].get<double>(), true_error(target), .1) << moved;
  }
}

TEST(LikelyError, TakesTheBootstrapsIntervalWhereThereIsOne) {
  const Outputs source = drawn(300, {1, 1, 1}, 1), target = unlabelled(drawn(300, {1, 1, 1}, 2));
  Options task;
  task.options.bootstrap = 50;
  const Json drawn = result_of(source, target, task)["likely_error"],
             plain = result_of(source, target)["likely_error"];
  EXPECT_LE(drawn["error_low"], plain["error_low"]);  // never narrower
  EXPECT_GE(drawn["error_high"], plain["error_high"]);
  EXPECT_EQ(drawn["low"], plain["low"]);
  EXPECT_THAT(result_of(unlabelled(source), target)["not_computed"]["likely_error"].get<std::string>(),
              HasSubstr("no labels"));
}

}  // namespace leeway::assess::drift_test
