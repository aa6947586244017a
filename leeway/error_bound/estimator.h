// Estimates of a classifier's error on an unlabeled target, from the labeled source and the target's outputs.
//
// A family: estimator.cpp lists the members; each file in estimators/ has its equation, code and source.
//
// All members use softmax(t F), t the inverse temperature (temperature.h; 1 without scaling; infinity is
// legal: confidence is then shared among tied top classes). Estimates are errors clipped to [0,1], not
// bounds: each holds under its own assumption (`assumes`).
//
// Intervals: bootstrap. A replicate resamples the rows of both sets independently and repeats the whole
// estimate, temperature fit included; quantiles of the replicates' deviations from their mean are added to the
// estimate. Above `most_rows` rows, replicates are smaller by a factor r and their deviations scaled by sqrt(r)
// (m out of n). The interval includes that of sampling_interval, since resampled outputs do not tell which rows
// are wrong. It covers sampling noise, not a wrong assumption.
// Errors (Error): those of check (sample.h), an unknown method, a level outside (0,1); Interrupted. Cost: one
// pass over both sets, selection for atc, transport.h for cot; the same for each replicate, which run in
// parallel. Memory per thread: two numbers a row, and with cot a sixteenth of (n_T, k) float64. Deterministic
// for any number of threads. Row order affects only rounding and which rows the bootstrap draws.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/core/statistics.h"
#include "leeway/error_bound/combined.h"
#include "leeway/error_bound/evidence.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct Estimator : Member {
  std::string_view assumes;                   // completes "it is right if ..."
  std::string_view fails;                     // completes "it is too low if ..."
  bool transport;                             // reads Evidence::transport_cost and self
  bool movement;                              // reads Evidence::movement
  double (*error)(const Evidence& evidence);  // not clipped
};

[[nodiscard]] std::span<const Estimator> estimators();
// Those of one assumption each: all but `combined` and the published forms of cot, which are for comparison with papers.
[[nodiscard]] std::span<const Estimator> answer_estimators();
[[nodiscard]] const Estimator& estimator(std::string_view name);  // Error that lists the names there are

struct EstimateOptions {
  std::vector<std::string_view> methods{};  // empty: all
  bool temperature = true;                  // fit it on the source first
  std::size_t bootstrap = 200;              // replicates of the intervals; 0: none
  std::size_t most_rows = 100'000;          // of the larger set, in a replicate; the smaller keeps 1,000
  double level = .95;
  std::uint64_t seed = 0;
  Progress* progress = nullptr;
};

struct Estimate {
  const Estimator* estimator = nullptr;
  double error = 0;
  std::optional<Interval> interval;
};

struct Estimates {
  double inverse_temperature = 1;  // used; 0 and infinity are legal
  double source_error = 0;
  Interval source_error_interval;  // Clopper-Pearson
  std::vector<Estimate> estimates;
  // Where `combined` is among the methods:
  std::optional<CombinedAnswer> combined;
  Movement movement;
};

// What sampling may do to an estimate on n rows: square-and-add of the Wilson intervals of the estimate and of the
// source's error (a mean of values in [0,1] has at most the variance of a share).
[[nodiscard]] Interval sampling_interval(double error, std::size_t n, double source_error,
                                         std::size_t source_n, double level);

[[nodiscard]] Estimates estimate_error(const Sample& source, const Sample& target,
                                       const EstimateOptions& options = {});

}  // namespace leeway::error_bound
