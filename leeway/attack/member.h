// What the members of the family share: a problem, its loss, and the best points seen. attack.cpp lists the
// members, one file each.
//
// Fixed-budget attacks find the worst row within a radius, minimum-norm attacks the nearest success: the
// prediction is not the class to leave or, if targeted, is the class to reach. A positive factor of the logits
// changes neither the order of Loss::difference nor the direction of its gradients, so robust accuracy under it
// does not depend on the scale of the logits.
//
// Members treat rows independently, so the result of a row depends neither on other rows nor on the number of threads. They
// pass all rows of the problem to the model in every step, or a Part of them where the others are done.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/core/parallel.h"

namespace leeway::attack {

// The problem at some points.
struct Evaluation {
  std::vector<double> value;          // (n), the loss
  std::vector<std::uint8_t> success;  // (n)
  Points gradient = {};               // of the loss with respect to x; empty where it was not asked for
};

// Some rows under attack: a block, or a training batch.
struct Problem {
  const Classifier& classifier;
  const Points& clean;                    // in the box
  std::span<const std::int64_t> targets;  // one a row: the classes to leave, or to reach
  std::span<const std::uint64_t> keys;    // one a row: which random numbers it gets
  Loss loss = Loss::margin;
  bool targeted = false;  // targets are to be reached
  Box box = {};           // where moved values stay
  Picture picture = {};   // shape of a row; all 0: none
  // A point of row i becomes the point of the grid that `classifier` sees in its place. Empty: any value
  std::function<void(std::size_t i, MutableRow x)> to_grid = {};
  // `classifier` for passes over these rows alone. Empty: a pass may have any rows
  std::function<Classifier(std::vector<std::size_t> rows)> classifier_of = {};
  // Evaluations at the clean rows by loss; evaluate() and evaluate_with_gradient() fill and reuse them
  std::shared_ptr<std::map<Loss, Evaluation>> at_clean = std::make_shared<std::map<Loss, Evaluation>>();
};

// Some rows of a problem.
class Part {
 public:
  Part(const Problem& whole, std::vector<std::size_t> rows);
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  [[nodiscard]] Points points(const Points& whole) const;  // its rows of `whole`

 private:
  std::vector<std::size_t> rows_;
  Classifier classifier_;
  Points clean_;
  std::vector<std::int64_t> targets_;
  std::vector<std::uint64_t> keys_;
  Problem problem_;
};

struct Attacked {
  Points x;
  // One a row: gradient exactly 0 at every start. Empty for attacks without gradients
  std::vector<std::uint8_t> zero_gradient = {};
  std::vector<double> start_loss = {};  // one a row, of ascend() at its start
  // One a row: success by a forward pass over the row of x; no value: not judged. Empty: no row is judged
  std::vector<std::optional<bool>> judged = {};
};

struct AttackMember : AttackEntry {
  bool gradients = false;  // needs them
  // Options are complete. With a fixed budget the rows lie within options.eps; of minimum norm as near as can be.
  Attacked (*run)(const Problem& problem, const AttackOptions& options) = nullptr;
  // Of an ensemble, which has no `run`: its attacks in turn, each for the rows that withstood those before it.
  std::vector<AttackOptions> (*parts)(const AttackOptions& options) = nullptr;
  bool own_loss = false;  // its method has a loss of its own: none may be given
  bool leaves = false;    // it only leaves classes: no targets
  bool spares = false;    // of fixed budget: does not move rows whose clean prediction is a success

