#include "leeway/error_bound/detail/concentration.h"

#include <algorithm>
#include <cmath>

#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }

// Sums of squared deviations from the mean.
double source_squares(const Counts& c) {
  const double net = real(c.wrong_agreed) - real(c.right_disagreed);
  return real(c.wrong_agreed + c.right_disagreed) - net * net / real(c.n_source);
}

double target_squares(const Counts& c) {
  return real(c.target_disagreed) * (1 - real(c.target_disagreed) / real(c.n_target));
}

double deviation_bound(double squares, std::size_t n, double width, double log_term, double most) {
  if (n < 2) return most;
  const double degrees = real(n - 1);
  return std::min(most,
                  std::sqrt(std::max(0., squares) / degrees) + width * std::sqrt(2 * log_term / degrees));
}

struct Bets {
  double source = 0, target = 0;
};

double log_source(const Counts& c, double bet, double a) {
  const double zeros = real(c.n_source - c.wrong_agreed - c.right_disagreed);
  return real(c.wrong_agreed) * std::log1p(bet * (a - 1)) + zeros * std::log1p(bet * a) +
         real(c.right_disagreed) * std::log1p(bet * (a + 1));
}

double log_target(const Counts& c, double bet, double b) {
  return real(c.target_disagreed) * std::log1p(bet * (b - 1)) +
         real(c.n_target - c.target_disagreed) * std::log1p(bet * b);
}

// The x in [low, high] up to which the rising `wealth` stays below `level`, rounded up.
template <class Wealth>
double last_below(const Wealth& wealth, double level, double low, double high) {
  if (wealth(high) < level) return high;
  if (wealth(low) >= level) return low;
  for (int i = 0; i < 60; ++i) {
    const double middle = low + (high - low) / 2;
    (wealth(middle) < level ? low : high) = middle;
  }
  return high;
}

// Bets proportional to the tilt t at which t x - t^2 v / 2 reaches `level` at the smallest x. Counts are
// smoothed by one row of each kind, so that no variance is 0.
Bets bets_for(const Counts& guess, double level, bool source, bool target, std::size_t n_source,
              std::size_t n_target) {
  const double from_source = (source_squares(guess) + 2) / (real(guess.n_source) + 3) / real(n_source);
  const double from_target = (target_squares(guess) + .5) / (real(guess.n_target) + 2) / real(n_target);
  const double variance = (source ? from_source : 0) + (target ? from_target : 0);
  const double tilt = std::sqrt(2 * level / variance);
  return {std::min(tilt / real(n_source), .49), std::min(tilt / real(n_target), .98)};
}

}  // namespace

double Counts::mean_source() const { return (real(wrong_agreed) - real(right_disagreed)) / real(n_source); }
double Counts::mean_target() const { return real(target_disagreed) / real(n_target); }

double hoeffding_term(std::size_t n_source, std::size_t n_target, double delta) {
  return std::sqrt((real(n_source) + 4 * real(n_target)) * -std::log(delta) /
                   (2 * real(n_source) * real(n_target)));
}

double hoeffding_bound(const Counts& c, double delta) {
  return c.mean_source() + c.mean_target() + hoeffding_term(c.n_source, c.n_target, delta);
}

double empirical_bernstein_bound(const Counts& c, double delta) {
  const double log_term = std::log(3 / delta);
  const double a = deviation_bound(source_squares(c), c.n_source, 2, log_term, 1);
  const double b = deviation_bound(target_squares(c), c.n_target, 1, log_term, .5);
  const double variance = a * a / real(c.n_source) + b * b / real(c.n_target);
  const double most = std::max(2 / real(c.n_source), 1 / real(c.n_target));
  return c.mean_source() + c.mean_target() + std::sqrt(2 * variance * log_term) + most * log_term / 3;
}

double betting_bound(const Counts& c, const Counts& guess, double delta) {
  const double alone = std::log(20 / delta), both = std::log(1 / (.9 * delta));
  const double source_bet = bets_for(guess, alone, true, false, c.n_source, c.n_target).source;
  const double target_bet = bets_for(guess, alone, false, true, c.n_source, c.n_target).target;
  const double most_a = last_below([&](double a) { return log_source(c, source_bet, a); }, alone, -1, 1);
  const double most_b = last_below([&](double b) { return log_target(c, target_bet, b); }, alone, 0, 1);

  const Bets bets = bets_for(guess, both, true, true, c.n_source, c.n_target);
  const double at_most_a = log_source(c, bets.source, most_a), at_most_b = log_target(c, bets.target, most_b);
  const double b =
      last_below([&](double x) { return at_most_a + log_target(c, bets.target, x); }, both, 0, most_b);
  const double a =
      last_below([&](double x) { return at_most_b + log_source(c, bets.source, x); }, both, -1, most_a);
  return std::max(most_a + b, a + most_b);
}

}  // namespace leeway::error_bound
