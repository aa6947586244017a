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
// Shapes: x is panels of 16 rows, [row / 16][column][row % 16], padded with rows of 0; width = d + 1 rounded up
// to 4, column d is 1 and the rest 0; theta and its gradient are (k, width) row-major.
// Cost of a pass: 4 n d k float32 operations, half for scores alone; scores of a theta that is mostly 0 cost
// 2 n operations a number that is not. Memory: up to 16 gradients. The same bits
// for any number of threads; last digits may depend on the instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace leeway::error_bound {

struct CriticRows {
  static constexpr std::size_t panel = 16;  // rows

  std::size_t n_source = 0, n_target = 0;
  std::size_t d = 0, width = 0;
  std::size_t k = 0;
  std::vector<float> x;
  std::vector<std::int32_t> y;

  CriticRows() = default;
  // All x and y are 0, but for column d of x.
  CriticRows(std::size_t source, std::size_t target, std::size_t columns, std::size_t classes)
      : n_source(source), n_target(target), d(columns), width((columns + 4) / 4 * 4), k(classes), y(n()) {
    x.resize((n() + panel - 1) / panel * panel * width);
    for (std::size_t i = 0; i < n(); ++i) at_row(i, d) = 1;
  }

  [[nodiscard]] std::size_t n() const { return n_source + n_target; }
  [[nodiscard]] std::size_t parameters() const { return k * width; }
  [[nodiscard]] std::size_t at(std::size_t column, std::size_t c) const { return c * width + column; }
  float& at_row(std::size_t row, std::size_t column) { return x[place(row, column)]; }
  [[nodiscard]] float at_row(std::size_t row, std::size_t column) const { return x[place(row, column)]; }

 private:
  [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const {
    return (row / panel * width + column) * panel + row % panel;
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

// A critic, the training rows on which it agrees with the classifier (1 or 0 each), and its D on them.
struct FoundCritic {
  std::vector<float> theta;
  std::vector<std::uint8_t> agreed;
  double training_discrepancy = 0;
};

struct Evaluation {
  double value = 0;
  std::vector<float> gradient;
  std::vector<std::uint8_t> agreed;  // as of FoundCritic
};

// weights (n).
[[nodiscard]] Evaluation evaluate(const CriticRows& rows, std::span<const float> theta, Objective objective,
                                  std::span<const float> weights);

// Of one byte a row, source rows first: 1 where the two predict the same.
[[nodiscard]] Agreement agreement_of(std::size_t n_source, std::span<const std::uint8_t> agreed);
[[nodiscard]] Agreement agreement(const CriticRows& rows, std::span<const float> theta);
[[nodiscard]] std::vector<std::uint8_t> agreeing_rows(const CriticRows& rows, std::span<const float> theta);
[[nodiscard]] FoundCritic found_critic(const CriticRows& rows, std::vector<float> theta,
                                       std::vector<std::uint8_t> agreed);
[[nodiscard]] FoundCritic found_critic(const CriticRows& rows, std::vector<float> theta);

// Scores per row: of y, of the best other class (`rival`, lowest if tied), of the best but these two (`third`,
// lowest if tied; -inf and k if there is none).
struct Leads {
  std::vector<float> own, other, next;
  std::vector<std::int32_t> rival, third;
};
[[nodiscard]] Leads leads(const CriticRows& rows, std::span<const float> theta);

// u . (x, 1) of every row, u (width).
[[nodiscard]] std::vector<float> products(const CriticRows& rows, std::span<const float> u);

// A place on a line where D changes, in units of 1 / (n_S n_T).
struct Jump {
  float at;
  std::int32_t change;
};
// A point of the line at which D is largest: `value` is `before`, D left of all jumps, and the changes passed. Of equal
// values the first, and none where no value is above `least`. Scores are rounded to some 1e-7: narrower gaps do not count.
struct BestPoint {
  float at = 0;
  std::int64_t value = 0;
};
[[nodiscard]] std::optional<BestPoint> best_point(const std::vector<Jump>& jumps, std::int64_t before,
                                                  std::int64_t least);

// The step s along `direction` at which D is largest, found exactly: critic and classifier agree on row i for
// s in one interval, so D is constant between the 2 n ends of these intervals. `gain` is that D less the one
// at s = 0; 0, with s = 0, where no step is better. Cost: two passes of scores and a sort of 2 n numbers.
struct BestStep {
  float step = 0;
  double gain = 0;
};
[[nodiscard]] BestStep best_step(const CriticRows& rows, std::span<const float> theta,
                                 std::span<const float> direction);

}  // namespace leeway::error_bound
