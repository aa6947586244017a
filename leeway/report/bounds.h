// Errors that are bounded and estimated without labels, as the pages of assess and of bound show them: what a
// record says of them, and their chart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/report/chart.h"
#include "leeway/report/json_view.h"

namespace leeway::report {

// What a bound is the sum of; all of it measured on held-out rows.
struct BoundTerms {
  double source_error = 0, discrepancy = 0, concentration = 0;
  std::size_t n_source = 0, n_target = 0;
  std::optional<double> validity_score;
  std::string critic_warning;  // empty where there is none
  struct Concentration {
    std::string name;
    double term = 0, bound = 0;
  };
  std::vector<Concentration> concentrations;  // Hoeffding first
};
// Nothing for null. Errors (Error): a value of another type, shares outside [0,1].
[[nodiscard]] std::optional<BoundTerms> read_terms(const JsonView& object);

struct Estimate {
  std::string method;
  Measured error;
};

// An estimate's name and what it rests on: "it is right if ...", "it is too low if ...".
struct MethodWords {
  std::string method, summary, assumes, fails;
};
[[nodiscard]] MethodWords read_method(const JsonView& object);
// What every method assumes, each assumption once.
[[nodiscard]] std::string methods_html(const std::vector<MethodWords>& methods);

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

// The lowest and the highest of the estimates that are known: "8–24%", "8 to 24%"; empty where none is.
[[nodiscard]] std::string range_text(const std::vector<Estimate>& estimates);
[[nodiscard]] std::string range_words(const std::vector<Estimate>& estimates);

// What the terms and the validity score mean, in words for every page.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> bound_meanings();

}  // namespace leeway::report
