#include "leeway/tasks/assess/assess.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "leeway/core/random.h"
#include "leeway/describe/json.h"
#include "leeway/io/shards.h"
#include "tests/holds.h"
#include "tests/message_of.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::assess_test {

using ::testing::HasSubstr;

std::string message(const std::vector<Source>& sources, const std::vector<Target>& targets) {
  return message_of([&] { (void)assess(sources, targets); });
}

// What is said to be pairs: six rows can show nothing.
const Options pairs = [] {
  Options options;
  options.options.paired = "yes";
  return options;
}();

// Six rows of two classes: clean 5 right, shifted 3 right, 4 predictions unchanged.
//   label 0 0 0 1 1 1     clean 0 0 0 1 1 0     shifted 0 0 1 0 1 0
const std::vector<std::int64_t> labels{0, 0, 0, 1, 1, 1};
const Outputs clean = labelled(outputs_of({0, 0, 0, 1, 1, 0}, 2), labels);
const Outputs shifted = labelled(outputs_of({0, 0, 1, 0, 1, 0}, 2), labels);

TEST(Assess, OfASmallPairByHand) {
  const Json record = assess({{"model", clean}}, {{"model", "noise", shifted}}, pairs);
  const Json& r = record["results"][0];
  EXPECT_THAT(r, Holds(R"({"/n": 6, "/k": 2, "/paired": true, "/labelled": true, "/accuracy": 0.5,
      "/afr_true": 0.5, "/confusion": [[3, 1], [1, 1]],
      "/top_flips": [{"from": 0, "to": 1, "count": 1}, {"from": 1, "to": 0, "count": 1}],
      "/not_computed/worst_group": "the target has no groups", "/worst_group": null,
      "/flips/0/row": 2, "/flips/0/label": 0, "/flips/0/clean_pred": 0, "/flips/0/shifted_pred": 1})"));
  EXPECT_THAT(r["worst_class"], Holds(R"({"/class": 1, "/n": 3})"));  // 1 of 3; class 0 has 2 of 3
  EXPECT_NEAR(r["accuracy_low"].get<double>(), .1181172, 1e-6);       // Clopper-Pearson of 3 of 6
  EXPECT_DOUBLE_EQ(r["source_accuracy"].get<double>(), 5. / 6);
  EXPECT_DOUBLE_EQ(r["accuracy_change"].get<double>(), -2. / 6);
  EXPECT_DOUBLE_EQ(r["afr_pred"].get<double>(), 4. / 6);
  EXPECT_EQ(r["predicted_shares"]["clean"][0].get<double>(), 4. / 6);
  // Confidence of margin 2: 1/(1 + e^-2) = .8808, bin 17 of 20.
  EXPECT_EQ(r["confidence"]["shifted"][17], 6);
  EXPECT_NEAR(r["confidence"]["shifted_mean"].get<double>(), 1 / (1 + std::exp(-2.)), 1e-15);
  EXPECT_EQ(r["confidence"]["edges"].size(), 21u);
  // With q = e^2b/(1 + e^2b), A(b) = (4 log(q^2 + (1-q)^2) + 2 log(2 q (1-q))) / 6: the first term wants q^2
  // + (1-q)^2 = 4/6.
  const double best = (4 * std::log(4. / 6) + 2 * std::log(2. / 6)) / 6, q = (1 + std::sqrt(1 / 3.)) / 2;
  EXPECT_NEAR(r["log_pa_mean"].get<double>(), best, 1e-9);
  EXPECT_NEAR(r["pa"].get<double>(), best + std::log(2.), 1e-9);
  EXPECT_NEAR(r["beta"].get<double>(), std::log(q / (1 - q)) / 2, 1e-3);
  ASSERT_EQ(r["flips"].size(), 2u);
  EXPECT_NEAR(r["flips"][0]["agreement"].get<double>(), std::log(2. / 6), 1e-3);
}

