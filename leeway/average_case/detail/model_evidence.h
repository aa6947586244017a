// Evidence from a classifier that can be evaluated on any input. Internal.
#pragma once

#include <memory>
#include <optional>

#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {

// Rows [begin, end) of the inputs.
struct InputRows {
  const InputRow& row;
  std::size_t begin, end;
};

// Passes of single inputs, forward or backward: made so far, and expected of all rows.
class Passes {
 public:
  Passes(Progress* progress, std::size_t rows) : progress_(progress), rows_(rows) {}

  // Of the next rows, `first` on, so many are expected beyond those made of them so far.
  void expect(std::size_t first, std::size_t rows, std::size_t passes);
  void add(std::size_t passes);
  void finish();  // with those rows

  double seconds = 0;  // in the classifier

 private:
  void report() const;
  Progress* progress_;
  std::size_t rows_, first_ = 0, now_ = 0;  // in all; at hand: the first and how many
  std::size_t finished_rows_ = 0, finished_ = 0, made_ = 0, expected_ = 0;
};

class ModelEvidence : public Evidence {
 public:
  ModelEvidence(const Classifier& classifier, const Noise& noise, const InputRows& inputs,
                const AverageCaseOptions& options, Passes& passes);

  [[nodiscard]] const Linearised& at_input() override;
  [[nodiscard]] std::optional<CallCost> pass_cost() const override { return cost(1, false); }
  [[nodiscard]] std::size_t bytes() const override;
  [[nodiscard]] const Linearised& averaged(std::size_t sigma) override;
  void count_kept(std::size_t sigma, std::span<const std::size_t> rows, std::size_t first, std::size_t draws,
                  std::vector<Kept>& counts, Spent& spent) override;

 private:
  struct Copies {  // noisy copies of every row; none: the rows themselves
    std::size_t count = 0;
    double sigma = 0;
  };
  ModelEvidence(const Classifier& classifier, const Noise& noise, const InputRows& inputs,
                const AverageCaseOptions& options, Passes& passes, std::vector<float> x);

  [[nodiscard]] std::span<const float> input(std::size_t row) const {
    return std::span(x_).subspan(row * classifier_.d, classifier_.d);
  }
  void draw(std::size_t row, std::uint32_t stream, std::size_t draw, std::span<float> out) const;
  [[nodiscard]] std::optional<CallCost> cost(std::size_t rows, bool gradients) const {
    return classifier_.cost ? classifier_.cost(rows, gradients) : std::nullopt;
  }
  void choose_classes(std::size_t count);
  void expect_passes();
  void copy(const Copies& copies, std::size_t row, std::size_t begin, std::size_t end,
            std::span<float> out) const;
  void fill(const Copies& copies, std::size_t begin, std::span<float> x) const;
  struct Sums {  // of a row: logits (k), gradients (m,d)
    std::vector<double> logits, gradients;
  };
  struct Pass {  // of some inputs: logits (n,k), gradients (n,m,d)
    std::vector<float> logits;
    std::unique_ptr<float[]> gradients;
  };
  [[nodiscard]] Pass pass(const Copies& copies, std::size_t begin, std::size_t end, Spent& spent) const;
  [[nodiscard]] Linearised linearise(const Copies& copies) const;
  [[nodiscard]] Boundaries boundaries(std::size_t row, std::span<const double> logits,
                                      std::span<const double> gradients) const;
  [[nodiscard]] std::size_t classes() const { return chosen_.empty() ? k() : chosen_.size() / n(); }

  const Classifier& classifier_;
  const Noise& noise_;
  Passes& passes_;
  std::vector<float> x_;              // (n,d)
  std::vector<std::int32_t> chosen_;  // (n,m), the target first; empty: all classes
  std::optional<Linearised> at_input_;
  std::vector<std::optional<Linearised>> averaged_;
};

}  // namespace leeway::average_case
