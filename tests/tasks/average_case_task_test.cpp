// Average-case robustness of functions and of arrays, without a command.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "leeway/io/safetensors.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/average_case/robustness.h"
#include "tests/average_case/classifiers.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::tasks::average_case_task_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t n = 600, d = 4, k = 3;

// A linear classifier on n random inputs.
class AverageCaseTasks : public ::testing::Test {
 protected:
  AverageCaseTasks() { task_.options.sigma = {.3, .1}, task_.seed = 7; }

  [[nodiscard]] Robustness found() const { return average_case(task_).record.found; }
  [[nodiscard]] std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const MethodWords& method : found().methods) names.push_back(method.method);
    return names;
  }

  const std::vector<float> x_ = average_case::random_inputs(n, d, 1);
  const average_case::Quadratic model_ = average_case::random_linear(d, k, 2);
  AverageCaseTask task_{.of = ClassifierInputs{model_.classifier(), average_case::rows_of(x_), n}};
  const TemporaryFolder folder_;
};

// Asks to stop once half of the passes are done.
class StopsHalfway : public Progress {
 public:
  void update(std::string_view, std::size_t done, std::size_t total, std::string_view) override {
    stop_ = stop_ || 2 * done > total;
  }
  [[nodiscard]] bool stop_requested() const override { return stop_; }

 private:
  bool stop_ = false;
};

// A column of two values is compared, of one not, of more than most_compared neither, but with a word; numbers
// are compared by bins.
TEST_F(AverageCaseTasks, GroupsAreComparedByColumn) {
  task_.options.methods = {"taylor"};
  GroupColumn two{"light", {"dim", "lit"}, {}}, one{"site", {"all"}, {}}, many{"place", {}, {}};
  GroupColumn age{"age", {}, {}};
  for (std::size_t i = 0; i <= most_compared; ++i)
    age.levels.push_back(std::to_string(i)), many.levels.push_back("p" + age.levels.back());
  for (std::size_t i = 0; i < n + 3; ++i)  // the first rows are those of the inputs
    two.codes.push_back(i % 2), one.codes.push_back(0), many.codes.push_back(0),
        age.codes.push_back(static_cast<std::int32_t>(i % 101));
  task_.groups = {one, two, many, age};
  const AverageCase record = average_case(task_).record;
  ASSERT_EQ(record.found.group_bias.size(), 4u);  // of light and age, a sigma each
  const GroupComparison& found = record.found.group_bias[0];
  EXPECT_EQ(found.column, "light");
  EXPECT_EQ(found.of.classes[0].of.distribution.n + found.of.classes[1].of.distribution.n, n);
  EXPECT_EQ(record.found.group_bias[2].column, "age");
  EXPECT_EQ(record.found.group_bias[2].of.classes.size(), 4u) << "quarters of the rows";
  ASSERT_EQ(record.envelope.warnings.size(), 1u);
  EXPECT_EQ(record.envelope.warnings[0], "groups 'place': too many values to compare: 101 (at most 100)");
  task_.groups[0].codes.resize(n - 1);
  EXPECT_REFUSED(
      average_case(task_),
      fmt::format("average_case: groups 'site': expected at least {}, as many as rows, found {}", n, n - 1));
}

TEST_F(AverageCaseTasks, AreThoseOfTheAnalysis) {
  task_.options.methods = {"taylor", "mc"}, task_.options.draws = 50;
  task_.labels = std::vector<std::int64_t>(n + 5, 1);
  const AverageCaseResult result = average_case(task_);
  average_case::AverageCaseOptions options;
  options.methods = {"taylor", "mc"}, options.sigmas = {.3, .1}, options.draws = 50, options.seed = 7;
  const average_case::AverageCase own = run(model_, x_, options);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(result.rows.columns[c].p, own.columns[c].p);
  const Robustness& found = result.record.found;
  ASSERT_EQ(found.results.size(), 4u);
  EXPECT_EQ(found.results[1].p.mean, average_case::distribution(own.columns[1].p).mean);
  EXPECT_EQ(found.results[2].draws, 50 * n);
  EXPECT_EQ(found.results[2].error, std::nullopt);
  EXPECT_EQ(found.leading, "taylor");
  EXPECT_EQ(found.strongest().sigma, .3);
  ASSERT_EQ(found.against_monte_carlo.size(), 2u);
  EXPECT_EQ(found.against_monte_carlo[0].method, "taylor");
  EXPECT_TRUE(found.labels);
  EXPECT_EQ(found.class_bias[0].classes[1].of.distribution.n, n);
  EXPECT_EQ(found.class_bias[0].classes[2].name, "2");
  ASSERT_EQ(found.ranking[0].classes.size(), 1u);  // the others have no samples
  EXPECT_LE(found.ranking[0].classes[0].least[0].p, found.ranking[0].classes[0].least[5].p);
  EXPECT_EQ(result.record.envelope.seed, 7u);
  EXPECT_EQ(result.record.envelope.headline, headline_of(found));
  EXPECT_EQ(result.record.envelope.findings.size(), 3u);
  const ArrayMap arrays = per_sample_arrays(result);
  EXPECT_EQ(arrays.at("taylor").shape, (std::vector<std::size_t>{n, 2}));
  EXPECT_EQ(arrays.at("mc_draws").view<std::uint32_t>()[0], 50u);
  EXPECT_EQ(arrays.at("certified_radius").view<double>()[1], own.columns[3].radius[0]) << "at sigma .1";
  EXPECT_EQ(arrays.at("labels").shape, std::vector<std::size_t>{n});
}

