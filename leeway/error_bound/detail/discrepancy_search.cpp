#include "leeway/error_bound/detail/discrepancy_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/detail/lifted_class.h"
#include "leeway/error_bound/detail/quasi_newton.h"

namespace leeway::error_bound {
namespace {

using Parameters = std::vector<float>;

constexpr std::size_t lifts = 4, neighbours_tried = 12, least_descent = 2, most_descent = 40,
                      full_descents = 3;  // ways that begin at the classifier as it is
// Limits of rows times parameters: for cheap passes, the plain surrogate, the neighbors of a restart, the steps of a descent.
constexpr std::size_t cheap_products = std::size_t{1} << 26, most_plain_products = std::size_t{1} << 30,
                      neighbour_products = std::size_t{1} << 29, descent_products = std::size_t{1} << 34;
constexpr double first_change = .8;  // of a descent, as a share of the critic's length

// A descent from the classifier, made softer by a factor, or from the optimum of the plain surrogate.
struct Way {
  Objective objective = Objective::d_bat;
  float factor = 1;
  bool from_plain = false;
};
constexpr Way ways[] = {{Objective::d_bat},
                        {Objective::smooth},
                        {Objective::logistic},
                        {Objective::d_bat, .1f},
                        {Objective::smooth, 1, true}};

// 1/(2 n_S) and 1/(2 n_T).
std::vector<float> even_weights(const CriticRows& rows) {
  std::vector<float> weights(rows.n(), .5f / static_cast<float>(rows.n_target));
  std::fill_n(weights.begin(), rows.n_source, .5f / static_cast<float>(rows.n_source));
  return weights;
}

// Cheap on few rows, where much can be gained and overfitting is the point; a handful on many.
std::size_t line_searches(const CriticRows& rows) {
  return std::clamp<std::size_t>(40000 / std::max<std::size_t>(1, rows.n() * ((rows.k + 15) / 16)), 4, 400);
}

void add(Parameters& theta, std::size_t first, float step, std::span<const float> direction) {
  for (std::size_t i = 0; i < direction.size(); ++i) theta[first + i] += step * direction[i];
}

double length(std::span<const float> theta) {
  double squares = 0;
  for (const float value : theta) squares += double(value) * double(value);
  return std::sqrt(squares);
}

// From .3 to 1.2, evenly, however many are asked for.
double distance_of(std::size_t neighbour) {
  const double turn = static_cast<double>(neighbour) * std::numbers::phi;
  return .3 + .9 * (turn - std::floor(turn));
}

// Passes a critic on, and keeps it if its D is the largest so far.
void pass_on(FoundCritic critic, const DiscrepancySearch::Sink& sink, FoundCritic& best) {
  sink(critic);
  if (best.theta.empty() || critic.training_discrepancy > best.training_discrepancy) best = std::move(critic);
}

}  // namespace

// U(-1/sqrt d, 1/sqrt d) for the raw columns, as papers start.
std::vector<float> DiscrepancySearch::uniform_start(std::span<const double> centre,
                                                    std::span<const double> scale) const {
  Parameters theta(rows_.parameters());
  Random random(seed_, stream("critic start"));
  const double size = 1 / std::sqrt(static_cast<double>(rows_.d));
  for (std::size_t c = 0; c < rows_.k; ++c) {
    double bias = (2 * random.uniform() - 1) * size;
    for (std::size_t j = 0; j < rows_.d; ++j) {
      const double raw = (2 * random.uniform() - 1) * size;
      bias += raw * centre[j];
      theta[rows_.at(j, c)] = static_cast<float>(std::clamp(raw * scale[j], -100., 100.));
    }
    theta[rows_.at(rows_.d, c)] = static_cast<float>(std::clamp(bias, -100., 100.));
  }
  return theta;
}

Objective objective_of(Loss loss) {
  return loss == Loss::d_bat    ? Objective::d_bat
         : loss == Loss::chuang ? Objective::chuang
                                : Objective::logistic;
}

std::vector<std::size_t> classes_by_fall(const CriticRows& rows) {
  std::vector<double> fall(rows.k);
  for (std::size_t i = 0; i < rows.n(); ++i)
    fall[static_cast<std::size_t>(rows.y[i])] +=
        i < rows.n_source ? 1 / static_cast<double>(rows.n_source) : -1 / static_cast<double>(rows.n_target);
  std::vector<std::size_t> classes = all_rows(rows.k);
  std::ranges::stable_sort(classes, std::greater{}, [&](std::size_t c) { return fall[c]; });
  return classes;
}

DiscrepancySearch::DiscrepancySearch(const CriticRows& rows, std::span<const double> centre,
                                     std::span<const double> scale, Loss loss, std::uint64_t seed,
                                     const std::function<void(std::span<const float>)>& watch,
                                     std::vector<float> imitation)
    : rows_(rows),
      objective_(objective_of(loss)),
      seed_(seed),
      fallen_(classes_by_fall(rows)),
      even_(even_weights(rows)),
      imitation_(std::move(imitation)),
      classifier_(nearest(imitation_)) {
  Descent descent{plain_iterations, 1e-5, {}};
  if (watch) descent.watch = [&](std::span<const float> theta, const Evaluation&) { watch(theta); };
  if (rows_.n() * rows_.parameters() > most_plain_products) return;
  plain_ = minimise([&](std::span<const float> theta) { return evaluate(rows_, theta, objective_, even_); },
                    uniform_start(centre, scale), descent);
}

// By cross-entropy on the source alone: of all iterates the one that agrees there most.
FoundCritic DiscrepancySearch::nearest(std::vector<float> imitation) const {
  if (imitation.empty()) imitation.resize(rows_.parameters());
  std::size_t most = agreement(rows_, imitation).source;
  if (100 * most >= 99 * rows_.n_source) return found_critic(rows_, std::move(imitation));
  Parameters best = imitation, weights = even_;
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(rows_.n_source), weights.end(), 0.f);
  const auto watch = [&](std::span<const float> theta, const Evaluation& evaluation) {
    const std::size_t agreed = agreement_of(rows_.n_source, evaluation.agreed).source;
    if (agreed <= most) return;
    most = agreed;
    best.assign(theta.begin(), theta.end());
  };
  (void)minimise(
      [&](std::span<const float> theta) { return evaluate(rows_, theta, Objective::logistic, weights); },
      std::move(imitation), {plain_iterations, 1e-4, watch});
  return found_critic(rows_, std::move(best));
}