// Labels that arrive late: numbers by labels are those of the labelled rows, all others those of all rows.
TEST(Assess, RowsWithoutALabel) {
  std::vector<int> before, after;
  std::vector<std::int64_t> truth, known, known_source;
  std::vector<std::size_t> labelled_after, labelled_before;
  for (std::size_t i = 0; i < 300; ++i) {
    truth.push_back(static_cast<std::int64_t>(i % 3));
    before.push_back(static_cast<int>((i + (i % 7 == 0 ? 1 : 0)) % 3));
    after.push_back(static_cast<int>((i + (i % 4 == 0 ? 1 : 0)) % 3));
    known.push_back(i % 5 == 1 ? no_label : truth[i]),
        known_source.push_back(i % 6 == 2 ? no_label : truth[i]);
    if (known[i] != no_label) labelled_after.push_back(i);
    if (known_source[i] != no_label) labelled_before.push_back(i);
  }
  const auto part = [](const Outputs& all, const std::vector<std::size_t>& rows) {
    return take({all.logits, all, {}}, rows).rest;
  };
  Options unpaired;
  unpaired.options.paired = "no", unpaired.options.restarts = 1, unpaired.options.bootstrap = 20;
  const auto result = [&](const Outputs& source, const Outputs& target) {
    return assess({{"m", source}}, {{"m", "t", target}}, unpaired)["results"][0];
  };
  const Outputs source = labelled(outputs_of(before, 3), truth),
                target = labelled(outputs_of(after, 3), truth), late_source = labelled(source, known_source),
                late = labelled(target, known);
  const Json all = result(source, target), r = result(source, late),
             some = result(source, part(target, labelled_after));
  for (const char* key : {"accuracy", "accuracy_low", "accuracy_change", "quality", "classes", "worst_class"})
    EXPECT_EQ(r[key], some[key]) << key;
  for (const char* key : {"n", "error_bound", "estimates", "drift", "likely_error", "source_accuracy"})
    EXPECT_EQ(r[key], all[key]) << key;
  const Json s = result(late_source, target), fewer = result(part(source, labelled_before), target);
  for (const char* key : {"accuracy", "source_accuracy", "accuracy_change", "source_quality", "error_bound",
                          "estimates", "classes"})
    EXPECT_EQ(s[key], fewer[key]) << key;
  EXPECT_EQ(s["drift"], all["drift"]);
  // Equal labels where both have one, and pairs that lend each other theirs.
  const Json paired = assess({{"m", late_source}}, {{"m", "t", late}}, pairs)["results"][0],
             whole = assess({{"m", source}}, {{"m", "t", target}}, pairs)["results"][0];
  EXPECT_GT(paired["accuracy"].get<double>(), 0);
  for (const char* key : {"afr_pred", "pa", "confusion"}) EXPECT_EQ(paired[key], whole[key]) << key;
}

TEST(Assess, LabelsAreNumberedAlike) {
  Outputs source = clean, target = labelled(outputs_of({0, 0}, 2), {1, 1});
  source.coding = LabelCoding::from_one, target.coding = LabelCoding::either;
  EXPECT_EQ(assess({{"m", source}}, {{"m", "t", target}})["results"][0]["accuracy"], 1);
}

// Two models, one with groups and one gate, one without labels.
TEST(Assess, TheRecordIsReadAsItWasWritten) {
  Outputs grouped = clean, moved = shifted, plain = clean;
  grouped.groups = {{"place", {"a", "b"}, {0, 1, 0, 1, 0, 1}}};
  moved.groups = {{"place", {"a", "b"}, {0, 0, 0, 1, 1, 1}}};
  plain.labels.reset();
  Options task;
  task.gates = {"accuracy<0.8"};
  task.options.bootstrap = 5;
  const Json record = assess({{"a", grouped}, {"b", plain}},
                             {{"a", "noise", moved}, {"a", "self", grouped}, {"b", "noise", shifted}}, task);
  EXPECT_EQ(to_json(record_from<tasks::Assess>(record, "r.json")), record);
  EXPECT_EQ(record["gates"][0]["violations"].size(), 2u);
  EXPECT_FALSE(record["shifts"].empty());
}

void expect_reason_for_every_null(const Json& result) {
  for (const auto& [key, value] : result.items()) {
    if (!value.is_null()) continue;
    const auto cut = key.find_last_of('_');
    const std::string suffix = cut == std::string::npos ? "" : key.substr(cut);
    const std::string base = suffix == "_low" || suffix == "_high" ? key.substr(0, cut) : key;
    EXPECT_TRUE(result["not_computed"].contains(base)) << key;
  }
}

