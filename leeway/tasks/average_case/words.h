// The words of the record of leeway average-case, for its headline and findings, the terminal and the page. Plain text.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway::tasks {

// "σ = 0.05"; "25%", ">99.9%", "100%"; "p < 0.0001", "p = 0.021"; a share in points, "0.92", digits by the interval.
[[nodiscard]] std::string at_sigma(double sigma);
[[nodiscard]] std::string survival_words(double p);
[[nodiscard]] std::string p_value_words(double p_value);
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
[[nodiscard]] std::string class_finding(const Robustness& found);  // class_bias
// group_bias, of one of its columns. Groups differ where p is below (1 - level) / columns (Bonferroni).
[[nodiscard]] std::string group_finding(const Robustness& found, const std::string& column);
[[nodiscard]] double group_threshold(const Robustness& found);
[[nodiscard]] std::string ranking_finding(
    const Robustness& found);  // ranking; empty where no class has samples

// The member of the strongest noise; there is at least one.
template <class T>
[[nodiscard]] const T& strongest_of(const std::vector<T>& members) {
  const T* strongest = &members.front();
  for (const T& member : members)
    if (member.sigma >= strongest->sigma) strongest = &member;
  return *strongest;
}

}  // namespace leeway::tasks
