// Errors that are bounded and estimated without labels, as the pages of assess and of bound show them: what a
// record says of them, and their chart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/record/error_bound.h"
#include "leeway/report/chart.h"

namespace leeway::report {

// What a bound is the sum of; all of it measured on held-out rows.
struct BoundTerms {
  double source_error = 0, discrepancy = 0, concentration = 0;
  std::size_t n_source = 0, n_target = 0;
  std::optional<double> validity_score;
};
[[nodiscard]] BoundTerms terms_of(const error_bound::Dis2& dis2);

struct Estimate {
  std::string method;
  Measured error;
};

// What every method assumes, each assumption once.
[[nodiscard]] std::string methods_html(const std::vector<record::ErrorMethod>& methods);

// One row of an error chart: a stack of the bound's terms, or a point with its interval.
struct ErrorRow {
  std::string name;
  Measured error;
  std::optional<BoundTerms> terms;  // a bound; its concentration is that of this row
};

// "BOUND": the bound and its terms; "ac": an estimate. `truth`: the true error, where labels tell it.
[[nodiscard]] Chart error_chart(const std::string& title, const std::string& note,
                                const std::vector<ErrorRow>& rows, const std::optional<double>& truth);
// Colours of the terms and the mark of the true error.
[[nodiscard]] std::string error_key(bool truth);

// The lowest and the highest of the estimates that are known, "8 to 24%"; empty where none is.
[[nodiscard]] std::string range_words(const std::vector<Estimate>& estimates,
                                      std::string_view between = " to ");

// What the terms and the validity score mean, in words for every page.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> bound_meanings();

}  // namespace leeway::report