  [[nodiscard]] bool moves_all() const { return run != nullptr && !minimum_norm && !spares; }
};

[[nodiscard]] std::span<const AttackMember> attacks();
[[nodiscard]] const AttackMember& attack_named(
    std::string_view name);  // Error that lists the names there are

// Means of logits and gradients over `draws` passes. Of equal passes they have the bits of one.
[[nodiscard]] Classifier averaged(const Classifier& classifier, std::size_t draws);

// The `count` classes of largest logits, the largest first, of equals the lowest class.
[[nodiscard]] std::vector<std::size_t> largest_classes(Row logits, std::size_t count);

// Per row the most likely classes at the clean row without the class to leave, `count` from rank `from` on; (n,count).
[[nodiscard]] std::vector<std::size_t> likely_wrong_classes(const Problem& problem, std::size_t from,
                                                            std::size_t count);

// Of logits F and the class y that is to be left; `gradient` (k) gets the gradient by F, unless it is empty.
[[nodiscard]] double loss_of(Loss loss, Row logits, std::int64_t y, MutableRow gradient = {});

// Loss of row i at its logits, to be maximized; fills `gradient` (k) unless it is empty.
using RowLoss = std::function<double(std::size_t i, Row logits, MutableRow gradient)>;
[[nodiscard]] RowLoss loss_of(const Problem& problem);  // negated where it is targeted

[[nodiscard]] Evaluation evaluate(const Problem& problem, const Points& x);  // forward pass
[[nodiscard]] Evaluation evaluate_with_gradient(const Problem& problem,
                                                const Points& x);  // forward and backward pass
[[nodiscard]] Evaluation evaluate_with_gradient(const Problem& problem, const Points& x, const RowLoss& loss);

// Whether a prediction is what the attack wants of row i.
[[nodiscard]] bool succeeds(const Problem& problem, std::size_t i, Row logits);

// body(i) for every row, in parallel.
template <class Body>
void for_rows(const Points& x, const Body& body) {
  parallel_chunks(x.n, 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

// 1 for rows whose gradient is exactly 0.
[[nodiscard]] std::vector<std::uint8_t> zero_rows(const Points& gradient);

// The last point after all steps, the loss at x, and whether the gradient there was exactly 0; `best` where it is
// given collects the best point of the whole way, the last one by offer_last().
class Best;
[[nodiscard]] Attacked ascend(const Problem& problem, const Ball& ball, Points x, double step,
                              std::size_t steps, Best* best);

// Per row the best point seen: a success before a failure, then the larger loss, then the earlier point.
class Best {
 public:
  void offer(const Points& x, const Evaluation& evaluation);
  void offer(std::span<const std::size_t> rows, const Points& x,
             const Evaluation& evaluation);                  // of these rows
  void offer_last(const Problem& problem, const Points& x);  // after a forward pass over x
  [[nodiscard]] const Points& points() const { return x_; }
  [[nodiscard]] const std::vector<double>& values() const { return value_; }
  [[nodiscard]] const std::vector<std::uint8_t>& success() const { return success_; }
  [[nodiscard]] const std::vector<std::optional<bool>>& judged() const { return judged_; }  // as in Attacked

 private:
  Points x_;
  std::vector<double> value_;
  std::vector<std::uint8_t> success_;
  std::vector<std::optional<bool>> judged_;  // of rows that offer_last() replaced
};

// Per row the successful point of the smallest norm, the earlier of equals; the clean row where there is none.
// With a grid these are points of the grid.
class Nearest {
 public:
  Nearest(const Problem& problem, Norm norm);
  void offer(const Points& x, std::span<const std::uint8_t> success);
  [[nodiscard]] const Points& points() const { return x_; }
  [[nodiscard]] const std::vector<double>& norms() const { return norms_; }  // infinity without success

 private:
  const Problem& problem_;
  Norm norm_;
  Points x_;
  std::vector<double> norms_;
};

// Passes with and without gradients round differently, and the nearest points lie on the boundary: rows that
// fail in a forward pass move on, first by a millionth of their path from the clean row, then by more.
[[nodiscard]] Points confirmed(const Problem& problem, const Nearest& nearest);

// From `first` at step 0 to `last` at step `steps` along half a cosine.
[[nodiscard]] double annealed(double first, double last, std::size_t step, std::size_t steps);

}  // namespace leeway::attack
