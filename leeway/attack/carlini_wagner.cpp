#include <algorithm>
#include <cmath>

#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// The variable w of a value x: x = m + h tanh(w) in bounds of middle m and half-width h, x = w without bounds.
class Variable {
 public:
  Variable(const Box& box, std::size_t j)
      : bounded_(!box.unbounded(j)),
        middle_((box.low_of(j) + box.high_of(j)) / 2),
        half_((box.high_of(j) - box.low_of(j)) / 2) {}

  [[nodiscard]] double of(float x) const {
    constexpr double inside = 1 - 1e-6;  // the ends of the box are infinitely far
    return bounded_ ? std::atanh(inside * (x - middle_) / half_) : x;
  }
  [[nodiscard]] double value(double w) const { return bounded_ ? middle_ + half_ * std::tanh(w) : w; }
  [[nodiscard]] double slope(double x) const {  // dx / dw
    const double t = (x - middle_) / half_;
    return bounded_ ? half_ * (1 - t * t) : 1;
  }

 private:
  bool bounded_;
  double middle_, half_;
};

// Adam: Kingma and Ba, ICLR 2015.
class Adam {
 public:
  Adam(std::size_t count, double step) : step_(step), mean_(count), square_(count) {}

  void begin_step() {
    ++steps_;
    mean_scale_ = 1 / (1 - std::pow(decay, steps_));
    square_scale_ = 1 / (1 - std::pow(square_decay, steps_));
  }
  void move(std::size_t j, double& variable, double gradient) {
    mean_[j] = decay * mean_[j] + (1 - decay) * gradient;
    square_[j] = square_decay * square_[j] + (1 - square_decay) * gradient * gradient;
    variable -= step_ * mean_scale_ * mean_[j] / (std::sqrt(square_scale_ * square_[j]) + 1e-8);
  }

 private:
  static constexpr double decay = .9, square_decay = .999;
  double step_, mean_scale_ = 1, square_scale_ = 1;
  int steps_ = 0;
  std::vector<double> mean_, square_;
};

// The factor c of a row: times 10 until a search succeeds, then halfway between failure and success.
struct Factor {
  double value, low = 0, high = infinity;

  void update(bool success) {
    success ? high = std::min(high, value) : low = std::max(low, value);
    value = std::isfinite(high) ? (low + high) / 2 : 10 * value;
  }
};

// Where the prediction is as wanted, by the confidence at least.
std::vector<std::uint8_t> reached(const Evaluation& by_difference, double confidence) {
  std::vector<std::uint8_t> found = by_difference.success;
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = found[i] != 0 && by_difference.value[i] >= confidence;
  return found;
}

// Value: the difference of logits, positive where the prediction is as wanted. Gradient: that of the
// problem's loss, 0 where the confidence is reached.
RowLoss hinge(const Problem& problem, const Problem& by_difference, double confidence) {
  return [&problem, loss = loss_of(problem), difference = loss_of(by_difference), confidence](
             std::size_t i, Row logits, MutableRow gradient) {
    loss(i, logits, gradient);
    const double value = difference(i, logits, {});
    if (value >= confidence && succeeds(problem, i, logits)) std::ranges::fill(gradient, 0.f);
    return value;
  };
}

struct Minimization {
  std::vector<std::uint8_t> success, zero_gradient;  // of any step; of the first one
};

