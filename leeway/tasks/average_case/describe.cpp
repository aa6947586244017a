#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/json.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway {
namespace {

// Shares at average_case::quantile_levels, under these as keys.
struct Quantiles {
  std::array<double, average_case::quantile_levels.size()> values{};
};

void fields(Quantiles& quantiles, Fields& f) {
  for (std::size_t i = 0; i < quantiles.values.size(); ++i)
    f(fmt::format("{:g}", average_case::quantile_levels[i]), quantiles.values[i], a_share, "quantile of p");
}

}  // namespace

static void fields(average_case::Distribution& p, Fields& f) {
  std::optional<double> mean;
  std::optional<Quantiles> quantiles;
  if (p.n > 0) mean = p.mean, quantiles = Quantiles{p.quantiles};
  f("n", p.n, "number of samples");
  f.measured(
      "mean", mean, p.interval, a_share,
      "mean over samples, with a Student's t interval; null without samples; no interval for one sample");
  f("quantiles", quantiles,
    "quantiles, interpolated linearly between order statistics; null without samples");
  p.mean = mean.value_or(0);
  p.quantiles = quantiles.value_or(Quantiles{}).values;
}

static void fields(average_case::CertifiedPoint& point, Fields& f) {
  f("radius", point.radius, at_least(0), "l2 radius");
  f.measured(
      "certified_share", point.share.value, point.share.interval, a_share,
      "share of samples whose certified radius is at least `radius`, whether predicted correctly or not");
  f.measured("certified_accuracy", point.accuracy, a_share,
             "share of samples classified correctly and certified at this radius; null without labels");
}

static void fields(average_case::CertifiedCurve& curve, Fields& f) {
  f("sigma", curve.sigma, at_least(0), "standard deviation of the noise");
  f.measured("abstained", curve.abstained.value, curve.abstained.interval, a_share,
             "share of samples without a certified radius");
  f("points", curve.points,
    "points from radius 0 to the largest radius that the draws can certify, in 20 equal steps; only radius 0 "
    "if the draws certify none");
}

}  // namespace leeway