TEST(Assess, SaysWhyForEveryNull) {
  const Outputs longer = outputs_of({0, 1, 0, 1, 1, 1, 1}, 2);
  Outputs plain = clean;
  plain.labels.reset();
  const Json record = assess({{"model", clean}, {"plain", plain}}, {{"model", "longer", longer},
                                                                    {"model", "noise", shifted},
                                                                    {"plain", "longer", longer},
                                                                    {"plain", "noise", shifted}});
  ASSERT_EQ(record["results"].size(), 4u);
  for (const Json& result : record["results"]) expect_reason_for_every_null(result);
  const Json& unpaired = record["results"][0];
  EXPECT_THAT(unpaired, Holds(R"({"/paired": false, "/pa": null, "/flips": [], "/classes": [],
      "/not_computed/pa": "source and target are different samples: 6 rows and 7",
      "/not_computed/accuracy": "the target has no labels"})"));
  EXPECT_FALSE(unpaired["confidence"]["shifted_mean"].is_null());
}

TEST(Assess, SaysWhyThereIsNoAuroc) {
  const Json result = assess(
      {{"m", clean}},
      {{"m", "t",
        labelled(outputs_of({0, 1, 0, 1, 1, 1, 1}, 2), std::vector<std::int64_t>(7, 0))}})["results"][0];
  EXPECT_TRUE(result["quality"]["auroc"].is_null());
  for (const char* key : {"quality.auroc", "quality_change.auroc"})
    EXPECT_EQ(result["not_computed"][key], "all labels are class 0, but AUROC requires two classes") << key;
}

TEST(Assess, ComparesTwoModelsOnTheSameSamples) {
  // b is right on rows 0 1 2 3 4 under noise, a on 0 1 4: 2 rows only b, none only a.
  const Outputs better = labelled(outputs_of({0, 0, 0, 1, 1, 0}, 2), labels);
  const Json record = assess({{"a", clean}, {"b", clean}},
                             {{"a", "noise", shifted}, {"b", "noise", better}, {"b", "blur", better}}, pairs);
  ASSERT_EQ(record["comparisons"].size(), 1u);
  const Json& c = record["comparisons"][0];
  EXPECT_THAT(c, Holds(R"({"/target": "noise", "/model": "a", "/other": "b",
                           "/mcnemar_p": 0.5, "/clear": false})"));
  EXPECT_DOUBLE_EQ(c["difference"].get<double>(), -2. / 6);
  EXPECT_THAT(record["headline"].get<std::string>(), HasSubstr("no clear difference"));
  EXPECT_EQ(record["targets"], Json::parse(R"(["noise", "blur"])"));
  ASSERT_EQ(record["findings"].size(), 2u);  // the headline has said what there is to say of a under noise
  for (const std::string finding : record["findings"]) EXPECT_THAT(finding, HasSubstr(", b "));
  EXPECT_EQ(record["results"][2]["target"], "blur");
}

TEST(Assess, PairedYesLendsLabels) {
  Outputs plain = shifted;
  plain.labels.reset();
  const Json lent = assess({{"model", clean}}, {{"model", "noise", plain}}, pairs)["results"][0];
  EXPECT_EQ(lent["accuracy"], .5);
  const Json chance = assess({{"model", clean}}, {{"model", "noise", plain}})["results"][0];
  EXPECT_TRUE(chance["accuracy"].is_null());
  EXPECT_EQ(chance["not_computed"]["accuracy"],
            "the target has no labels; --paired yes uses the labels of the source");
  EXPECT_THAT(chance["warnings"].dump(), HasSubstr("Rows are treated as unpaired: nothing shows that row i"));
}

TEST(Assess, RefusesWhatDoesNotFit) {
  const Outputs wide = called(outputs_of({0, 1, 2, 0, 1, 2}, 3), "wide.npz");
  EXPECT_EQ(message({{"a", clean}}, {}), "assess: expected at least one target, found none");
  EXPECT_THAT(message({{"a", clean}}, {{"a", "x", wide}}), HasSubstr("2 classes, as in made.npz"));
  EXPECT_EQ(message({{"a", clean}}, {{"b", "x", shifted}}),
            "made.npz: expected a source for model \"b\", found none");
  EXPECT_EQ(message({{"a", clean}, {"a", clean}}, {{"a", "x", shifted}}),
            "made.npz: expected one source per model, found a second one for \"a\"");
  EXPECT_EQ(message({{"a", clean}}, {{"a", "x", shifted}, {"a", "x", shifted}}),
            "made.npz: expected unique target names, found a second \"x\" for model \"a\"");
  Outputs cats = clean, dogs = shifted;
  cats.class_names = {"cat", "dog"}, dogs.class_names = {"dog", "cat"};
  EXPECT_EQ(message({{"a", cats}}, {{"a", "x", dogs}}), "no error");  // aligned
  dogs.class_names = {"cat", "cow"};
  EXPECT_THAT(message({{"a", cats}}, {{"a", "x", dogs}}), HasSubstr("expected class 1 to be 'dog'"));
}

