// Input of the estimators for a few rows at a time, computed on first use and shared. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/average_case/detail/boundaries.h"
#include "leeway/core/classifier.h"

namespace leeway::average_case {

inline constexpr std::size_t few_classes = 64;   // up to so many, gradients are taken of all
inline constexpr std::size_t first_draws = 128;  // of mc with a width; they double until the interval has it

struct Spent {
  double seconds = 0, model_seconds = 0;
  std::size_t passes = 0;  // of single inputs, forward, or backward of one class
  std::size_t bytes = 0;   // most that arrays took at once

  void add(const Spent& other);  // one after the other
};
// Adds what was spent to a column, its flops by those of one forward pass.
void add_to(Column& column, const Spent& spent, const std::optional<CallCost>& pass);

// How often noisy copies kept the prediction.
struct Kept {
  std::uint32_t kept = 0, draws = 0;
};

class Evidence {
 public:
  virtual ~Evidence() = default;

  [[nodiscard]] const AverageCaseOptions& options() const { return options_; }
  [[nodiscard]] std::size_t first_row() const { return first_row_; }
  [[nodiscard]] std::size_t n() const { return targets_.size(); }
  [[nodiscard]] std::size_t k() const { return logits_.size() / targets_.size(); }
  [[nodiscard]] std::span<const std::int32_t> targets() const { return targets_; }
  [[nodiscard]] std::span<const double> logits(std::size_t row) const {
    return std::span(logits_).subspan(row * k(), k());
  }

  struct Linearised {
    std::vector<Boundaries> rows;
    Spent spent;
  };
  [[nodiscard]] virtual const Linearised& at_input() = 0;
  // Of one forward pass of one input; none where it is not known.
  [[nodiscard]] virtual std::optional<CallCost> pass_cost() const { return std::nullopt; }
  // Of the arrays that every estimator needs.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }

  // The next two need a model; without one they throw Error. Of the mean over noisy copies:
  [[nodiscard]] virtual const Linearised& averaged(std::size_t sigma);
  // `draws` more noisy copies, from number `first` on, of each row named; adds to `counts` (n).
  virtual void count_kept(std::size_t sigma, std::span<const std::size_t> rows, std::size_t first,
                          std::size_t draws, std::vector<Kept>& counts, Spent& spent);

 protected:
  // Argmax, lowest where tied; Error where a logit is not finite.
  Evidence(const AverageCaseOptions& options, std::size_t first_row, std::size_t n,
           std::vector<double> logits);

 private:
  const AverageCaseOptions& options_;
  std::size_t first_row_;
  std::vector<double> logits_;
  std::vector<std::int32_t> targets_;
};

// Throws Error where a logit is not finite: "logits: expected finite numbers, found nan at row 7, class 2".
void check_finite(std::span<const double> logits, std::size_t row);

// Seconds of a clock that never goes back.
[[nodiscard]] double now();

// p of every row from its boundaries, by the normal distribution function or the multivariate sigmoid.
void from_boundaries(const Evidence& evidence, const Evidence::Linearised& linearised, bool sigmoid,
                     Column& column);

}  // namespace leeway::average_case