// Even; disagreement on one class and on another, those first whose share of predictions rises most; random; and so on.
std::vector<float> DiscrepancySearch::weights_of(std::size_t index) const {
  std::vector<float> weights = even_;
  if (index == 0) return weights;
  const std::size_t rises = fallen_[rows_.k - 1 - (index - 1 - index / 3) % rows_.k];
  Random random(seed_, stream("critic weights"), index);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (index % 3 == 0)
      weights[i] *= static_cast<float>(-std::log(random.uniform()));
    else if (i >= rows_.n_source && static_cast<std::size_t>(rows_.y[i]) != rises)
      weights[i] *= .01f;
  }
  return weights;
}

// Steps along a bias, the scores of a class (twice), random parameters, and so on.
FoundCritic DiscrepancySearch::polish(FoundCritic critic, std::size_t index) const {
  Random random(seed_, stream("critic line"), index);
  std::optional<Leads> known;  // of the critic as it is
  for (std::size_t line = 0; line < line_searches(rows_); ++line) {
    const auto c = static_cast<std::size_t>(random.below(rows_.k));
    const bool all = line % 4 == 3;
    Parameters direction = all ? mixture(classifier_.theta, random) : Parameters(rows_.width);
    for (std::size_t i = line % 4 == 0 ? rows_.d : 0; i <= rows_.d && !all; ++i)
      direction[i] = static_cast<float>(random.normal());
    if (!all && !known) known = leads(rows_, critic.theta);
    const BestStep best = all ? best_step(rows_, critic.theta, direction)
                              : best_class_step(rows_, *known, critic.theta, c, direction);
    if (best.gain <= 0) continue;
    Parameters theta = critic.theta;
    add(theta, all ? 0 : rows_.at(0, c), best.step, direction);
    FoundCritic next = found_critic(rows_, std::move(theta));
    if (next.training_discrepancy <= critic.training_discrepancy) continue;
    critic = std::move(next);
    known.reset();
  }
  return critic;
}

