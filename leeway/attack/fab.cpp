#include <algorithm>
#include <cmath>

#include "leeway/attack/detail/nearest_plane.h"
#include "leeway/attack/member.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

constexpr double least_length = 1e-8;  // of moves, so that their ratio is defined
constexpr int search_steps = 6;
constexpr double least_cut = .01;  // of the segment of the final search, at both ends

struct Settings {
  std::size_t steps;
  double alpha_max, eta, beta;
  Norm norm;
};

// x <- clip((1 - alpha) (x + eta u) + alpha (clean + eta v)), alpha = min(|u| / (|u| + |v|), alpha_max), u
// and v the shortest moves inside the box from x and from the clean row to the plane.
void step_to_plane(MutableRow x, Row clean, Row normal, double rise, const Settings& settings,
                   const Box& box) {
  double rise_from_clean = rise;
  for (std::size_t j = 0; j < x.size(); ++j)
    rise_from_clean += static_cast<double>(normal[j]) * (static_cast<double>(x[j]) - clean[j]);
  const std::vector<float> u = move_to_plane(x, normal, rise, settings.norm, box),
                           v = move_to_plane(clean, normal, rise_from_clean, settings.norm, box);
  const double from_x = std::max(norm_of(u, settings.norm), least_length),
               from_clean = std::max(norm_of(v, settings.norm), least_length);
  const double alpha = std::min(from_x / (from_x + from_clean), settings.alpha_max);
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = box.clip(j, static_cast<float>((1 - alpha) * (x[j] + settings.eta * u[j]) +
                                          alpha * (clean[j] + settings.eta * v[j])));
}

// Moves row i from `from` to from + factor (to - from), in the box.
void interpolate(MutableRow row, Row from, Row to, double factor, const Box& box) {
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = box.clip(j, static_cast<float>(from[j] + factor * (static_cast<double>(to[j]) - from[j])));
}

// All steps from one start; returns which rows had no gradient there.
std::vector<std::uint8_t> approach(const Problem& problem, const Settings& settings, const Rivals& rivals,
                                   Points x, Nearest& nearest) {
  std::vector<std::uint8_t> zero_gradient;
  for (std::size_t step = 0; step < settings.steps; ++step) {
    const Planes planes = nearest_planes(problem, x, rivals, settings.norm);
    if (step == 0) zero_gradient = zero_rows(planes.normal);
    for_rows(x, [&](std::size_t i) {
      step_to_plane(x.row(i), problem.clean.row(i), planes.normal.row(i), planes.rise[i], settings,
                    problem.box);
    });
    const std::vector<std::uint8_t> success = evaluate(problem, x).success;
    nearest.offer(x, success);
    for_rows(x, [&](std::size_t i) {
      if (success[i] != 0) interpolate(x.row(i), problem.clean.row(i), x.row(i), settings.beta, problem.box);
    });
  }
  return zero_gradient;
}

// On a random direction from the clean row, half as far as the nearest success. Rows without success start
// within `far`.
Points random_start(const Problem& problem, const Nearest& nearest, Norm norm, std::uint64_t seed,
                    std::uint32_t numbers) {
  const double far = norm == Norm::linf ? .3 : norm == Norm::l2 ? 1 : 5;  // eps of the authors' code
  Points x = problem.clean;
  for_rows(x, [&](std::size_t i) {
    Random random(seed, numbers, problem.keys[i]);
    std::vector<float> direction(x.d);
    for (float& value : direction)
      value = static_cast<float>(norm == Norm::linf ? 2 * random.uniform() - 1 : random.normal());
    const double least = nearest.norms()[i];
    const double length = (std::isfinite(least) ? least : far) / 2 / norm_of(direction, norm);
    const MutableRow row = x.row(i);
    for (std::size_t j = 0; j < x.d; ++j)
      row[j] = problem.box.clip(j, static_cast<float>(row[j] + length * direction[j]));
  });
  return x;
}

