#include "leeway/tasks/assess/detail/bounds.h"

#include <gmock/gmock.h>

#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::bounds_test {

using ::testing::HasSubstr;

// Two classes, half of the rows each, all right.
Outputs source() { return labelled(outputs_of({0, 0, 0, 0, 1, 1, 1, 1}, 2), {0, 0, 0, 0, 1, 1, 1, 1}); }
Outputs target() { return outputs_of({0, 0, 0, 0, 0, 0, 1, 1}, 2); }

Json result_of(const Outputs& from, const Outputs& to, const Options& options = {}) {
  return assess({{"model", from}}, {{"model", "shift", to}}, options)["results"][0];
}

TEST(Bounds, AreThoseOfTheLibraryWithTheSameSeedAndDelta) {
  std::vector<int> before(400), after(400);
  std::vector<std::int64_t> labels(400);
  for (std::size_t i = 0; i < 400; ++i) {
    labels[i] = static_cast<std::int64_t>(i % 3);
    before[i] = static_cast<int>(i % 7 == 0 ? (i + 1) % 3 : i % 3);
    after[i] = static_cast<int>(i % 3 == 0 ? i * i % 5 % 3 : i % 3);
  }
  const Outputs from = labelled(outputs_of(before, 3), labels), to = outputs_of(after, 3);
  Options options;
  options.seed = 5;
  options.options.delta = .1;
  options.options.bootstrap = 20;
  const Json result = result_of(from, to, options);
  const error_bound::Sample known{"s", from.logits, labels, {}}, unknown{"t", to.logits, {}, {}};
  error_bound::Dis2Options critics;
  critics.seed = 5, critics.delta = .1, critics.restarts = options.options.restarts;
  EXPECT_EQ(result["error_bound"], error_bound::dis2_bound(known, unknown, critics).bound);
  error_bound::EstimateOptions estimating;
  estimating.seed = 5, estimating.bootstrap = 20;
  for (const auto& member : error_bound::answer_estimators()) estimating.methods.push_back(member.name);
  for (const auto& estimate : error_bound::estimate_error(known, unknown, estimating).estimates) {
    const std::string method(estimate.estimator->name);
    EXPECT_EQ(result["estimates"][method], estimate.error);
    EXPECT_EQ(result["estimates"][method + "_low"], estimate.interval->low);
    EXPECT_EQ(result["estimates"][method + "_high"], estimate.interval->high);
  }
}

// One source row in five lies where no target row does, and all others lie in one place: the worst critic
// agrees with the classifier on that fifth alone.
TEST(Bounds, WarnOfACriticThatHardlyAgrees) {
  std::vector<double> before, after;
  for (std::size_t i = 0; i < 400; ++i) {
    before.insert(before.end(), {i % 5 == 0 ? 20. : 1., 0.});
    after.insert(after.end(), {1., 0.});
  }
  Outputs from = labelled(outputs_of(std::vector<int>(400, 0), 2), std::vector<std::int64_t>(400, 0)),
          to = from;
  from.logits = make_array<double>({400, 2}, before), to.logits = make_array<double>({400, 2}, after);
  const Json result = result_of(from, to), terms = result["error_bound_terms"];
  ASSERT_TRUE(terms["critic_warning"].is_string());
  EXPECT_THAT(result["warnings"].get<std::vector<std::string>>(),
              ::testing::Contains(terms["critic_warning"].get<std::string>()));
}

TEST(Bounds, DoNotLookAtTheTargetsLabels) {
  const Json without = result_of(source(), target());
  for (const std::vector<std::int64_t>& labels :
       {std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1, 1}, {1, 0, 1, 0, 1, 0, 1, 0}}) {
    const Json with = result_of(source(), labelled(target(), labels));
    for (const char* key : {"error_bound", "error_bound_terms", "estimates"})
      EXPECT_EQ(with[key], without[key]) << key;
  }
}

TEST(Bounds, SayWhyTheyAreLeftOut) {
  Outputs plain = source();
  plain.labels.reset();
  const Json unlabelled = result_of(plain, target());
  for (const char* key : {"error_bound", "error_bound_terms", "estimates"})
    EXPECT_EQ(unlabelled["not_computed"][key], "the source has no labels") << key;
  EXPECT_TRUE(unlabelled["error_bound"].is_null());
  EXPECT_TRUE(unlabelled["estimates"]["cot"].is_null());

  Options options;
  options.options.no_bounds = true;
  const Json left_out = result_of(source(), target(), options);
  EXPECT_THAT(left_out["not_computed"]["error_bound"].get<std::string>(), HasSubstr("on request"));
  EXPECT_TRUE(assess({{"model", source()}}, {{"model", "shift", target()}}, options)["bounds"].is_null());

  const Json single = result_of(source(), outputs_of({1}, 2));
  EXPECT_TRUE(single["error_bound"].is_null());
  EXPECT_THAT(single["not_computed"]["error_bound"].get<std::string>(), HasSubstr("found 8 and 1"));
  EXPECT_FALSE(single["estimates"]["cot"].is_null());
}

// A critic of 20,000 classes on as many logits has 400 million parameters: a dozen gigabytes and more.
TEST(Bounds, OfManyClassesAreLeftOutWithALine) {
  std::vector<int> classes;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 24; ++i) classes.push_back(800 * i), labels.push_back(800 * i);
  const Json result =
      result_of(labelled(outputs_of(classes, 20000, 9), labels), outputs_of(classes, 20000, 8));
  EXPECT_TRUE(result["error_bound"].is_null());
  EXPECT_THAT(result["not_computed"]["error_bound"].get<std::string>(),
              HasSubstr("20000 classes on 20000 columns"));
  EXPECT_FALSE(result["estimates"]["ac"].is_null());
}

}  // namespace leeway::assess::bounds_test
