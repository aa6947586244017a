// Input of the estimators, computed once for all of them and for each bootstrap resample.
// Errors: none; the sample is checked (sample.h). Cost: n k exponentials per set; `transport` adds the cost
// of transport.h and, unless its result is given, of movement.h; `movement` adds the cost of movement.h.
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/confidence.h"
#include "leeway/error_bound/movement.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

// A score, and the share of the source's rows at it that must count for the source's accuracy to come out right.
struct Threshold {
  double score = 0, weight = 0;
};

struct Evidence {
  std::size_t n_correct = 0;         // source rows whose prediction is their label
  double source_accuracy = 0;        // n_correct / n_S
  std::vector<double> label_shares;  // (k) of the source; 0 for a class that no row has
  std::shared_ptr<const Scores> source;
  double source_confidence = 0, target_confidence = 0;  // means
  Threshold by_log_odds, by_negative_entropy;  // of atc: the n_correct-th largest score of the source
  Scores target;
  double transport_cost = 0;  // of the target's softmax rows to label_shares; 0 unless asked for
  SelfTransport self;         // what the constraint costs where nothing moved; likewise
  std::shared_ptr<const OutputProfile> profile;  // of the source; empty unless asked for
  Movement movement;                             // from it to the target; likewise
};

struct EvidenceOptions {
  double inverse_temperature = 1;
  bool transport = false, movement = false;
  std::optional<SelfTransport> self{};                        // where it is known
  std::span<const std::size_t> source_rows{}, target_rows{};  // empty: all
  // Of these rows, where they are known
  std::shared_ptr<const Scores> source_scores{}, target_scores{};
};

// collect() in two steps, for many targets of one source.
[[nodiscard]] Evidence collect_source(const Sample& source, const EvidenceOptions& options);
void add_target(Evidence& evidence, const Sample& source, const Sample& target,
                const EvidenceOptions& options);

// `count` of n rows, drawn with replacement, in the order of memory: no estimate depends on an order.
[[nodiscard]] std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t n, Random random);

[[nodiscard]] Evidence collect(const Sample& source, const Sample& target, const EvidenceOptions& options);

}  // namespace leeway::error_bound
