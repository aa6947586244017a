// The probability that predictions stay unchanged under noise, for each sample.
//
// Input: a classifier of functions with its inputs, or outputs and gradients from elsewhere. If `state` names
// a file, progress is saved there every few seconds and on interruption, and the same task resumes from it to
// the same bits. A state of another plan (options, seed, number of rows, version, instruction set, `made_of`)
// is ignored. The caller removes the file after storing the result.
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
#include <variant>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/array.h"
#include "leeway/core/classifier.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/record/average_case.h"

namespace leeway::tasks {

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
  record::AverageCaseOptions options = {};
  std::uint64_t seed = 0;
  std::filesystem::path state = {};       // empty: a stopped run is lost
  std::vector<std::string> made_of = {};  // what decides classifier, inputs and covariance: digests of files
  std::function<void(std::size_t done, std::size_t n)> resumed = {};  // told where rows were taken over
};

struct AverageCaseResult {
  record::AverageCase record;      // without `command`, `inputs`, `model` and `out`, which the caller knows
  average_case::AverageCase rows;  // p of every sample
  std::optional<std::vector<std::int64_t>> labels;
};
[[nodiscard]] AverageCaseResult average_case(const AverageCaseTask& task, Progress* progress = nullptr);

// One array (n, sigmas) a method, named by it; sigmas, targets, confidence, labels; of mc also mc_low, mc_high, mc_draws.
[[nodiscard]] ArrayMap per_sample_arrays(const AverageCaseResult& result);

}  // namespace leeway::tasks
