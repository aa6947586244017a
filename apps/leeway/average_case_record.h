// The record, the table and the per-sample file of average-case robustness.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/average_case/convergence.h"
#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/core/result.h"
#include "leeway/nn/session.h"

namespace leeway::app {

struct AverageCaseFindings {
  average_case::AverageCase cases;
  std::vector<double> sigmas;
  std::size_t classes = 0;                          // k
  std::optional<std::vector<std::int64_t>> labels;  // classes are those; the predictions otherwise
  std::vector<std::string> class_names;             // empty or k
  std::vector<average_case::ConvergencePoint> convergence;
  std::size_t convergence_samples = 0;  // its rows, the first ones
  double level = .95;
  bool copies_as_published = false;  // of mmse
  std::uint64_t seed = 0;
  std::optional<nn::Variation> variation;  // of a model that answers differently twice
  std::optional<Images> images;            // where a page is to show them
};

// A line where more than most_zero_gradients of the samples have no gradient, with the methods that this concerns.
[[nodiscard]] std::vector<std::string> gradient_warnings(const AverageCaseFindings& findings);

// What the record holds besides the envelope; "results" first.
[[nodiscard]] Json average_case_json(const AverageCaseFindings& findings);
[[nodiscard]] std::string average_case_text(const AverageCaseFindings& findings);

// One array (n, sigmas) a method, named by it; sigmas, targets, confidence, labels; of mc also mc_low, mc_high, mc_draws.
[[nodiscard]] ArrayMap average_case_arrays(const AverageCaseFindings& findings);

}  // namespace leeway::app
