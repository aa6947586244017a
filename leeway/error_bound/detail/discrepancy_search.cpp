#include "leeway/error_bound/detail/discrepancy_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/detail/lifted_class.h"
#include "leeway/error_bound/detail/quasi_newton.h"

namespace leeway::error_bound {
namespace {

using Parameters = std::vector<float>;

constexpr std::size_t restart_iterations = 8, d_bat_iterations = 40, ascent_iterations = 6, lifts = 4,
                      few_classes = 16, neighbours_tried = 12, least_descent = 2, most_descent = 40,
                      full_descents = 3;
// Rows times parameters: of the plain surrogate, at most; of all neighbors of a restart; of all steps of a descent.
constexpr std::size_t most_plain_products = std::size_t{1} << 30, neighbour_products = std::size_t{1} << 29,
                      descent_products = std::size_t{1} << 34;
constexpr double first_change = .8;         // of a descent, as a share of the critic's length
constexpr double sharpness[] = {2, 6, 18};  // typical lead of a score over another, stage by stage
constexpr double ratios[] = {1, 2, .5, 4, .25, 8, 16, .125};

enum class Kind { ratio, classifier, one_class, random_weights, random_start };
struct SurrogateProblem {
  Kind kind;
  std::size_t turn;  // how many of the kind came before
};

// The plain surrogate (first ratio), two single classes, ...; if the plain optimum is not useful,
// the classifier's own predictions come second.
SurrogateProblem problem_of(std::size_t index, bool useful) {
  constexpr Kind kinds[] = {Kind::ratio, Kind::one_class, Kind::one_class, Kind::random_weights,
                            Kind::random_start};
  if (!useful && index == 1) return {Kind::classifier, 0};
  if (!useful && index > 1) --index;
  const std::size_t round = index / std::size(kinds), at = index % std::size(kinds);
  return {kinds[at], kinds[at] == Kind::one_class ? 2 * round + at - 1 : round};
}

std::vector<float> even_weights(const CriticRows& rows, double total) {
  std::vector<float> weights(rows.n());
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] =
        static_cast<float>(total / static_cast<double>(i < rows.n_source ? rows.n_source : rows.n_target));
  return weights;
}

// By how much the share of predictions falls from source to target, class by class.
std::vector<double> falls(const CriticRows& rows) {
  std::vector<double> fall(rows.k);
  for (std::size_t i = 0; i < rows.n(); ++i)
    fall[static_cast<std::size_t>(rows.y[i])] +=
        i < rows.n_source ? 1 / static_cast<double>(rows.n_source) : -1 / static_cast<double>(rows.n_target);
  return fall;
}

// Classes predicted on target rows, those first whose share exceeds the source's most: there disagreement pays.
std::vector<std::size_t> classes_by_excess(const CriticRows& rows) {
  std::vector<std::size_t> count(rows.k), classes(rows.k);
  for (std::size_t i = rows.n_source; i < rows.n(); ++i) ++count[static_cast<std::size_t>(rows.y[i])];
  const std::vector<double> fall = falls(rows);
  std::iota(classes.begin(), classes.end(), 0);
  std::ranges::stable_sort(classes, {}, [&](std::size_t c) { return fall[c]; });
  std::erase_if(classes, [&](std::size_t c) { return count[c] == 0; });
  return classes;
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

// Passes critics on, and keeps the first of those with the largest D.
class BestOf {
 public:
  explicit BestOf(const DiscrepancySearch::Sink& sink) : sink_(sink) {}
  void add(FoundCritic critic) {
    sink_(critic);
    if (best_.theta.empty() || critic.training_discrepancy > best_.training_discrepancy)
      best_ = std::move(critic);
  }
  [[nodiscard]] const FoundCritic& best() const { return best_; }

 private:
  const DiscrepancySearch::Sink& sink_;
  FoundCritic best_;
};

// From .3 to 1.2, evenly, however many are asked for.
double distance_of(std::size_t neighbour) {
  const double turn = static_cast<double>(neighbour) * std::numbers::phi;
  return .3 + .9 * (turn - std::floor(turn));
}

}  // namespace

Objective objective_of(Loss loss) {
  return loss == Loss::d_bat    ? Objective::d_bat
         : loss == Loss::chuang ? Objective::chuang
                                : Objective::logistic;
}

std::vector<std::size_t> classes_by_fall(const CriticRows& rows) {
  const std::vector<double> fall = falls(rows);
  std::vector<std::size_t> classes(rows.k);
  std::iota(classes.begin(), classes.end(), 0);
  std::ranges::stable_sort(classes, std::greater{}, [&](std::size_t c) { return fall[c]; });
  return classes;
}

double lead_of(const CriticRows& rows, std::span<const float> theta) {
  double total = 0;
  for (std::size_t j = 0; j < rows.d; ++j) {
    double mean = 0, squares = 0;
    for (std::size_t c = 0; c < rows.k; ++c)
      mean += double(theta[rows.at(j, c)]) / static_cast<double>(rows.k);
    for (std::size_t c = 0; c < rows.k; ++c) squares += std::pow(double(theta[rows.at(j, c)]) - mean, 2);
    total += squares / static_cast<double>(rows.k);
  }
  return std::sqrt(2 * total);
}

DiscrepancySearch::DiscrepancySearch(const CriticRows& rows, std::span<const double> centre,
                                     std::span<const double> scale, Loss loss, std::uint64_t seed,
                                     const std::function<void(std::span<const float>)>& watch,
                                     std::vector<float> imitation)
    : rows_(rows),
      centre_(centre),
      scale_(scale),
      objective_(objective_of(loss)),
      seed_(seed),
      classes_(classes_by_excess(rows)),
      fallen_(classes_by_fall(rows)),
      even_(even_weights(rows, .5)),
      imitation_(std::move(imitation)),
      classifier_(nearest(imitation_)) {
  Descent descent{plain_iterations, 1e-5, {}};
  if (watch) descent.watch = [&](std::span<const float> theta, const Evaluation&) { watch(theta); };
  if (!few() && rows_.n() * rows_.parameters() > most_plain_products) return;
  plain_ = minimise([&](std::span<const float> theta) { return evaluate(rows_, theta, objective_, even_); },
                    uniform_start(0), descent);
  useful_ = 2 * agreement(rows_, plain_).source > rows_.n_source;
}

std::vector<float> DiscrepancySearch::uniform_start(std::size_t index) const {
  Parameters theta(rows_.parameters());
  Random random(seed_, stream("critic start"), index);
  const double size = 1 / std::sqrt(static_cast<double>(rows_.d));
  for (std::size_t c = 0; c < rows_.k; ++c) {
    double bias = (2 * random.uniform() - 1) * size;
    for (std::size_t j = 0; j < rows_.d; ++j) {
      const double raw = (2 * random.uniform() - 1) * size;
      bias += raw * centre_[j];
      theta[rows_.at(j, c)] = static_cast<float>(std::clamp(raw * scale_[j], -100., 100.));
    }
    theta[rows_.at(rows_.d, c)] = static_cast<float>(std::clamp(bias, -100., 100.));
  }
  return theta;
}

std::vector<float> DiscrepancySearch::gaussian_start(std::size_t index) const {
  Parameters theta(rows_.parameters());
  Random random(seed_, stream("critic gaussian"), index);
  for (std::size_t c = 0; c < rows_.k; ++c)
    for (std::size_t j = 0; j <= rows_.d; ++j) theta[rows_.at(j, c)] = static_cast<float>(random.normal());
  return theta;
}

std::vector<float> DiscrepancySearch::surrogate(Objective objective, std::vector<float> start,
                                                std::span<const float> weights,
                                                std::size_t iterations) const {
  return minimise([&](std::span<const float> theta) { return evaluate(rows_, theta, objective, weights); },
                  std::move(start), {iterations, 1e-4, {}});
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

std::vector<float> DiscrepancySearch::weights_of(std::size_t problem) const {
  std::vector<float> weights = even_;
  const auto [kind, turn] = problem_of(problem, useful_);
  const std::size_t wanted = classes_[turn % classes_.size()];
  Random random(seed_, stream("critic weights"), problem);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const bool target = i >= rows_.n_source;
    if (kind == Kind::ratio && target) weights[i] *= static_cast<float>(ratios[turn % std::size(ratios)]);
    if (kind == Kind::one_class && target && static_cast<std::size_t>(rows_.y[i]) != wanted)
      weights[i] *= .01f;
    if (kind == Kind::random_weights) weights[i] *= static_cast<float>(-std::log(random.uniform()));
  }
  return weights;
}

FoundCritic DiscrepancySearch::ascend(std::vector<float> theta) const {
  const std::vector<float> weights = even_weights(rows_, 1);
  FoundCritic best;
  best.training_discrepancy = -2;
  const auto watch = [&](std::span<const float> at, const Evaluation& evaluation) {
    FoundCritic found = found_critic(rows_, Parameters(at.begin(), at.end()), evaluation.agreed);
    if (found.training_discrepancy > best.training_discrepancy) best = std::move(found);
  };
  for (const double lead : sharpness) {
    const double now = lead_of(rows_, theta);
    if (now > 0)
      for (float& value : theta) value *= static_cast<float>(lead / now);
    theta =
        minimise([&](std::span<const float> at) { return evaluate(rows_, at, Objective::smooth, weights); },
                 std::move(theta), {ascent_iterations, 1e-4, watch});
  }
  return best;
}

// Steps along a bias, the scores of a class (twice), all parameters, and so on.
FoundCritic DiscrepancySearch::polish(FoundCritic critic, std::size_t index) const {
  Random random(seed_, stream("critic line"), index);
  std::optional<Leads> known;  // of the critic as it is
  for (std::size_t line = 0; line < line_searches(rows_); ++line) {
    const auto c = static_cast<std::size_t>(random.below(rows_.k));
    const bool all = line % 4 == 3, mixed = all && !few();
    Parameters direction(all ? rows_.parameters() : rows_.width);
    for (std::size_t i = line % 4 == 0 ? rows_.d : 0; i < direction.size() && !mixed; ++i)
      if (i % rows_.width <= rows_.d) direction[i] = static_cast<float>(random.normal());
    if (mixed) direction = mixture(classifier_.theta, random);
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
  BestOf found(sink);
  if (index % 2 == 0) {
    found.add(classifier_);
  } else {
    Random random(seed_, stream("critic noise"), index);
    Parameters noise = few() ? gaussian_start(index) : mixture(classifier_.theta, random);
    const double size = few() ? lead_of(rows_, classifier_.theta) / lead_of(rows_, noise) : 1;
    for (float& value : noise) value *= static_cast<float>(size);
    const auto c = static_cast<float>(distance_of(index));
    for (const float step : {c, best_step(rows_, classifier_.theta, noise).step}) {
      Parameters theta = classifier_.theta;
      add(theta, 0, step, noise);
      found.add(found_critic(rows_, std::move(theta)));
    }
  }
  for (std::size_t round = 0; round < std::min(lifts, rows_.k); ++round) {
    const std::size_t c = fallen_[(2 * index + round) % rows_.k];
    for (FoundCritic& lifted : lift_class(rows_, found.best().theta, c)) found.add(std::move(lifted));
  }
  return found.best();
}

// A critic's scores, mixed at random: as large as its own.
std::vector<float> DiscrepancySearch::mixture(std::span<const float> theta, Random& random) const {
  Parameters mixed = neighbour(rows_, theta, 1, random);
  add(mixed, 0, -1, theta);
  return mixed;
}

// Of the imitation as it was given, not of the critic learnt from it: those have a smaller D. Where none was learnt, line
// searches gain nothing.
FoundCritic DiscrepancySearch::neighbours(std::size_t index, const Sink& sink) const {
  BestOf found(sink);
  const bool learnt = classifier_.theta != imitation_;
  FoundCritic best = learnt ? found_critic(rows_, imitation_) : classifier_;
  const std::size_t numbers =
      learnt ? rows_.parameters() / 16 : 16 * rows_.k;  // a line search costs the more
  const std::size_t count =
      std::clamp<std::size_t>(neighbour_products / (rows_.n() * numbers), 2, neighbours_tried);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = index * neighbours_tried + i;
    Random random(seed_, stream("critic neighbour"), number);
    found.add(found_critic(rows_, neighbour(rows_, imitation_, distance_of(number), random)));
    if (!learnt) continue;
    const Parameters direction = mixture(imitation_, random);
    const BestStep step = best_step(rows_, best.theta, direction);
    if (step.gain <= 0) continue;
    add(best.theta, 0, step.step, direction);
    best = found_critic(rows_, std::move(best.theta));
    found.add(best);
  }
  return found.best();
}

// Every step of a descent from the classifier counts: D on other rows soon falls again.
FoundCritic DiscrepancySearch::descent(std::size_t index, const Sink& sink) const {
  constexpr Objective objectives[] = {Objective::d_bat, Objective::smooth, Objective::logistic};
  constexpr std::size_t turns = std::size(objectives);
  const Objective objective = objective_ == Objective::logistic ? objectives[index % turns] : objective_;
  const Parameters weights = weights_of(index / turns);
  BestOf found(sink);
  const auto watch = [&](std::span<const float> theta, const Evaluation& evaluation) {
    found.add(found_critic(rows_, Parameters(theta.begin(), theta.end()), evaluation.agreed));
  };
  const std::size_t steps =
      std::clamp(descent_products / (rows_.n() * rows_.parameters()), least_descent, most_descent);
  (void)minimise([&](std::span<const float> theta) { return evaluate(rows_, theta, objective, weights); },
                 classifier_.theta, {steps, 1e-4, watch, first_change * length(classifier_.theta)});
  return found.best();
}

std::vector<float> DiscrepancySearch::far_start(std::size_t index) const {
  if (objective_ != Objective::logistic)
    return surrogate(objective_, uniform_start(index), weights_of(index), plain_iterations);
  const Kind kind = problem_of(index, useful_).kind;
  if (kind == Kind::classifier) return classifier_.theta;
  if (kind == Kind::random_start) return gaussian_start(index);
  return index == 0 ? plain_ : surrogate(objective_, plain_, weights_of(index), restart_iterations);
}

FoundCritic DiscrepancySearch::far_from_classifier(std::size_t index, const Sink& sink) const {
  BestOf found(sink);
  const auto start_at = [&](Parameters theta) {
    found.add(found_critic(rows_, theta));
    found.add(ascend(std::move(theta)));
  };
  start_at(far_start(index));
  if (objective_ == Objective::logistic)
    start_at(surrogate(Objective::d_bat, uniform_start(index), weights_of(index), d_bat_iterations));
  return found.best();
}

// As many classes as random starts lead to something near the classifier.
bool DiscrepancySearch::few() const { return rows_.k <= few_classes; }

bool DiscrepancySearch::learnable() const { return rows_.n() >= rows_.parameters(); }

void DiscrepancySearch::restart(std::size_t index, const Sink& sink) const {
  sink(polish(near_classifier(index, sink), index));
  if (few()) return sink(polish(far_from_classifier(index, sink), index));
  if (!imitation_.empty()) sink(polish(neighbours(index, sink), index));
  if (index >= full_descents && !learnable()) return;
  const FoundCritic found = descent(index, sink);
  if (learnable()) sink(polish(found, index));
}

}  // namespace leeway::error_bound
