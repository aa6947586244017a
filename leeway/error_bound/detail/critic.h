// Linear critics with bias and their training objectives: value, gradient and 0-1 agreement in one pass.
//
// A critic scores class c of a row x by theta_c . (x, 1) and predicts the best class, the lowest if tied. Row
// i has a weight w_i > 0 and the prediction y_i of the classifier under test. Source rows come first. With m
// = F_y - mean_{c != y} F_c and p the softmax of F, the objective is the sum over rows of w_i times
//   logistic   source: -log p_y,   target: log(1 + exp m) / log 2   (Rosenfeld and Garg 2023, 4.1; convex)
//   d_bat      source: -log p_y,   target: -log(1 - p_y) / log 2    (appendix B)
//   chuang     source: -log p_y,   target: +log p_y                 (appendix B; concave in the target)
//   smooth     source: -p_y,       target: +p_y  (as theta grows, tends to -D/2 for weights 1/(2 n_S) and
//                                                 1/(2 n_T), to -D for twice these)
// Shapes: x (n, width) row-major, width = d + 1 rounded up to 4, column d is 1 and the rest 0; theta and its
// gradient are panels of 16 classes, [class / 16][column of x][class % 16], unused classes stay 0.
// Cost of a pass: 4 n d k float32 operations, half for scores alone. Memory: 16 gradients. The same bits for
// any number of threads; last digits may depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::error_bound {

struct CriticRows {
  std::size_t n_source = 0, n_target = 0;
  std::size_t d = 0, width = 0;
  std::size_t k = 0;
  std::vector<float> x;
  std::vector<std::int32_t> y;

  [[nodiscard]] std::size_t n() const { return n_source + n_target; }
  [[nodiscard]] std::size_t panels() const { return (k + 15) / 16; }
  [[nodiscard]] std::size_t parameters() const { return panels() * width * 16; }
  [[nodiscard]] std::size_t at(std::size_t column, std::size_t c) const {
    return (c / 16 * width + column) * 16 + c % 16;
  }
};

enum class Objective { logistic, d_bat, chuang, smooth };

// Rows on which critic and classifier predict the same.
struct Agreement {
  std::size_t source = 0, target = 0;
};
// D, on rows of which n_source and n_target are known.
template <class SomeRows>
[[nodiscard]] double discrepancy(const Agreement& agreement, const SomeRows& rows) {
  return static_cast<double>(agreement.source) / static_cast<double>(rows.n_source) -
         static_cast<double>(agreement.target) / static_cast<double>(rows.n_target);
}

// A critic and its D on the rows that it was chosen on.
struct FoundCritic {
  std::vector<float> theta;
  double training_discrepancy = 0;
};

struct Evaluation {
  double value = 0;
  Agreement agreement;
  std::vector<float> gradient;
};

// weights (n).
[[nodiscard]] Evaluation evaluate(const CriticRows& rows, std::span<const float> theta, Objective objective,
                                  std::span<const float> weights);

// Of one byte a row, source rows first: 1 where the two predict the same.
[[nodiscard]] Agreement agreement_of(std::size_t n_source, std::span<const std::uint8_t> agreed);
[[nodiscard]] Agreement agreement(const CriticRows& rows, std::span<const float> theta);
[[nodiscard]] std::vector<std::uint8_t> agreeing_rows(const CriticRows& rows, std::span<const float> theta);

// Scores per row: of y, of the best other class (`rival`, lowest if tied), of the best but these two (`third`,
// lowest if tied; -inf and k if there is none).
struct Leads {
  std::vector<float> own, other, next;
  std::vector<std::int32_t> rival, third;
};
[[nodiscard]] Leads leads(const CriticRows& rows, std::span<const float> theta);

// The step s along `direction` with the largest D, found exactly: critic and classifier agree on row i for s
// in one interval, so D is constant between the 2 n interval ends. `gain` is the increase of D over s = 0; 0,
// with s = 0, if no step is better. Cost: two passes of scores and a sort of 2 n numbers.
struct BestStep {
  float step = 0;
  double gain = 0;
};
[[nodiscard]] BestStep best_step(const CriticRows& rows, std::span<const float> theta,
                                 std::span<const float> direction);

}  // namespace leeway::error_bound
