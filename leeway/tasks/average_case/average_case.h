// leeway average-case: the probability that predictions stay unchanged under noise, for each sample.
//
// Input: a classifier of functions with its inputs, or outputs and gradients from elsewhere. One result for
// each method and sigma; with Monte Carlo, also each method's error against it; by the most accurate method,
// also how classes differ and which samples of each are the least and the most robust. leeway/average_case
// defines the numbers; leeway schema average-case lists the keys.
//
// If `state` names a file, progress is saved there every few seconds and on interruption, and the same task
// resumes from it to the same bits (saved_work.h). The caller removes the file after storing the result.
//
// Errors (Error): an unknown method or noise, a method that the input does not permit, fewer labels or groups
// than rows, covariances with Gram matrices, those of leeway/average_case. Interrupted on request; the
// message says what was saved. `not_converged` counts values of p outside the tolerance. Cost, memory,
// determinism: average_case/average_case.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/average_case/certified.h"
#include "leeway/average_case/summary.h"
#include "leeway/core/array.h"
#include "leeway/core/classifier.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/model_reading.h"
#include "leeway/tasks/pictures.h"

namespace leeway::tasks {

inline constexpr std::string_view average_case_schema = "leeway.average-case/2";

struct AverageCaseOptions {
  std::vector<double> sigma;  // standard deviations of the noise, at least one
  std::vector<std::string>
      methods;  // of average_case::estimators(); empty: all that the input permits, but mc
  std::size_t draws = 10'000;
  double width = 0;
  std::size_t copies = 5;
  bool copies_as_published = false;
  double temperature = 1;
  std::size_t classes = 0;
  double tolerance = average_case::MvnOptions{}.tolerance;
  std::string noise = "gaussian";  // of average_case::noises()
  std::size_t rows = 0;
  bool convergence = false;
  double level = .95;
  std::optional<double> certify_alpha;  // none: that of average_case::AverageCaseOptions
};

struct MethodWords {
  std::string method, summary, source;
  bool probability = false;  // false: a score
};

struct Survival {
  std::string method;
  double sigma = 0;
  bool probability = false;  // false: a score
  average_case::Distribution p;
  std::optional<double> error;                    // of methods with the normal distribution function
  std::optional<std::size_t> not_converged;       // the same
  std::optional<double> left_out, zero_gradient;  // of methods with gradients
  std::optional<std::size_t> draws;               // of mc
  double seconds = 0, model_seconds = 0;
  std::optional<double> flops;  // average_case::Column, as the next
  std::optional<std::size_t> peak_bytes;
};

// One method beside Monte Carlo at one sigma.
struct MonteCarloError {
  std::string method;
  double sigma = 0;
  average_case::AgainstMonteCarlo error;
};

struct ClassSurvival {
  std::string name;
  average_case::ClassDistribution of;
};

struct ClassComparison {
  std::string method;
  double sigma = 0;
  std::optional<double> p_value;  // Kruskal and Wallis
  std::vector<ClassSurvival> classes;
};

// The values of a column of groups, compared as classes are; `label` is a value's place among the sorted ones.
struct GroupComparison {
  std::string column;
  ClassComparison of;
};

struct RankedSample {
  std::size_t row = 0;
  double p = 0;
  std::size_t prediction = 0;
  double confidence = 0;
};

struct RankedClass {
  std::size_t label = 0;
  std::string name;
  std::vector<RankedSample> least, most;
};

struct Ranking {
  std::string method;
  double sigma = 0;
  std::vector<RankedClass> classes;  // those that have samples
};

// Certified radii of mc.
struct Certified {
  double alpha = 0;
  std::vector<average_case::CertifiedCurve> curves;  // one for each sigma above 0
};

struct ConvergenceStep {
  average_case::ConvergencePoint point;
  std::size_t n = 0;  // samples, the first ones
};

// What is known of one model under noise.
struct Robustness {
  AverageCaseOptions options;
  std::size_t n = 0, k = 0;
  bool labels = false;  // classes are those; the predictions otherwise
  std::string leading;  // the method that classes and samples are compared by
  std::vector<MethodWords> methods;
  std::vector<Survival> results;  // methods in the order asked for, each with all sigmas
  std::vector<MonteCarloError> against_monte_carlo;
  std::vector<ClassComparison> class_bias;
  std::vector<GroupComparison>
      group_bias;  // columns in their order, each with all sigmas; empty without groups
  std::vector<Ranking> ranking;
  std::optional<Certified> certified;  // with mc and Gaussian noise
  std::vector<ConvergenceStep> convergence;
  std::optional<nn::Variation> stochastic;
  double seconds_in_all = 0, model_seconds_in_all = 0;

