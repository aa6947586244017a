// Evidence that row i of one set and row i of another are the same sample, against the chance that two unrelated
// sets look so. Equal numbers of rows are none: two days of 10,000 requests are not pairs.
//
// In this order, and the first that says anything decides:
//   labels     Both sets have them: some differ, and the rows are not pairs. All are equal: the chance of that
//              for unrelated sets is at most 1 / (number of sequences with the same make-up), see below.
//   ids        Both sets have them: distinct, no mere count of the rows, and all equal. Some that differ among
//              ids that both have: the rows are in another order, and no pairs.
//   agreement  Predictions agree in place more often than they do after two rows of one set change places.
// The rows are pairs where the chance is below 1e-6 (most_chance).
//
// Chance of equal labels. Two unrelated sets that are sorted by class, or laid out in turns (0, 1, 2, 0, 1, 2, ...),
// may have equal labels, so the labels are taken for a semi-Markov chain: the next run depends on the last one, and
// its length on its label. All sequences with the same transitions between runs and the same lengths of each label's
// runs are then equally likely, and a set hits one of N of them with a chance of at most 1 / N. N is counted from
// below: of each label all runs but the last may be followed in another order (the last ones are the tree of the
// theorem of van Aardenne-Ehrenfest and de Bruijn 1951), and the lengths of runs between the first and the last may
// change places. Sorted or constant labels: N = 1.
//
// Agreement. Of predictions a, b of two rows of one set and c, d of the other: [a=c] + [b=d] against [a=d] + [b=c].
// In unrelated sets whose two rows could as well change places one is larger as often as the other: an exact sign
// test over disjoint pairs of rows. Such rows are: with labels in no order (1 / N < 1e-6) rows beside each other;
// with other labels two successive rows of one label; without labels rows beside each other, less k - 1 agreements,
// for the borders between the classes of a sorted set.
//
// Unrelated sets are assumed to share no other order. Two sets made along one list (the same prompts) share it: then
// only the caller can say that rows are no pairs.
//
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

// One of two sets of equal length. Empty: not known. Predictions of the first rows alone will do.
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
