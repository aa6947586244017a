#include "leeway/attack/detail/apgd.h"

#include <algorithm>

#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

// One run; all vectors have one entry per row. Equations in detail/apgd.h.
class ApgdRun {
 public:
  ApgdRun(const Ball& ball, double eps, Points start, Evaluation here)
      : ball_(ball),
        x_(std::move(start)),
        previous_(x_),
        best_x_(x_),
        gradient_(std::move(here.gradient)),
        best_gradient_(gradient_),
        value_(std::move(here.value)),
        best_value_(value_),
        checked_value_(value_),
        step_(x_.n, 2 * eps),
        rises_(x_.n),
        halved_(x_.n) {}

  [[nodiscard]] const Points& x() const { return x_; }

  void move(float a) {
    for_rows(x_, [&](std::size_t i) {
      const MutableRow x = x_.row(i), before = previous_.row(i);
      std::vector<float> z(x.begin(), x.end());
      ball_.step(i, z, gradient_.row(i), step_[i]);
      for (std::size_t j = 0; j < x.size(); ++j) {
        const float here = x[j];
        x[j] = here + a * (z[j] - here) + (1 - a) * (here - before[j]);
        before[j] = here;
      }
      ball_.project(i, x);
    });
  }

  void record(Evaluation here) {
    gradient_ = std::move(here.gradient);
    for (std::size_t i = 0; i < x_.n; ++i) {
      rises_[i] += here.value[i] > value_[i];
      if (!(here.value[i] > best_value_[i])) continue;
      best_value_[i] = here.value[i];
      std::ranges::copy(x_.row(i), best_x_.row(i).begin());
      std::ranges::copy(gradient_.row(i), best_gradient_.row(i).begin());
    }
    value_ = std::move(here.value);
  }

  // period: steps since the last checkpoint
  void check(std::size_t period, double rho) {
    for (std::size_t i = 0; i < x_.n; ++i) {
      const bool few_rises = static_cast<double>(rises_[i]) < rho * static_cast<double>(period);
      halved_[i] = few_rises || (halved_[i] == 0 && best_value_[i] == checked_value_[i]);
      rises_[i] = 0, checked_value_[i] = best_value_[i];
      if (halved_[i] == 0) continue;
      step_[i] /= 2;
      value_[i] = best_value_[i];
      std::ranges::copy(best_x_.row(i), x_.row(i).begin());
      std::ranges::copy(best_gradient_.row(i), gradient_.row(i).begin());
    }
  }

 private:
  const Ball& ball_;
  Points x_, previous_, best_x_, gradient_, best_gradient_;
  std::vector<double> value_, best_value_,
      checked_value_;  // checked_value_: best_value_ at the last checkpoint
  std::vector<double> step_;
  std::vector<std::size_t> rises_;    // since the last checkpoint
  std::vector<std::uint8_t> halved_;  // at the last checkpoint
};

// Cross-entropy, the paper's loss, is log(1 + e^m), m the loss `margin`. It increases with m, and its
// gradient is a positive multiple of the gradient of m. Auto-PGD uses directions of gradients and the order
// of losses of one row, also in both conditions for the step size. So both losses give the same run, except
// where cross-entropy rounds. `margin` is the default, because the float32 gradient of cross-entropy
// underflows to 0 on rows of high confidence.
//
// Deviations: projection onto ball and box at once; the start is uniform in the ball, in the authors' program
// on its sphere (l_2) or on a face (l_inf); a success is kept before a larger loss; successful rows continue. As
// there, the clean row is no candidate.
Attacked run_apgd(const Problem& problem, const AttackOptions& options) {
  const Ball ball(problem.clean, options.norm, options.eps.value(), problem.box);
  const RowLoss loss = loss_of(problem);
  Best best;
  std::vector<std::uint8_t> zero_gradient(problem.clean.n, 1);
  const auto restarts = static_cast<std::uint32_t>(options.parameters.at("restarts"));
  for (std::uint32_t restart = 0; restart < restarts; ++restart) {
    Points start = ball.random(options.seed, stream("apgd start") + restart, problem.keys);
    const auto zero = auto_pgd(problem, ball, options, loss, std::move(start), best);
    for (std::size_t i = 0; i < zero.size(); ++i) zero_gradient[i] &= zero[i];
  }
  return {best.points(), std::move(zero_gradient)};
}

}  // namespace

// In percent, so that ceil(p_j steps) is exact.
std::vector<std::size_t> apgd_checkpoints(std::size_t steps) {
  std::vector<std::size_t> checkpoints;
  for (std::size_t percent = 22, period = 22; percent <= 100;) {
    const std::size_t checkpoint = (percent * steps + 99) / 100;
    if (checkpoints.empty() || checkpoint > checkpoints.back()) checkpoints.push_back(checkpoint);
    period = std::max<std::size_t>(period - 3, 6);
    percent += period;
  }
  return checkpoints;
}

std::vector<std::uint8_t> auto_pgd(const Problem& problem, const Ball& ball, const AttackOptions& options,
                                   const RowLoss& loss, Points start, Best& best) {
  const auto steps = static_cast<std::size_t>(options.parameters.at("steps"));
  const double rho = options.parameters.at("rho");
  Evaluation first = evaluate_with_gradient(problem, start, loss);
  best.offer(start, first);
  std::vector<std::uint8_t> zero = zero_rows(first.gradient);
  ApgdRun run(ball, options.eps.value(), std::move(start), std::move(first));
  const std::vector<std::size_t> checkpoints = apgd_checkpoints(steps);
  auto checkpoint = checkpoints.begin();
  std::size_t checked = 0;
  for (std::size_t step = 1; step <= steps; ++step) {
    run.move(step == 1 ? 1.f : .75f);
    Evaluation here = evaluate_with_gradient(problem, run.x(), loss);
    best.offer(run.x(), here);
    run.record(std::move(here));
    if (checkpoint == checkpoints.end() || step != *checkpoint) continue;
    run.check(step - checked, rho);
    checked = *checkpoint++;
  }
  return zero;
}

AttackMember apgd() {
  return {{{"apgd",
            "Auto-PGD: gradient ascent with momentum; the step size is halved where the loss stops rising",
            "Croce & Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse "
            "parameter-free attacks, ICML 2020",
            {{"steps", 100, 1, 1e6, "gradient steps", true},
             {"restarts", 1, 1, 1e6, "random starts per image", true},
             {"rho", .75, 0, 1, "halve the step size if the loss rose in a smaller share of steps"}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2},
           Loss::margin},
          /*gradients=*/true,
          run_apgd,
          /*parts=*/nullptr,
          /*own_loss=*/false,
          /*leaves=*/false,
          /*spares=*/true};
}

}  // namespace leeway::attack