// On the segment from the clean row (failure) to the nearest point (success), D the difference of the logits:
// t = D(low) / (D(low) - D(high)) of the way between the two ends, one of which moves there.
void final_search(const Problem& problem, Nearest& nearest) {
  struct End {
    double at, difference;
  };
  const Points far = nearest.points();
  const Evaluation clean = evaluate(problem, problem.clean), success = evaluate(problem, far);
  std::vector<End> low(far.n), high(far.n);
  for (std::size_t i = 0; i < far.n; ++i) low[i] = {0, clean.value[i]}, high[i] = {1, success.value[i]};
  Points x = far;
  std::vector<double> at(far.n);
  for (int step = 0; step < search_steps; ++step) {
    for_rows(x, [&](std::size_t i) {
      const double t = low[i].difference / (low[i].difference - high[i].difference);
      const double cut = std::isfinite(t) ? std::clamp(t, least_cut, 1 - least_cut) : .5;
      at[i] = low[i].at + cut * (high[i].at - low[i].at);
      interpolate(x.row(i), problem.clean.row(i), far.row(i), at[i], problem.box);
    });
    const Evaluation here = evaluate(problem, x);
    nearest.offer(x, here.success);
    for (std::size_t i = 0; i < x.n; ++i) (here.success[i] != 0 ? high : low)[i] = {at[i], here.value[i]};
  }
}

// Each step goes to the nearest plane where the linearized logits of the class and of another are equal
// (FAB-T: of one other class), biased towards the clean row and extrapolated by eta; after a success,
// x <- clean + beta (x - clean). Starts: the clean row, then random points. At the end a search on the
// segment from the clean row to the nearest success.
//
// Deviations: restarts begin at half the least norm found, since there is no radius of interest; failures aim
// at a rise of at least 1e-6 sum_j |g_j| max(1, |x_j|), since rows on the boundary would stay; the search has 6 passes
// instead of 3 and cuts at least 1% of its segment at both ends, since on linear models the formula leads to
// the boundary itself, where rounding decides.
//
// A target is reached across the plane between it and the largest other logit. Cost of a step: two forward
// passes, and k - 1 backward passes (FAB-T or a target: one).
Attacked run_fab(const Problem& given, const AttackOptions& options) {
  Problem problem = given;
  problem.loss = Loss::difference;
  const auto& named = options.parameters;
  const Settings settings{static_cast<std::size_t>(named.at("steps")), named.at("alpha-max"), named.at("eta"),
                          named.at("beta"), options.norm};
  const auto restarts = static_cast<std::size_t>(named.at("restarts")),
             targets = static_cast<std::size_t>(named.at("targets"));
  const std::size_t others = problem.classifier.k - 1;
  const std::size_t rounds = problem.targeted ? 1 : std::clamp<std::size_t>(targets, 1, others);
  Nearest nearest(problem, options.norm);
  nearest.offer(problem.clean, evaluate(problem, problem.clean).success);
  std::vector<std::uint8_t> zero_gradient(problem.clean.n, 1);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Rivals rivals = likely_rivals(problem, round, targets == 0 ? others : 1);
    for (std::size_t restart = 0; restart < restarts; ++restart) {
      const auto numbers = stream("fab start") + static_cast<std::uint32_t>(round * restarts + restart);
      const std::vector<std::uint8_t> zero = approach(
          problem, settings, rivals,
          restart == 0 ? problem.clean : random_start(problem, nearest, options.norm, options.seed, numbers),
          nearest);
      for (std::size_t i = 0; i < zero.size(); ++i) zero_gradient[i] &= zero[i];
    }
  }
  final_search(problem, nearest);
  return {nearest.points(), std::move(zero_gradient)};
}

}  // namespace

AttackMember fab() {
  return {
      {{"fab",
        "minimum-norm attack: projections onto the linearized decision boundary within the box",
        "Croce and Hein, Minimally distorted adversarial examples with a fast adaptive boundary attack, ICML "
        "2020",
        {{"steps", 100, 1, 1e6, "steps per start", true},
         {"restarts", 1, 1, 1e6, "starts per image, the first at the image", true},
         {"alpha-max", .1, 0, 1, "largest weight of the step from the image"},
         {"eta", 1.05, 1, 100, "extrapolation beyond the boundary"},
         {"beta", .9, 0, 1, "share of the perturbation that is kept after a success"},
         {"targets", 0, 0, 1e6, "FAB-T: likely wrong classes, tried one at a time; 0: all at once", true}}},
       /*minimum_norm=*/true,
       {Norm::linf, Norm::l2, Norm::l1}},
      /*gradients=*/true,
      run_fab,
      /*parts=*/nullptr,
      /*own_loss=*/true};
}

}  // namespace leeway::attack
