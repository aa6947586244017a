// Rows whose label is probably wrong, by confident learning (Northcutt, Jiang and Chuang, "Confident
// learning: estimating uncertainty in dataset labels", JAIR 2021, section 3).
//
//   t_j   mean of p(j|x) over the rows with label j
//   C_ij  number of rows with label i whose most probable class among {l: p(l|x) >= t_l} is j; rows without
//         such a class are in no C_ij
//   Q_ij  (n_i / n) C_ij / sum_j C_ij: joint distribution of given and true labels; a class without counted
//         rows has all its rows in Q_ii
// A row counted in C_ij with j != i is a suspect, and j its suggested label. Rankings: self-confidence p(y|x)
// and normalized margin p(y|x) - max over j != y of p(j|x), lowest first.
// Use this with outputs of a model that was not trained on these rows: a trained model repeats wrong labels.
// Shapes: logits (n,k), labels (n), -1: no label. Errors (Error): another number of labels, a label of k or
// more, no label. Cost: two passes. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/rows.h"

namespace leeway::agreement {

struct ConfidentLearning {
  std::size_t n = 0, suspects = 0;  // of rows with a label
  double noise_rate = 0;            // 1 - sum of Q_ii
  // (n) of every row: suggested label, -1 if the row is no suspect; the two scores, NaN without a label
  std::vector<std::int64_t> suggested;
  std::vector<double> self_confidence, margin;
};

[[nodiscard]] ConfidentLearning confident_learning(const Rows& logits, std::span<const std::int64_t> labels);

}  // namespace leeway::agreement