// The classifier, or a neighbour whose scores differ from its by c times their size; c from .3 to 1.2, and where D is
// largest. Then classes of it are lifted one after the other.
FoundCritic DiscrepancySearch::near_classifier(std::size_t index, const Sink& sink) const {
  FoundCritic found;
  if (index % 2 == 0) {
    pass_on(classifier_, sink, found);
  } else {
    Random random(seed_, stream("critic noise"), index);
    const Parameters direction = mixture(classifier_.theta, random);
    const auto c = static_cast<float>(distance_of(index));
    for (const float step : {c, best_step(rows_, classifier_.theta, direction).step}) {
      Parameters theta = classifier_.theta;
      add(theta, 0, step, direction);
      pass_on(found_critic(rows_, std::move(theta)), sink, found);
    }
  }
  for (std::size_t round = 0; round < std::min(lifts, rows_.k); ++round) {
    const std::size_t c = fallen_[(2 * index + round) % rows_.k];
    for (FoundCritic& lifted : lift_class(rows_, found.theta, c)) pass_on(std::move(lifted), sink, found);
  }
  return found;
}

bool DiscrepancySearch::cheap() const { return rows_.n() * rows_.parameters() <= cheap_products; }

// A critic's scores, mixed at random: as large as its own.
std::vector<float> DiscrepancySearch::mixture(std::span<const float> theta, Random& random) const {
  Parameters mixed = neighbour(rows_, theta, 1, random);
  add(mixed, 0, -1, theta);
  return mixed;
}

// Neighbors of the imitation as it was given: those of the critic learnt from it have a smaller D. If none was learnt, line
// searches gain nothing.
void DiscrepancySearch::neighbours(std::size_t index, const Sink& sink) const {
  const bool learnt = classifier_.theta != imitation_;
  FoundCritic best = learnt ? found_critic(rows_, imitation_) : classifier_;
  const std::size_t numbers =
      learnt ? rows_.parameters() / 16 : 16 * rows_.k;  // a line search costs the more
  const std::size_t count =
      std::clamp<std::size_t>(neighbour_products / (rows_.n() * numbers), 2, neighbours_tried);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = index * neighbours_tried + i;
    Random random(seed_, stream("critic neighbour"), number);
    sink(found_critic(rows_, neighbour(rows_, imitation_, distance_of(number), random)));
    if (!learnt) continue;
    const Parameters direction = mixture(imitation_, random);
    const BestStep step = best_step(rows_, best.theta, direction);
    if (step.gain <= 0) continue;
    add(best.theta, 0, step.step, direction);
    best = found_critic(rows_, std::move(best.theta));
    sink(best);
  }
}

// Passes on every step, because D on other rows soon falls again.
void DiscrepancySearch::descent(std::size_t way, std::size_t index, const Sink& sink,
                                FoundCritic& found) const {
  const Objective objective = objective_ == Objective::logistic ? ways[way].objective : objective_;
  const Parameters weights = weights_of(index);
  Parameters start = ways[way].from_plain ? plain_ : classifier_.theta;
  for (float& value : start) value *= ways[way].factor;
  const auto watch = [&](std::span<const float> theta, const Evaluation& evaluation) {
    pass_on(found_critic(rows_, Parameters(theta.begin(), theta.end()), evaluation.agreed), sink, found);
  };
  const std::size_t steps =
      std::clamp(descent_products / (rows_.n() * rows_.parameters()), least_descent, most_descent);
  (void)minimise([&](std::span<const float> theta) { return evaluate(rows_, theta, objective, weights); },
                 std::move(start),
                 {steps, 1e-4, watch, std::max(first_change * length(classifier_.theta), 1.)});
}

void DiscrepancySearch::restart(std::size_t index, const Sink& sink) const {
  sink(polish(near_classifier(index, sink), index));
  if (!imitation_.empty()) neighbours(index, sink);
  FoundCritic found;
  const bool all = cheap() && index == 0, learnable = rows_.n() >= rows_.parameters();
  const std::size_t turns = cheap() ? std::size(ways) : full_descents;
  for (std::size_t way = 0; way < turns; ++way)
    if (all || (way == index % turns && (index < turns || learnable)))
      descent(way, cheap() ? index : index / turns, sink, found);
  if ((cheap() || learnable) && !found.theta.empty()) sink(polish(std::move(found), index));
}

}  // namespace leeway::error_bound
