// Estimates of a classifier's error on a target without labels, from the labelled source and the target's
// outputs.
//
// A family: this header is its interface, estimator.cpp the visible list of members, and a file in
// estimators/ holds an equation with its variants, the code and the source.
//
// All on softmax(t F), t the inverse temperature (temperature.h; 1 where scaling is off; infinity is legal:
// confidence is then shared among tied top classes). Every estimate is an error, clipped to [0,1]. None of
// them is a bound: each holds under an assumption of its own, which `assumes` says in words.
//
// Intervals: percentile bootstrap. A replicate draws both sets anew, row by row and independently, and
// repeats the whole estimate: the temperature is fitted again, since which rows happened to be drawn moves
// it, too. They are widened to hold the estimate, since replicates of cot lie above it where nothing is
// shifted. Beyond `most_rows` replicates are smaller by a factor r, and their deviations scaled by sqrt(r)
// (m out of n). An interval says how far the estimate is settled by the rows there are, not whether what it
// assumes is true.
//
// Errors (Error): those of check (sample.h), a method that there is not, a level outside (0,1). Cost: one
// pass over both sets, selection for atc, transport.h for cot; the same for every replicate, which run in
// parallel. Memory: two numbers a row, and with cot a sixteenth of (n_T, k) float64, for
// every thread. Deterministic for any number of threads;
// the order of rows changes nothing but rounding (of intervals: which rows are drawn). Interrupted on
// request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/core/statistics.h"
#include "leeway/error_bound/evidence.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct Estimator : Member {
  std::string_view assumes;                   // completes "it is right if ..."
  std::string_view fails;                     // completes "it is too low if ..."
  std::string_view read_when;                 // completes "read it where ..."
  bool transport;                             // reads Evidence::transport_cost
  double (*error)(const Evidence& evidence);  // not clipped
};

[[nodiscard]] std::span<const Estimator> estimators();
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
};

[[nodiscard]] Estimates estimate_error(const Sample& source, const Sample& target,
                                       const EstimateOptions& options = {});

}  // namespace leeway::error_bound