TEST(Assess, WarnsOfWhatMakesNumbersDoubtful) {
  std::vector<int> many(200);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(i % 4);
  std::vector<std::int64_t> right(many.begin(), many.end());
  const Outputs source = labelled(outputs_of(many, 4, 3), right);
  const auto warnings = [&](const Outputs& from, const Outputs& target, const char* paired = "auto") {
    Options options;
    options.options.paired = paired;
    return assess({{"m", from}}, {{"m", "t", target}}, options)["results"][0]["warnings"].dump();
  };
  EXPECT_THAT(warnings(source, source), HasSubstr("have identical outputs"));
  EXPECT_THAT(warnings(source, labelled(outputs_of(many, 4, 30), right)),
              HasSubstr("More than 10% of the target's rows have a confidence above 0.999999"));
  EXPECT_THAT(warnings(source, labelled(outputs_of(std::vector<int>(200, 1), 4), right)),
              HasSubstr("All 200 rows of the target have the same outputs"));
  EXPECT_THAT(warnings(source, labelled(outputs_of(std::vector<int>(200, 1), 4), right)),
              HasSubstr("100% of the target's predictions are class 1, compared with 25% of the source's."));
  EXPECT_THAT(warnings(source, labelled(outputs_of({0, 1, 2}, 4), {0, 1, 2})),
              HasSubstr("The target has only 3 rows: intervals are wide."));
  EXPECT_THAT(warnings(source, labelled(outputs_of({0, 1, 2}, 4), {0, 1, 2})),
              HasSubstr("3 classes have fewer than 20 samples, too few to assess them: class 0 (1), class 1 "
                        "(1), class 2 (1)."));
  std::vector<std::int64_t> wrong(right);
  for (auto& label : wrong) label = (label + 1) % 4;
  EXPECT_THAT(warnings(labelled(source, wrong), source), HasSubstr("do the labels belong to these rows?"));
  EXPECT_THAT(warnings(labelled(source, wrong), source, "yes"), HasSubstr("200 of 200 labels differ"));
  Outputs noted = source;
  noted.warnings = {"3 probabilities are exactly 0."};
  EXPECT_THAT(warnings(noted, source), HasSubstr("3 probabilities are exactly 0."));
}

// Rows in another order change nothing but rounding and the rows that flips name.
TEST(Assess, DoesNotDependOnTheOrderOfRows) {
  constexpr std::size_t n = 9000, k = 5;
  Random random(3, stream("test"));
  std::vector<double> a(n * k), b(n * k);
  Outputs source, target;
  source.path = target.path = "made.npz";
  source.labels.emplace();
  for (std::size_t i = 0; i < n; ++i) {
    source.labels->push_back(static_cast<std::int64_t>(random.below(k)));
    for (std::size_t j = 0; j < k; ++j) {
      a[i * k + j] = random.normal() + (static_cast<std::size_t>(source.labels->back()) == j ? 2 : 0);
      b[i * k + j] = a[i * k + j] + random.normal();
    }
  }
  source.logits = make_array<double>({n, k}, std::move(a));
  target.logits = make_array<double>({n, k}, std::move(b));
  target.labels = source.labels;
  const std::vector<std::size_t> order = permutation(n, random);
  const auto reordered = [&](const Outputs& all) {
    const OutputsShards some = take({all.logits, all, {}}, order);
    Outputs outputs = some.rest;
    outputs.logits = some.logits.joined();
    return outputs;
  };
  const auto run = [](const Outputs& before, const Outputs& after) {
    return Json(assess({{"m", before}}, {{"m", "t", after}})["results"][0]);
  };
  const Json one = run(source, target), moved = run(reordered(source), reordered(target));
  for (const char* key : {"accuracy", "afr_pred", "classes", "confusion", "top_flips", "warnings"})
    EXPECT_EQ(one[key], moved[key]) << key;
  EXPECT_NEAR(one["pa"].get<double>(), moved["pa"].get<double>(), 1e-9);
  std::set<std::size_t> rows, moved_rows;
  for (const Json& flip : one["flips"]) rows.insert(flip["row"].get<std::size_t>());
  for (const Json& flip : moved["flips"]) moved_rows.insert(order[flip["row"].get<std::size_t>()]);
  EXPECT_EQ(rows.size(), 24u);
  EXPECT_EQ(rows, moved_rows);
}

}  // namespace leeway::assess::assess_test
