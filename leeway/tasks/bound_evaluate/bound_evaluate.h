// leeway bound evaluate: scores of bounds and estimates over many shifts with known error
// (error_bound/evaluation.h). Keys: leeway schema bound-evaluate.
//
// With several data sets every method is also scored after each adjustment to each
// BoundEvaluateOptions::coverage. BoundEvaluateOptions::methods is only recorded here; the caller that opens
// the table applies it.
// Errors (Error), cost and determinism: those of opening the table and of error_bound/evaluation.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/error_bound/evaluation.h"

namespace leeway::tasks {

inline constexpr std::string_view bound_evaluate_schema = "leeway.bound-evaluate/2";

struct BoundEvaluateOptions {
  std::vector<std::string> methods;  // columns; empty: all of numbers
  std::optional<double> delta;
  std::vector<double> coverage = {.9, .95, .99};  // that the adjustments aim at
  double level = .95;                             // of intervals
};

struct AdjustedScore {
  std::string adjustment;  // "shift" or "scale"
  double level = 0;        // wanted coverage
  error_bound::Score score;
};

// The shifts whose validity score is at least `threshold`.
struct ThresholdScore {
  double threshold = 0;
  error_bound::Score score;
  double worst = 0;  // the largest overstatement of accuracy
};

// Of the validity score of a bound and its tightness, predicted less true error (Rosenfeld and Garg 2023, C.4, C.5).
struct ValidityScores {
  std::optional<Estimate> correlation;
  std::vector<ThresholdScore>
      thresholds;  // 0, .1, ..., .9, .95, .99; without those that leave out no more shifts
};

struct EvaluatedMethod {
  std::string method;
  error_bound::Score score;
  std::optional<double> delta;          // that it was allowed to fail with
  std::vector<AdjustedScore> adjusted;  // with the other data sets; empty where there is one
  std::vector<error_bound::Shift> points;
  std::optional<Estimate> proved = {};  // share of shifts where Corollary E.2 proves the assumption
  std::optional<ValidityScores> validity = {};

  [[nodiscard]] double violation_rate() const { return 1 - score.coverage; }
  [[nodiscard]] Interval violation_interval() const {
    return {1 - score.coverage_interval.high, 1 - score.coverage_interval.low};
  }
  // Whether the violation rate is beyond chance above delta; nothing without one.
  [[nodiscard]] std::optional<bool> exceeds_delta() const;
};

struct BoundEvaluation {
  Envelope envelope = envelope_of(bound_evaluate_schema);
  BoundEvaluateOptions options;
  std::size_t data_sets = 0;
  std::vector<EvaluatedMethod> results;
  std::vector<error_bound::LossTest> losses = {};  // of columns discrepancy:LOSS
};

void fields(BoundEvaluateOptions& options, Fields& f);
void fields(BoundEvaluation& record, Fields& f);

// Which method understates the error least often, and which is closest to it. At least one result.
[[nodiscard]] std::string headline_of(const BoundEvaluation& record);
// How often the range from likely_low to likely_high holds the error; methods that understate it more often than their delta
// allows.
[[nodiscard]] std::vector<std::string> findings_of(const BoundEvaluation& record);

struct BoundEvaluateTask {
  std::string name;  // what warnings call the table: its path
  error_bound::ShiftTable table;
  BoundEvaluateOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] BoundEvaluation bound_evaluate(const BoundEvaluateTask& task);

[[nodiscard]] View view(const BoundEvaluation& record);

}  // namespace leeway::tasks