Minimization minimize(const Problem& problem, const RowLoss& loss, const std::vector<Factor>& factors,
                      const AttackOptions& options, Nearest& nearest) {
  const Points& clean = problem.clean;
  const double confidence = options.parameters.at("confidence");
  const auto steps = static_cast<std::size_t>(options.parameters.at("steps"));
  std::vector<Variable> variables;
  for (std::size_t j = 0; j < clean.d; ++j) variables.emplace_back(problem.box, j);
  std::vector<double> w(clean.values.size());
  for (std::size_t v = 0; v < w.size(); ++v) w[v] = variables[v % clean.d].of(clean.values[v]);
  Adam adam(w.size(), options.parameters.at("step"));
  Minimization found{std::vector<std::uint8_t>(clean.n), {}};
  Points x = clean;
  for (std::size_t step = 0; step < steps; ++step) {
    for_rows(x, [&](std::size_t i) {
      for (std::size_t j = 0; j < x.d; ++j)
        x.row(i)[j] = problem.box.clip(j, static_cast<float>(variables[j].value(w[i * x.d + j])));
    });
    const Evaluation here = evaluate_with_gradient(problem, x, loss);
    const std::vector<std::uint8_t> success = reached(here, confidence);
    nearest.offer(x, success);
    if (step == 0) found.zero_gradient = zero_rows(here.gradient);
    for (std::size_t i = 0; i < x.n; ++i) {
      found.success[i] |= success[i];
      if (step == 0) found.zero_gradient[i] &= success[i] == 0;
    }
    adam.begin_step();
    for_rows(x, [&](std::size_t i) {
      for (std::size_t j = 0; j < x.d; ++j) {
        const std::size_t v = i * x.d + j;
        const double from_clean = static_cast<double>(x.values[v]) - clean.values[v];
        adam.move(
            v, w[v],
            variables[j].slope(x.values[v]) * (2 * from_clean - factors[i].value * here.gradient.values[v]));
      }
    });
  }
  return found;
}

// Minimizes |x' - x|_2^2 + c max(-L(x'), -confidence) over w, x' = (1 + tanh w) / 2, by Adam from x' = x; L
// is the difference of logits, positive where x' succeeds. c starts at first-constant; searches multiply it
// by 10 until one succeeds, and then bisect. The nearest success of all steps of all searches is kept.
//
// Deviations: one start, the clean row, where the paper has several (as in the authors' code); without a box
// x' = w; a loss other than the difference replaces L in the gradient alone. A step moves a value by up to
// `step`, so that distances of its size need smaller steps. On linear models of 12 values, 6 searches of
// 2,000 steps of .001 from c = .1 come within .1% of the distance; the defaults within 3%, or 9% of distances
// of about .01.
Attacked run_carlini_wagner(const Problem& problem, const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto searches = static_cast<std::size_t>(given.at("searches"));
  const double confidence = given.at("confidence");
  const Points& clean = problem.clean;
  Problem by_difference = problem;
  by_difference.loss = Loss::difference;
  const RowLoss loss = hinge(problem, by_difference, confidence);
  Nearest nearest(problem, Norm::l2);
  nearest.offer(clean, reached(evaluate(by_difference, clean), confidence));
  std::vector<Factor> factors(clean.n, {given.at("first-constant")});
  Attacked attacked;
  for (std::size_t search = 0; search < searches; ++search) {
    Minimization found = minimize(problem, loss, factors, options, nearest);
    for (std::size_t i = 0; i < clean.n; ++i) factors[i].update(found.success[i] != 0);
    if (search == 0) attacked.zero_gradient = std::move(found.zero_gradient);
  }
  attacked.x = confirmed(problem, nearest);
  return attacked;
}

}  // namespace

AttackMember carlini_wagner() {
  return {{{"carlini-wagner",
            "minimum-norm attack: Adam on distance plus c times the margin, c by bisection",
            "Carlini and Wagner, Towards evaluating the robustness of neural networks, IEEE S&P 2017",
            {{"steps", 1000, 1, 1e6, "gradient steps per search", true},
             {"searches", 9, 1, 100, "values of c", true},
             {"step", .01, 1e-9, 1e6, "learning rate of Adam"},
             {"first-constant", .01, 1e-9, 1e9, "first value of c"},
             {"confidence", 0, 0, 1e6, "difference of logits to reach"}}},
           /*minimum_norm=*/true,
           {Norm::l2}},
          /*gradients=*/true,
          run_carlini_wagner};
}

}  // namespace leeway::attack
