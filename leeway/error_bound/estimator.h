// Estimates of a classifier's error on an unlabeled target, from the labeled source and the target's outputs.
//
// A family: estimator.cpp lists the members; each file in estimators/ has its equation, code and source.
//
// All members use softmax(t F), t the inverse temperature (temperature.h; 1 without scaling; infinity is
// allowed: confidence is then shared among tied top classes). Estimates are errors clipped to [0,1], not
// bounds: each holds under its own assumption (`assumes`).
//
// Intervals: bootstrap. A replicate resamples the rows of both sets independently and repeats the whole
// estimate, temperature fit included, from scores that are interpolated over temperatures (detail/near_scores.h)
// where resamples move the temperature little; quantiles of the replicates' deviations from their mean are added to the
// estimate. Above `most_rows` rows, replicates are smaller by a factor r and their deviations scaled by sqrt(r)
// (m out of n). The interval includes that of sampling_interval, since resampled outputs do not show which
// rows are wrong. It covers sampling noise, not a wrong assumption.
// Errors (Error): those of check (sample.h), an unknown method, a level outside (0,1); Interrupted. Cost: one
// pass over both sets, selection for atc, transport.h for cot; eight more passes for all replicates, which run
// in parallel, and for each one selection and transport. Memory: 24 numbers a row for up to a million rows in both
// sets; per thread two numbers a row, and with cot a sixteenth of (n_T, k) float64. Deterministic for any number
// of threads. Row order affects only rounding and which rows the bootstrap draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
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

// The answer without labels: an estimate of the error and the range it likely lies in, from all that the outputs show.
//
//   estimate = mean over networks of s(m),   range = [s(m - c (m - l)), s(m + c (h - m))] likewise,
// s the logistic function. Each network has one layer of tanh units and a linear part. Its inputs: the logits of the single
// estimates (ac, doc, atc-conf, cot), of the source's error and of its error in the fitted mix of classes (movement.h); how
// well that mix explains the target; the distances of margins and the factor between them; the excess of cot beyond its noise;
// k and both numbers of rows. Its outputs: m, relative to the logit of the error in the fitted mix, and the distances to the 10%
// and 90% quantiles l and h. docs/studies/answers_fit.py fitted the weights on simulated shifts. c makes the range conformal
// on families of worlds and classifiers left out of the fit.
//
// Use this when nothing is known of the shift. docs/studies/answers.md measures how often the answer is right: shifts that change
// labels but not outputs (concept shift, confident mistakes) are invisible to the networks, as to every estimator.
// `evidence` must hold transport and movement (EvidenceOptions). Errors: none. Deterministic.

struct CombinedAnswer {
  double error = 0;
  Interval likely;
};

// How often the likely range held the error, in a sentence.
[[nodiscard]] std::string_view likely_words();

[[nodiscard]] CombinedAnswer combined_answer(const Evidence& evidence);

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

// The combined answer for many targets of one source; temperature, scores and profile of the source are computed once.
//
// Same numbers as estimate_error (estimator.h). `target_rows`: rows of a target that was checked, repeats allowed; empty: all. The source
// must outlive the object. Errors (Error): those of estimate_error; chosen rows are not checked again. Cost per target: n k
// exponentials, transport, movement.h. Thread-safe.

class SourceEstimates {
 public:
  explicit SourceEstimates(const Sample& source);

  [[nodiscard]] CombinedAnswer answer(const Sample& target,
                                      std::span<const std::size_t> target_rows = {}) const;
  [[nodiscard]] double source_error() const { return 1 - known_.source_accuracy; }

 private:
  [[nodiscard]] SelfTransport self(std::size_t target_rows) const;

  const Sample* source_;
  double inverse_temperature_;
  Evidence known_;  // of the source
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, SelfTransport> selves_;  // by the target's rows
};

}  // namespace leeway::error_bound