TEST_F(AverageCaseTasks, CertifyRadiiOfGaussianNoise) {
  task_.options.methods = {"mc"}, task_.options.draws = 20, task_.options.rows = 50;
  const auto certified = [&] { return found().certified; };
  EXPECT_EQ(certified()->alpha, .001);
  EXPECT_FALSE(certified()->curves[0].points[0].accuracy) << "without labels";
  task_.options.certify_alpha = .01, task_.labels = std::vector<std::int64_t>(50, 1);
  EXPECT_EQ(certified()->alpha, .01);
  ASSERT_EQ(certified()->curves.size(), 2u);
  EXPECT_EQ(certified()->curves[0].points[20].radius, average_case::certified_radius(20, 20, .3, .01));
  EXPECT_TRUE(certified()->curves[0].points[0].accuracy);
  task_.options.noise = "laplace";
  EXPECT_FALSE(certified());
  EXPECT_FALSE(per_sample_arrays(average_case(task_)).contains("certified_radius"));
}

TEST_F(AverageCaseTasks, TakeTheMethodsThatTheInputPermits) {
  task_.options.rows = 20;
  EXPECT_THAT(methods(), ElementsAre("taylor", "taylor-mvs", "mmse", "mmse-mvs", "softmax"));
  EXPECT_EQ(found().n, 20u);
  std::get<ClassifierInputs>(task_.of).classifier.linearize = nullptr;
  EXPECT_THAT(methods(), ElementsAre("softmax"));
  average_case::MadeElsewhere files{"f.npy", make_array<double>({2, 2}, {1, 0, 0, 2}), {}, {}};
  task_.of = files;
  EXPECT_THAT(methods(), ElementsAre("softmax"));
  files.jacobian = make_array<double>({2, 2, 1}, {1, -1, 1, -1});
  task_.of = files;
  EXPECT_THAT(methods(), ElementsAre("taylor", "taylor-mvs", "softmax"));
  task_.options.rows = 1;
  EXPECT_EQ(found().n, 1u);
  EXPECT_NEAR(found().results[0].p.mean, average_case::phi(1 / (2 * .3)), 1e-9);
}

TEST_F(AverageCaseTasks, ThatWereStoppedGoOnToTheSameBits) {
  task_.options.methods = {"mmse", "softmax"}, task_.options.copies = 3;
  const AverageCaseResult whole = average_case(task_);
  task_.state = folder_ / "state", task_.made_of = {"model", "data"};
  std::vector<std::size_t> resumed;
  task_.resumed = [&](std::size_t done, std::size_t) { resumed.push_back(done); };
  const auto stop = [&] {
    StopsHalfway progress;
    return message_of([&] { (void)average_case(task_, &progress); });
  };
  EXPECT_EQ(
      stop(),
      "average-case: stopped after 256 of 600 rows, which were saved; the same command resumes from there");
  const AverageCaseTask first = task_;
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { task_.options.copies_as_published = true; }, [&] { task_.made_of[0] = "another model"; },
           [&] { task_.seed = 8; }, [&] { task_.options.rows = 500; }}) {
    change();
    (void)average_case(task_);
    EXPECT_THAT(resumed, ElementsAre());  // of another plan
    task_ = first;
  }
  const AverageCaseResult rest = average_case(task_);
  EXPECT_THAT(resumed, ElementsAre(256));
  for (std::size_t c = 0; c < whole.rows.columns.size(); ++c)
    EXPECT_EQ(rest.rows.columns[c].p, whole.rows.columns[c].p);
  EXPECT_EQ(rest.record.found.results[0].p.mean, whole.record.found.results[0].p.mean);
  write_text(task_.state, "of another kind");
  EXPECT_THAT(average_case(task_).record.envelope.warnings, Contains(damaged_state(task_.state)));
  EXPECT_THAT(resumed, ElementsAre(256));
  task_.state.clear();
  EXPECT_EQ(stop(), "average-case: stopped; nothing was saved");
}

TEST_F(AverageCaseTasks, ConvergenceIsOfTheFirstRows) {
  task_.options.methods = {"mmse"}, task_.options.copies = 4, task_.options.convergence = true;
  const auto steps = found().convergence;
  ASSERT_EQ(steps.size(), 6u);  // 1, 2, 4 copies at two sigmas
  EXPECT_EQ(steps[0].n, 100u);
  EXPECT_EQ(steps[2].point.copies, 4u);
  EXPECT_EQ(steps[2].point.mean_change, 0);
}

TEST_F(AverageCaseTasks, RefuseWhatDoesNotFit) {
  const auto complaint = [&] { return message_of([&] { (void)average_case(task_); }); };
  task_.labels = std::vector<std::int64_t>(3, 0);
  EXPECT_EQ(complaint(), "average_case: labels: expected at least 600, as many as rows, found 3");
  task_.labels.reset();
  task_.options.noise = "pink";
  EXPECT_THAT(complaint(), HasSubstr("found 'pink'"));
  task_.options.noise = "gaussian", task_.options.sigma.clear();
  EXPECT_THAT(complaint(), HasSubstr("sigma: expected at least one"));
  task_.options.sigma = {1}, task_.noise_covariance = make_array<double>({1}, {1});
  task_.of = average_case::MadeElsewhere{
      "f", make_array<double>({1, 2}, {1, 0}), {}, make_array<double>({1, 2, 2}, {1, 0, 0, 1})};
  EXPECT_THAT(complaint(), HasSubstr("expected a Jacobian as well"));
}

}  // namespace leeway::tasks::average_case_task_test
