// Texts of the record of leeway average-case, for its headline and findings, the terminal and the page. Plain
// text.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway::tasks {

// Places of average_case::quantile_levels.
inline constexpr std::size_t twentieth = 1, quarter = 2, median = 3, three_quarters = 4,
                             nineteen_twentieths = 5;

// "σ = 0.05"; "25%", ">99.9%", "100%"; a share in points, "0.92", digits by the interval.
[[nodiscard]] std::string at_sigma(double sigma);
[[nodiscard]] std::string survival_words(double p);
[[nodiscard]] std::string points_words(double p);
[[nodiscard]] std::string points_words(const Measured& p);

[[nodiscard]] Measured mean_of(const average_case::Distribution& p);
[[nodiscard]] Measured mean_of(const average_case::AgainstMonteCarlo& error);

// A sample that keeps its prediction so often is not called fragile.
inline constexpr double harmless = .95;

[[nodiscard]] bool is_probability(const Robustness& found, const std::string& method);
[[nodiscard]] std::string class_name(const Robustness& found, std::size_t c);

// The worst in a sentence; what it hides, in further ones (empty where there is nothing to add).
[[nodiscard]] std::string survival_finding(const Robustness& found);
[[nodiscard]] std::string survival_details(const Robustness& found);
// Of what the strongest noise says; each where the record has what it is about.
[[nodiscard]] std::string error_finding(const Robustness& found);  // against_monte_carlo
[[nodiscard]] std::string ranking_finding(
    const Robustness& found);  // ranking; empty where no class has samples

// What is compared: classes, or the values of a column of groups.
struct Compared {
  std::string column;                                    // "Class", "sex"
  std::string one, many;                                 // "class", "classes" or "group", "groups"
  double threshold = 0;                                  // of p-values
  std::vector<const ClassComparison*> comparisons = {};  // one a sigma, ascending; at least one

  [[nodiscard]] bool of_groups() const { return one == "group"; }
};
// Classes, then every column of groups, as far as they were compared. Groups differ where p is below (1 - level) / columns
// (Bonferroni). Valid as long as the record is.
[[nodiscard]] std::vector<Compared> compared_in(const Robustness& found);
[[nodiscard]] std::string comparison_finding(const Compared& compared);

}  // namespace leeway::tasks
