// Evidence that row i of two sets is the same sample, measured by the chance that unrelated sets look the
// same. Equal numbers of rows are no evidence.
//
// The first of these tests with a result decides:
//   labels     Both sets have labels. Any difference: not pairs. All equal: see the chance below.
//   ids        Distinct ids (not row numbers), all equal: pairs. Common ids at different rows: not pairs.
//   agreement  Predictions agree in place more often than after swapping two rows of one set.
// Rows are pairs if the chance is below 1e-6 (most_chance).
//
// Chance of equal labels. Unrelated sets that are sorted by class or cyclic (0, 1, 2, 0, 1, 2, ...) may have
// equal labels. Labels are therefore modeled as a semi-Markov chain: the next run depends on the last, and a
// run's length on its label. All N sequences with the same run transitions and the same run lengths of each
// label are then equally likely, so a set hits one of them with chance at most 1 / N. A lower bound of N
// counts the orders of each label's successors, the last run of each label fixed (the tree in the theorem of
// van Aardenne-Ehrenfest and de Bruijn 1951), and the permutations of the lengths of inner runs. Sorted or
// constant labels: N = 1.
//
// Agreement. For predictions a, b of two rows of one set and c, d of the other, compare [a=c] + [b=d] with
// [a=d] + [b=c]. If the sets are unrelated and the two rows exchangeable, either is larger equally often: an
// exact sign test over disjoint pairs of rows. Exchangeable rows are neighbors if the labels are in no order
// (1 / N < 1e-6), otherwise successive rows of one label; without labels neighbors, less k - 1 agreements for
// the class borders of a sorted set.
//
// Unrelated sets are assumed to share no other order. For two sets made from one list (the same prompts) this
// fails, and only the caller can say that rows are not pairs.
// Cost: n log n for the first 2^17 labels, one pass over the predictions. Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/rows.h"

namespace leeway::agreement {

inline constexpr double most_chance = 1e-6;

// One of two sets of equal length. Empty: unknown. Predictions of the first rows suffice.
struct RowsSaid {
  std::span<const std::int64_t> labels;
  std::span<const std::string> ids;
  std::span<const std::int32_t> classes;  // predicted
  std::size_t k = 0;
};

enum class EvidenceBy { none, labels, ids, agreement };

struct PairEvidence {
  EvidenceBy by = EvidenceBy::none;
  double chance = 1;  // that unrelated sets look so, at most; the least that was found where by is none
  // Why they are pairs ("their labels are equal ..."), or why nothing shows it; no capital, no full stop.
  std::string reason;
  bool different = false;  // labels or ids differ: the rows are other samples, or in another order
  bool decidable = false;  // enough rows could have told: predictions of pairs would have been evidence
  std::size_t differing_labels = 0;

  [[nodiscard]] bool pairs() const { return by != EvidenceBy::none; }
};

// Errors (Error): sets of different length, where labels or ids tell.
[[nodiscard]] PairEvidence pair_evidence(const RowsSaid& first, const RowsSaid& second);

// log of the chance, at most, that an unrelated set has these labels in this order; 0: no evidence at all.
[[nodiscard]] double log_chance_of_labels(std::span<const std::int64_t> labels);

// Predicted classes (ties: lowest) of the first rows, as many as the test above needs: 16,384, or 8 k.
[[nodiscard]] std::vector<std::int32_t> first_predictions(const Rows& logits);

// "labels", "ids", "agreement", or "none".
[[nodiscard]] std::string name_of(EvidenceBy by);

}  // namespace leeway::agreement