namespace leeway::tasks {
namespace {

constexpr Range draws_range{1, 0x1p31};

void method_and_sigma(std::string& method, double& sigma, Fields& f) {
  f("method", method, "name of the method");
  f("sigma", sigma, at_least(0), "standard deviation of the noise");
}

}  // namespace

static void fields(MethodWords& words, Fields& f) {
  f("method", words.method, "name of the method");
  f("summary", words.summary, "description in one line");
  f("source", words.source, "paper and section");
  f("probability", words.probability, "false: a score that ranks samples, not a probability");
}

static void fields(Survival& result, Fields& f) {
  method_and_sigma(result.method, result.sigma, f);
  f("probability", result.probability, "false: a score that ranks samples, not a probability");
  fields(result.p, f);
  f("error", result.error, at_least(0),
    "largest error bound on p over samples; null for methods that do not use the normal distribution "
    "function");
  f("not_converged", result.not_converged,
    "number of samples whose error bound exceeds the tolerance (exit code 5); null if error is null");
  f("left_out", result.left_out, at_least(0),
    "largest possible change in p due to classes without gradients; null for methods without gradients");
  f("zero_gradient", result.zero_gradient, a_share,
    "share of samples whose decision boundaries all have gradient 0, so that p is 1 for any noise; null if "
    "left_out is null");
  f("draws", result.draws, "total number of noisy copies for mc; null for other methods");
  f("seconds", result.seconds, at_least(0), "duration of computing this result alone");
  f("model_seconds", result.model_seconds, at_least(0), "time spent in model passes, in seconds");
  f("flops", result.flops, at_least(0),
    "floating-point operations of matrix products and convolutions in model passes; null if unknown");
  f("peak_bytes", result.peak_bytes,
    "peak size of all arrays in bytes: inputs, logits, gradients and the model's activations; null if "
    "unknown");
}

static void fields(MonteCarloError& of, Fields& f) {
  average_case::AgainstMonteCarlo& error = of.error;
  method_and_sigma(of.method, of.sigma, f);
  f.measured("mean_absolute_error", error.mean_absolute, error.interval, a_share,
             "mean absolute difference between p and the Monte Carlo estimate of p");
  f("root_mean_square_error", error.root_mean_square, a_share,
    "root mean square difference between p and the Monte Carlo estimate of p");
  f("largest_error", error.largest, a_share,
    "largest absolute difference from the Monte Carlo estimate over samples");
  f("bias", error.bias, from_to(-1, 1), "mean of p minus the Monte Carlo estimate of p");
  f("monte_carlo_error", error.floor, at_least(0),
    "mean absolute error explained by Monte Carlo sampling error");
  f("rank_correlation", error.rank, from_to(-1, 1), "Spearman's rank correlation; null if all samples tie");
}

static void compared(average_case::ClassDistribution& of, Fields& f) {
  std::optional<double> difference = of.p_value ? std::optional(of.difference) : std::nullopt;
  fields(of.distribution, f);
  f("difference", difference, from_to(-1, 1),
    "mean of the class or group minus mean of all other samples; null if either has no samples");
  f("p_value", of.p_value, a_share,
    "Mann-Whitney test against all other samples, adjusted by Holm's method; null if difference is null");
  of.difference = difference.value_or(0);
}

static void fields(ClassSurvival& one, Fields& f) {
  f("class", one.of.label, at_least(0), "number of the class");
  f("name", one.name, "name of the class, or its number");
  compared(one.of, f);
}

static void fields(ClassComparison& comparison, Fields& f) {
  method_and_sigma(comparison.method, comparison.sigma, f);
  f("p_value", comparison.p_value, a_share,
    "Kruskal-Wallis test of equal distributions in all classes; null for fewer than two classes with "
    "samples, or if all p are equal");
  f("classes", comparison.classes, "all classes");
}

// A value of a column of groups, under the keys of one.
struct GroupSurvival {
  ClassSurvival value;
};

static void fields(GroupSurvival& one, Fields& f) {
  f("group", one.value.name, "value of the column");
  compared(one.value.of, f);
}

static void fields(GroupComparison& comparison, Fields& f) {
  ClassComparison& of = comparison.of;
  std::vector<GroupSurvival> groups;
  for (ClassSurvival& one : of.classes) groups.push_back({std::move(one)});
  f("column", comparison.column, "group column");
  method_and_sigma(of.method, of.sigma, f);
  f("p_value", of.p_value, a_share,
    "Kruskal-Wallis test of equal distributions in all groups; null if there are too few samples, or all p "
    "are equal");
  f("groups", groups, "all values of the column, sorted");
  of.classes.clear();
  for (GroupSurvival& one : groups) {
    one.value.of.label = static_cast<std::int64_t>(of.classes.size());
    of.classes.push_back(std::move(one.value));
  }
}

static void fields(RankedSample& sample, Fields& f) {
  f("row", sample.row, "row of the data, from 0");
  f("p", sample.p, a_share, "probability that the prediction survives");
  f("prediction", sample.prediction, "predicted class");
  f("confidence", sample.confidence, a_share, "largest softmax probability of the clean sample");
}

static void fields(RankedClass& one, Fields& f) {
  f("class", one.label, "number of the class");
  f("name", one.name, "name of the class, or its number");
  f("least", one.least, "least robust samples, at most 6, least robust first");
  f("most", one.most, "most robust samples, at most 6, most robust first");
}

static void fields(Ranking& ranking, Fields& f) {
  method_and_sigma(ranking.method, ranking.sigma, f);
  f("classes", ranking.classes, "classes with samples");
}

static void fields(Certified& certified, Fields& f) {
  f("alpha", certified.alpha, a_share, "maximum probability that a sample's certified radius is wrong");
  f("curves", certified.curves, "one curve for each sigma above 0");
}

static void fields(ConvergenceStep& step, Fields& f) {
  method_and_sigma(step.point.method, step.point.sigma, f);
  f("copies", step.point.copies, at_least(1), "number of noisy copies");
  f("n", step.n, "number of samples used, the first of the data");
  f("mean_change", step.point.mean_change, a_share,
    "mean absolute difference between p and p with the largest number of copies, over samples");
  f("most_change", step.point.most_change, a_share, "largest absolute difference over samples");
}

static void fields(Robustness& found, Fields& f) {
  std::string classes = found.labels ? "labels" : "predictions";
  f("options", found.options, "options of the command");
  f("n", found.n, "number of samples");
  f("k", found.k, at_least(2), "number of classes");
  f.choice("classes_are", classes, {{"labels", ""}, {"predictions", ""}},
           "source of the classes in class_bias and ranking");
  f("leading", found.leading,
    "method used for class_bias and ranking: the computed method that is usually most accurate");
  f("methods", found.methods, "computed methods");
  f("results", found.results, "one result for each method and sigma");
  f("against_monte_carlo", found.against_monte_carlo,
    "comparison of other methods with Monte Carlo; [] without mc");
  f("class_bias", found.class_bias,
    "tests for differences between classes, one for each sigma; [] with more than 100 classes");
  f("group_bias", found.group_bias,
    "tests for differences between groups, one for each column and sigma; [] without groups; columns with "
    "more than 100 values are omitted");
  f("ranking", found.ranking,
    "least and most robust samples, one list for each sigma; [] with more than 100 classes");
  f("certified", found.certified,
    "certified l2 radii of mc under Gaussian noise; null without mc, for other noise, or with a covariance");
  f("convergence", found.convergence, "with --convergence: convergence of p with the number of copies");
  f("stochastic", found.stochastic,
    "with --stochastic: variation between two passes of the model; null if there is none");
  f("seconds_in_all", found.seconds_in_all, at_least(0), "duration, with shared computations counted once");
  f("model_seconds_in_all", found.model_seconds_in_all, at_least(0),
    "time spent in model passes, in seconds");
  found.labels = classes == "labels";
}

void fields(AverageCaseOptions& options, Fields& f) {
  f("sigma", options.sigma, from_to(0, 1e30),
    "standard deviations of the noise, for pixels in [0,1]: 0.1 or 0.05,0.1");
  f.choice("methods", options.methods, choices_of(average_case::estimators()),
           "estimators (default: all that the input permits, except mc)");
  f("draws", options.draws, draws_range, "noisy copies per sample for mc");
  f("width", options.width, a_share, "interval width at which mc stops (0: never)");
  f("copies", options.copies, draws_range, "noisy copies per sample for mmse");
  f("copies_as_published", options.copies_as_published,
    "draw independent copies for mmse, as published (default: centered and widened copies)");
  f("temperature", options.temperature, from_to(1e-30, 1e30), "softmax temperature");
  f("classes", options.classes,
    "number of most likely classes with gradients (0: all; above 64 classes, the classes that can change p)");
  f("tolerance", options.tolerance, from_to(1e-9, 1), "tolerance of the normal distribution function");
  f.choice("noise", options.noise, choices_of(average_case::noises()),
           "distribution of the noise in each coordinate");
  f("rows", options.rows, "evaluate only the first N samples (0: all)");
  f("convergence", options.convergence,
    "also report the convergence of mc and mmse with the number of copies, on the first 100 samples");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
  f("certify_alpha", options.certify_alpha, from_to(1e-9, .25),
    "maximum probability that a certified radius of mc is wrong (default: 0.001)");
}

void fields(AverageCase& record, Fields& f) {
  fields(record.envelope, f);
  f.unless_empty("model", record.model, "model file; null: outputs from files");
  f.unless_empty("out", record.out, "per-sample file");
  fields(record.found, f);
}

void fields(ModelUnderNoise& model, Fields& f) {
  f("model", model.model, "name of the model in the assessment");
  f.choice("from", model.from, {{"model", ""}, {"jacobian", ""}}, "kind of file");
  f("file", model.file, "path of the file");
  f("source_n", model.source_n, "rows of the source; only the first n are used");
  f("disagreement", model.disagreement, a_share,
    "share of the first n rows on which the model and the source's outputs predict different classes; null "
    "for Jacobians");
  f("warnings", model.warnings, "warnings about these numbers, one line each");
  fields(model.found, f);
}

const Survival* Robustness::find(std::string_view method, double sigma) const {
  for (const Survival& result : results)
    if (result.method == method && result.sigma == sigma) return &result;
  return nullptr;
}

std::vector<double> Robustness::sigmas() const {
  std::vector<double> all;
  for (const Survival& result : results) all.push_back(result.sigma);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const Survival& Robustness::strongest() const { return *find(leading, sigmas().back()); }

void check(const Robustness& found, const std::string& name, const std::string& at) {
  if (found.results.empty()) refuse(name, "at least one result" + at, "none");
  if (found.find(found.leading, found.sigmas().back()) == nullptr)
    refuse(name, fmt::format("a result for {} under the strongest noise{}", in_quotes(found.leading), at),
           "none");
}

void check(const AverageCase& record, const std::string& name) { check(record.found, name, ""); }

}  // namespace leeway::tasks
