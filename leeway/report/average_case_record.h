// A record of leeway average-case as the page reads it, and the sections drawn from it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/report/chart.h"
#include "leeway/report/html.h"
#include "leeway/report/json_view.h"
#include "leeway/report/report.h"

namespace leeway::report {

// How p lies over samples. Quantiles at 1, 5, 25, 50, 75, 95 and 99%; none where there is no sample.
struct Spread {
  std::size_t n = 0;
  Measured mean;
  std::array<std::optional<double>, 7> quantiles{};
};
inline constexpr std::size_t twentieth = 1, quarter = 2, median = 3, three_quarters = 4,
                             nineteen_twentieths = 5;

struct RobustnessResult {
  std::string method;
  double sigma = 0;
  bool probability = false;  // false: a score
  Spread p;
  std::optional<std::size_t> not_converged, draws;
  std::optional<double> left_out, seconds, model_seconds, zero_gradient;
};

struct MonteCarloError {
  std::string method;
  double sigma = 0;
  Measured mean_absolute;
  std::optional<double> root_mean_square, largest, bias, floor, rank;
};

struct ClassSpread {
  std::size_t label = 0;
  std::string name;
  Spread p;
  std::optional<double> difference, p_value;  // from all other samples; after Holm
};

struct ClassComparison {
  std::string method;
  double sigma = 0;
  std::optional<double> p_value;  // Kruskal and Wallis
  std::vector<ClassSpread> classes;
};

struct RankedSample {
  std::size_t row = 0, prediction = 0;
  double p = 0;
  std::optional<double> confidence;
};

struct RankedClass {
  std::size_t label = 0;
  std::string name;
  std::vector<RankedSample> least, most;
};

struct Ranking {
  std::string method;
  double sigma = 0;
  std::vector<RankedClass> classes;
};

struct ConvergenceStep {
  std::string method;
  double sigma = 0;
  std::size_t copies = 0;
  std::optional<std::size_t> n;
  double mean_change = 0, most_change = 0;
};

struct EstimatorWords {
  std::string method, summary, source;
  bool probability = false;
};

struct AverageCaseRecord {
  std::vector<RobustnessResult> results;
  std::vector<MonteCarloError> errors;
  std::vector<ClassComparison> comparisons;
  std::vector<Ranking> rankings;
  std::vector<ConvergenceStep> convergence;
  std::vector<EstimatorWords> words;
  std::vector<std::string> methods;  // in the order of the record
  std::vector<double> sigmas;        // ascending
  std::string leading, noise, model;
  std::size_t n = 0, k = 0;
  std::optional<std::size_t>
      source_n;  // of an assessment: rows of the source, of which the first n were taken
  std::vector<std::string> warnings;
  bool labels = false;  // classes are those; the predictions otherwise
  double level = .95;

  [[nodiscard]] const RobustnessResult* find(const std::string& method, double sigma) const;
  [[nodiscard]] bool probability(const std::string& method) const;
  // Probabilities, or scores. A method's place here is its colour in every chart.
  [[nodiscard]] std::vector<std::string> of_kind(bool probabilities) const;
  [[nodiscard]] std::string class_name(std::size_t c) const;
};

// A record of its own, or a member of an assessment's "average_case". Errors (Error): no results, a value of another
// type, shares outside [0,1].
[[nodiscard]] AverageCaseRecord read_average_case(const JsonView& record);
[[nodiscard]] AverageCaseRecord read_average_case(const Json& record, const std::string& name);

// "0.05"; "25%", ">99.9%", "100%"; "p < 0.0001", "p = 0.021".
[[nodiscard]] std::string sigma_words(double sigma);
[[nodiscard]] std::string survival(double p);
[[nodiscard]] std::string p_value_words(double p_value);

// A row of a chart of quantiles; slot 1 is set off from the others.
struct SpreadRow {
  std::string name, group;  // the row's; what stands before it in the numbers
  Spread p;
  std::size_t slot = 0;
};
// Rows below each other on an axis from 0 to 1: 5 to 95%, the middle half, the median, the mean. Data set "rows".
[[nodiscard]] Chart spread_chart(const std::string& title, const std::string& note, const std::string& what,
                                 const std::vector<SpreadRow>& rows);
[[nodiscard]] std::string spread_key(const std::string& set_off);  // empty: no row is set off

// The worst in a sentence; what it hides, in further ones (empty where there is nothing to add).
[[nodiscard]] std::string survival_finding(const AverageCaseRecord& record);
[[nodiscard]] std::string survival_details(const AverageCaseRecord& record);
// Means over sigma and the table of every method; what p assumes, as a list with the methods' words. HTML.
[[nodiscard]] std::string survival_overview(const AverageCaseRecord& record);
[[nodiscard]] std::string survival_assumptions(const AverageCaseRecord& record);

// Sections, in the files average_case_NAME.cpp.
[[nodiscard]] Section spread_section(const AverageCaseRecord& record);
[[nodiscard]] Section error_section(const AverageCaseRecord& record);
[[nodiscard]] Section class_bias_section(const AverageCaseRecord& record);
[[nodiscard]] Section ranking_section(const AverageCaseRecord& record, const Pictures& pictures,
                                      const Options& options);
[[nodiscard]] Section convergence_section(const AverageCaseRecord& record);
[[nodiscard]] Section runtime_section(const AverageCaseRecord& record);

// Samples of each end of a class that are shown with pictures and without.
inline constexpr std::size_t most_ranked = 6;

}  // namespace leeway::report
