// Confidence scores of a classifier's rows at a given inverse temperature t.
//
//   confidence_i         max_j p_ij,            p_i = softmax(t F_i)
//   negative entropy_i   sum_j p_ij log p_ij,   0 log 0 = 0; from -log k to 0
//   log odds_i           log(c / (1 - c)),      c the confidence: in order where the confidences all round to 1
//   margin_i             largest minus second largest of F_i, whatever t
//   predicted_i          the class of the largest, the lowest where tied
//
// At t = infinity p is uniform over the tied top classes, at t = 0 over all classes. Rows with the same
// values in another order get the same bits (except for rare roundings), so ties remain ties.
// Shapes: logits (n,k), float32 or float64, checked (sample.h); `rows`: the rows to use, repeats allowed.
// Errors: none. Cost: n k exponentials. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/rows.h"
#include "leeway/error_bound/centred.h"

namespace leeway::error_bound {

struct Scores {
  std::vector<double> confidence, negative_entropy, log_odds, margin;  // (n)
  std::vector<std::int32_t> predicted;                                 // (n)
};

[[nodiscard]] Scores scores(const Rows& logits, double inverse_temperature,
                            std::span<const std::size_t> rows = {});

// Computes rows [begin, end) of p on demand, row-major in `scratch`. `rows` must outlive the object.
class Softmax {
 public:
  Softmax(Rows logits, double inverse_temperature, std::span<const std::size_t> rows = {})
      : z_(std::move(logits), rows), t_(inverse_temperature) {}

  [[nodiscard]] std::size_t n() const { return z_.n(); }
  [[nodiscard]] std::size_t k() const { return z_.k(); }
  const double* rows(std::size_t begin, std::size_t end, std::vector<double>& scratch) const;

 private:
  CentredRows z_;
  double t_;
};

}  // namespace leeway::error_bound