  [[nodiscard]] const Survival* find(std::string_view method, double sigma) const;
  [[nodiscard]] std::vector<double> sigmas() const;  // ascending, each once
  [[nodiscard]] const Survival& strongest() const;   // what `leading` says of the strongest noise
};

struct AverageCase {
  Envelope envelope = envelope_of(average_case_schema);
  std::string model, out;  // the files; empty: none
  Robustness found;
};

// A model of an assessment, on the first rows of its source: a member of its "average_case".
struct ModelUnderNoise {
  std::string model, from, file;  // its name; "model" or "jacobian", and the path of that
  std::size_t source_n = 0;       // rows of the source
  std::optional<double> disagreement;
  std::vector<std::string> warnings;
  Robustness found;
};

void fields(AverageCaseOptions& options, Fields& f);
void fields(AverageCase& record, Fields& f);
void fields(ModelUnderNoise& model, Fields& f);

// Error: no results, a leading method without the strongest noise. `at`: their place in a record of several.
void check(const Robustness& found, const std::string& name, const std::string& at);
void check(const AverageCase& record, const std::string& name);

// In words. The headline: how often predictions survive the strongest noise, and how fragile the few are.
[[nodiscard]] std::string headline_of(const Robustness& found);
// The error beside Monte Carlo, whether classes differ, the most fragile sample; each where it is known.
[[nodiscard]] std::vector<std::string> findings_of(const Robustness& found);
// A line where more than most_zero_gradients of the samples have no gradient, with the methods that this concerns.
[[nodiscard]] std::vector<std::string> gradient_warnings(const Robustness& found);

// A classifier and the n inputs that it is asked about.
struct ClassifierInputs {
  Classifier classifier;
  average_case::InputRow input;
  std::size_t n = 0;
};

struct AverageCaseTask {
  std::variant<ClassifierInputs, average_case::MadeElsewhere> of;
  std::optional<Array> noise_covariance = {};  // (d) variances or (d,d), times sigma^2
  std::optional<std::vector<std::int64_t>> labels =
      {};                                     // of the rows; samples are grouped by predictions without
  std::vector<std::string> class_names = {};  // empty or k
  std::vector<GroupColumn> groups = {};       // of the rows, as labels are
  AverageCaseOptions options = {};
  std::uint64_t seed = 0;
  std::filesystem::path state = {};       // empty: a stopped run is lost
  std::vector<std::string> made_of = {};  // what decides classifier, inputs and covariance: digests of files
  std::function<void(std::size_t done, std::size_t n)> resumed = {};  // told where rows were taken over
};

struct AverageCaseResult {
  AverageCase record;              // without `command`, `inputs`, `model` and `out`, which the caller knows
  average_case::AverageCase rows;  // p of every sample
  std::optional<std::vector<std::int64_t>> labels;
};
[[nodiscard]] AverageCaseResult average_case(const AverageCaseTask& task, Progress* progress = nullptr);

// One array (n, sigmas) a method, named by it; sigmas, targets, confidence, labels; of mc also mc_low,
// mc_high, mc_draws and, under Gaussian noise, certified_radius.
[[nodiscard]] ArrayMap per_sample_arrays(const AverageCaseResult& result);

[[nodiscard]] View view(const AverageCase& record, const Pictures& pictures = {},
                        const PageOptions& options = {});

}  // namespace leeway::tasks
