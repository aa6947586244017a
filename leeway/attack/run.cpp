#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "leeway/attack/detail/aim.h"
#include "leeway/core/message.h"
#include "leeway/core/statistics.h"

namespace leeway::attack {
namespace {

double share_of(std::size_t count, std::size_t n) {
  return static_cast<double>(count) / static_cast<double>(n);
}

double share_of(const std::vector<std::uint8_t>& rows, std::uint8_t value) {
  return share_of(static_cast<std::size_t>(std::ranges::count(rows, value)), rows.size());
}

template <class Kept>
std::vector<std::size_t> places_where(std::size_t n, const Kept& kept) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n; ++i)
    if (kept(i)) places.push_back(i);
  return places;
}

// One attack on all rows, judged by fresh passes over what it made.
struct Pass {
  std::vector<float> x;
  std::vector<std::uint8_t> success;
  std::vector<double> norms;
  std::vector<double> right;                     // share of the draws that predict the class
  std::vector<double> accuracies;                // one a draw: share of rows that are right
  std::size_t zero_gradients = 0, attacked = 0;  // attacked: rows with a gradient
  std::vector<std::uint8_t> judged = {};         // successes of the rows of x; empty: not judged yet

  [[nodiscard]] double withstood() const { return share_of(success, 0); }
};

// By a pass over pass.x; -1: another class than that of `classes`.
std::vector<std::int64_t> predictions_of(const Pass& pass, const Aim& aim,
                                         std::span<const std::int64_t> classes) {
  if (pass.judged.empty()) return aim.predictions(pass.x, 1);
  std::vector<std::int64_t> predicted(classes.begin(), classes.end());
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (pass.judged[i] != 0) predicted[i] = -1;
  return predicted;
}

void judge(Pass& pass, const Aim& aim, std::span<const std::int64_t> classes) {
  const std::size_t n = aim.n(), d = aim.target().classifier.d, draws = aim.options().draws;
  std::vector<std::size_t> successes(n), rights(n);
  pass.accuracies.clear();
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const std::vector<std::int64_t> predicted = predictions_of(pass, aim, classes);
    std::size_t right = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool hit = predicted[i] == classes[i];
      right += hit, rights[i] += hit;
      successes[i] += aim.targeted() ? predicted[i] == aim.options().targets[i] : !hit;
    }
    pass.accuracies.push_back(share_of(right, n));
  }
  pass.success.resize(n), pass.right.resize(n), pass.norms.resize(n);
  parallel_for(n, [&](std::size_t i) {
    pass.success[i] = 2 * successes[i] > draws, pass.right[i] = share_of(rights[i], draws);
    pass.norms[i] = pass.success[i] != 0
                        ? distance(Row(pass.x).subspan(i * d, d), aim.target().x.subspan(i * d, d),
                                   aim.options().norm, aim.target().grid)
                        : std::numeric_limits<double>::infinity();
  });
}

Pass unattacked(const Aim& aim, std::span<const std::int64_t> classes) {
  Pass pass;
  pass.x.assign(aim.target().x.begin(), aim.target().x.end());
  judge(pass, aim, classes);
  return pass;
}

using RunBlock = std::function<Attacked(const Problem&)>;

// A block of an earlier run where there is one of these rows: a randomized model may have left others to a later stage.
FinishedBlock block_of(FinishedBlocks* finished, std::size_t stage, const Problem& problem,
                       const RunBlock& run, std::vector<std::optional<bool>>& judged) {
  if (finished != nullptr)
    if (auto found = finished->find(stage, problem.keys.front());
        found && std::ranges::equal(found->rows, problem.keys) &&
        found->x.size() == problem.clean.values.size())
      return *std::move(found);
  Attacked attacked = run(problem);
  judged = std::move(attacked.judged);
  if (problem.to_grid) for_rows(attacked.x, [&](std::size_t i) { problem.to_grid(i, attacked.x.row(i)); });
  FinishedBlock block{{problem.keys.begin(), problem.keys.end()}, std::move(attacked.x.values)};
  block.zero_gradients =
      static_cast<std::size_t>(std::ranges::count(attacked.zero_gradient, std::uint8_t{1}));
  if (finished != nullptr) finished->keep(stage, block);
  return block;
}

// Successes of a block by forward passes over x; `known`: those of the attack's own last pass.
std::vector<std::uint8_t> successes_of(const Problem& problem, const Points& x,
                                       std::vector<std::optional<bool>> known) {
  known.resize(x.n);
  const Part open(problem, places_where(x.n, [&](std::size_t i) { return !known[i]; }));
  if (open.rows().size() == x.n) return evaluate(problem, x).success;
  std::vector<std::uint8_t> success(x.n);
  for (std::size_t i = 0; i < x.n; ++i) success[i] = known[i] == true;
  if (open.rows().empty()) return success;
  const std::vector<std::uint8_t> found = evaluate(open.problem(), open.points(x)).success;
  for (std::size_t j = 0; j < found.size(); ++j) success[open.rows()[j]] = found[j];
  return success;
}

// `clean`: gets the successes at the clean rows; then pass.judged is filled, too, unless passes differ.
Pass attack_rows(const Aim& aim, std::span<const std::int64_t> classes, std::string_view task,
                 std::size_t stage, const RunBlock& run, std::vector<std::uint8_t>* clean = nullptr) {
  Pass pass;
  pass.x.resize(aim.target().x.size());
  const bool judges = clean && !aim.target().varies;
  if (judges) pass.judged.resize(aim.n());
  if (clean) clean->resize(aim.n());
  std::atomic<std::size_t> zero_gradients{0};
  aim.for_problems(classes, task, [&](std::size_t begin, const Problem& problem) {
    const auto at = [begin](auto& all) { return all.begin() + static_cast<std::ptrdiff_t>(begin); };
    std::vector<std::optional<bool>> judged;
    FinishedBlock found = block_of(aim.finished(), stage, problem, run, judged);
    std::ranges::copy(found.x, pass.x.begin() + static_cast<std::ptrdiff_t>(begin * problem.clean.d));
    if (judges)
      std::ranges::copy(
          successes_of(problem, {problem.clean.n, problem.clean.d, std::move(found.x)}, std::move(judged)),
          at(pass.judged));
    if (clean) std::ranges::copy(evaluate(problem, problem.clean).success, at(*clean));
    zero_gradients += found.zero_gradients;
  });
  pass.zero_gradients = zero_gradients, pass.attacked = aim.n();
  return pass;
}

Pass run_pass(const Aim& aim, std::span<const std::int64_t> classes, std::string_view task, std::size_t stage,
              const RunBlock& run, std::vector<std::uint8_t>* clean = nullptr) {
  Pass pass = attack_rows(aim, classes, task, stage, run, clean);
  judge(pass, aim, classes);
  return pass;
}

// The rows that withstood a pass.
Some withstanding(const Aim& whole, std::span<const std::int64_t> classes, const Pass& pass) {
  return {whole, classes, places_where(whole.n(), [&](std::size_t i) { return pass.success[i] == 0; })};
}

// Without rows that succeed as they are. `pass`: unattacked.
Pass run_rest(const Aim& whole, std::span<const std::int64_t> classes, const AttackMember& member,
              Pass pass) {
  const std::size_t d = whole.target().classifier.d;
  const Some left = withstanding(whole, classes, pass);
  if (left.places().empty()) return pass;
  AttackOptions options = whole.options();
  const Aim aim = left.aim(whole, options);
  const Pass found = attack_rows(aim, left.classes(), options.attack, 0,
                                 [&](const Problem& problem) { return member.run(problem, options); });
  for (std::size_t j = 0; j < left.places().size(); ++j)
    std::ranges::copy(Row(found.x).subspan(j * d, d),
                      MutableRow(pass.x).subspan(left.places()[j] * d, d).begin());
  pass.zero_gradients = found.zero_gradients, pass.attacked = found.attacked;
  judge(pass, whole, classes);
  return pass;
}

// The parts of an ensemble in turn, each on the rows that withstood those before it; a part that looks for the nearest
// row succeeds within the radius. Rows that withstand all keep what the first part made of them. `pass`: unattacked.
Pass run_parts(const Aim& whole, std::span<const std::int64_t> classes, const AttackMember& ensemble,
               Pass pass, std::vector<Stage>& stages) {
  const std::size_t d = whole.target().classifier.d;
  for (AttackOptions part : ensemble.parts(whole.options())) {
    const Some left = withstanding(whole, classes, pass);
    const std::vector<std::size_t>& rows = left.places();
    if (rows.empty()) break;
    part.draws = whole.options().draws;
    part = complete(part);
    const Aim aim = left.aim(whole, part);
    const AttackMember& member = attack_named(part.attack);
    const Pass found = run_pass(aim, left.classes(), part.attack, stages.size(),
                                [&](const Problem& problem) { return member.run(problem, part); });
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const bool success = found.success[j] != 0 && (part.eps || found.norms[j] <= *whole.options().eps);
      if (!success && !(stages.empty() && part.eps)) continue;
      std::ranges::copy(Row(found.x).subspan(j * d, d), MutableRow(pass.x).subspan(rows[j] * d, d).begin());
      pass.success[rows[j]] = success;
    }
    if (stages.empty()) pass.zero_gradients = found.zero_gradients, pass.attacked = rows.size();
    stages.push_back({part.attack, pass.withstood()});
  }
  judge(pass, whole, classes);
  return pass;
}

// Share of rows whose gradient does not predict how the loss changes over a short step along its signs: 1/8 of
// the radius per value, at most 1/255 of the box; without box and radius, 1/255 of the row's largest value or of
// 1; at least one step of the grid. Rows whose gradient is 0 are not among them. None where no row can move. Takes at
// most `checked_rows` rows, evenly spaced.
std::optional<double> unreliable_gradients(const Aim& whole, std::span<const std::int64_t> all) {
  const std::size_t n = std::min(whole.n(), checked_rows);
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = i * whole.n() / n;
  const Some some(whole, all, std::move(places));
  AttackOptions options = whole.options();
  const Aim aim = some.aim(whole, options);
  const std::span<const std::int64_t> classes = some.classes();
  constexpr double longest = 1. / 255, of_radius = 1. / 8, least_share = .1;
  const Box& box = aim.target().box;
  const auto& eps = aim.options().eps;
  const double values = aim.options().norm == Norm::l2 ? static_cast<double>(aim.target().classifier.d) : 1;
  const double radius = eps ? of_radius * (*eps / std::sqrt(values)) : infinity;
  if (radius == 0) return std::nullopt;
  const Grid& grid = aim.target().grid;
  std::atomic<std::size_t> unreliable{0}, moves{0};
  aim.for_problems(classes, "gradient check", [&](std::size_t, const Problem& problem) {
    const Evaluation here = evaluate_with_gradient(problem, problem.clean);
    Points moved = problem.clean;
    std::vector<double> predicted(moved.n);
    for_rows(moved, [&](std::size_t i) {
      const Row gradient = here.gradient.row(i), clean = problem.clean.row(i);
      const MutableRow row = moved.row(i);
      const double free = eps ? radius : longest * std::max(1., norm_of(clean, Norm::linf));
      for (std::size_t j = 0; j < moved.d; ++j) {
        double length =
            box.unbounded(j) ? free : std::min(longest * (box.high_of(j) - box.low_of(j)), radius);
        if (!grid.per_one.empty() && grid.per_one[j] > 0) length = std::max(length, 1 / grid.per_one[j]);
        const auto move = static_cast<float>(length);
        row[j] = box.clip(j, row[j] + static_cast<float>((gradient[j] > 0) - (gradient[j] < 0)) * move);
      }
      if (problem.to_grid) problem.to_grid(i, row);
      moves += !std::ranges::equal(row, clean);
      for (std::size_t j = 0; j < moved.d; ++j)
        predicted[i] += static_cast<double>(gradient[j]) * (row[j] - clean[j]);
    });
    const Evaluation there = evaluate(problem, moved);
    for (std::size_t i = 0; i < moved.n; ++i)
      unreliable += predicted[i] > 0 && there.value[i] - here.value[i] < least_share * predicted[i];
  });
  if (moves == 0 && !grid.empty()) return std::nullopt;
  return share_of(unreliable, aim.n());
}

// Runs the attack "noise" with the same radius, norm, steps and restarts. For minimum norm the radius doubles
// up to the whole box (any range: 1024); each row keeps the nearest. l2 replaces norms that noise lacks.
Attacked run_noise_for(const Problem& problem, const AttackOptions& options) {
  const AttackMember& member = attack_named("noise");
  AttackOptions noise = options;
  noise.attack = member.name;
  std::erase_if(noise.parameters, [&](const auto& one) {
    return std::ranges::find(member.parameters, one.first, &Parameter::name) == member.parameters.end();
  });
  if (options.eps) return member.run(problem, complete(noise));
  if (options.norm != Norm::linf) noise.norm = Norm::l2;
  noise.parameters.clear();
  const bool unbounded = problem.box.unbounded();
  const double side = unbounded ? 1 << 10 : problem.box.side();
  const double box = side * (noise.norm == Norm::linf ? 1 : std::sqrt(static_cast<double>(problem.clean.d)));
  Nearest nearest(problem, options.norm);
  for (int halvings = unbounded ? 18 : 8; halvings >= 0; --halvings) {
    noise.eps = box * std::pow(2., -halvings);
    const Points x = member.run(problem, complete(noise)).x;
    nearest.offer(x, evaluate(problem, x).success);
  }
  return {nearest.points()};
}

// Takes the noise row where it succeeds and the attack fails; with `nearer`, also where it is nearer.
void take_worse(Pass& pass, const Pass& noise, bool nearer) {
  const std::size_t n = pass.success.size(), d = pass.x.size() / n;
  for (std::size_t i = 0; i < n; ++i)
    if (noise.success[i] != 0 && (pass.success[i] == 0 || (nearer && noise.norms[i] < pass.norms[i])))
      std::ranges::copy(Row(noise.x).subspan(i * d, d), MutableRow(pass.x).subspan(i * d, d).begin());
}

void check_sizes(const Target& target) {
  const std::size_t d = target.classifier.d, k = target.classifier.k;
  if (d == 0 || k < 2)
    refuse("attack: the classifier", "at least one value per row and two classes",
           fmt::format("{} and {}", d, k));
  if (target.x.empty() || target.x.size() % d != 0)
    refuse(target.name, fmt::format("at least one row of {} values", d),
           fmt::format("{} values", target.x.size()));
  const auto [channels, height, width] = target.picture;
  if (channels == 0 && height == 0 && width == 0) return;
  if (channels * height * width != target.classifier.d)
    refuse(target.name, fmt::format("a picture of {} values", target.classifier.d),
           fmt::format("{} channels of {} by {} pixels", channels, height, width));
}

void check_classes(const Target& target, const AttackOptions& options) {
  const std::size_t n = target.x.size() / target.classifier.d;
  const auto check = [&](const std::vector<std::int64_t>& classes, const std::string& name,
                         const char* what) {
    const std::size_t k = target.classifier.k;
    if (classes.size() != n)
      refuse(name, fmt::format("{} {}, one per row", n, what), std::to_string(classes.size()));
    for (std::size_t i = 0; i < n; ++i)
      if (classes[i] < 0 || classes[i] >= static_cast<std::int64_t>(k))
        refuse(name, fmt::format("classes from 0 to {}", k - 1), fmt::format("{} at row {}", classes[i], i));
  };
  if (!options.targets.empty()) check(options.targets, "attack: targets", "targets");
  if (!target.labels) return;
  const auto missing = std::ranges::count(*target.labels, std::int64_t{-1});
  if (missing > 0)
    refuse(target.name + ": labels", "one for every row, or no labels, to attack",
           fmt::format("{} of {} rows without a label (-1 or NaN)", missing, n));
  check(*target.labels, target.name + ": labels", "labels");
}

}  // namespace

AttackResult run(const Target& target, const AttackOptions& options, Progress* progress,
                 FinishedBlocks* finished) {
  AttackResult result;
  result.options = complete(options);
  const AttackMember& member = attack_named(options.attack);
  if (member.gradients && !target.classifier.linearize)
    refuse("attack " + options.attack, "a classifier with gradients", "one without");
  check_sizes(target);
  const Movable movable(target, options.levels);
  check_classes(target, options);
  const Aim aim(movable, movable.target(), result.options, progress, finished);
  result.labelled = target.labels.has_value();
  result.classes = target.labels ? *target.labels : aim.predictions(movable.target().x, options.draws);
  const auto run_block = [&](const Problem& problem) { return member.run(problem, result.options); };
  Pass pass;
  if (aim.plain() && member.moves_all()) {
    std::vector<std::uint8_t> missed;
    pass = run_pass(aim, result.classes, options.attack, 0, run_block, &missed);
    result.clean_accuracy = share_of(missed, 0);
    for (const std::uint8_t miss : missed) result.right_before.push_back(miss == 0);
  } else {
    pass = unattacked(aim, result.classes);
    result.clean_accuracy = mean_and_error(pass.accuracies).mean;
    for (const double share : pass.right) result.right_before.push_back(share > .5);
    pass = member.parts != nullptr ? run_parts(aim, result.classes, member, std::move(pass), result.stages)
           : member.moves_all()    ? run_pass(aim, result.classes, options.attack, 0, run_block)
                                   : run_rest(aim, result.classes, member, std::move(pass));
  }
  if (member.gradients) {
    result.zero_gradient = share_of(pass.zero_gradients, std::max<std::size_t>(1, pass.attacked));
    if (std::ranges::adjacent_find(pass.accuracies, std::not_equal_to()) == pass.accuracies.end())
      result.unreliable_gradient = unreliable_gradients(aim, result.classes);
  }
  if (result.zero_gradient.value_or(0) > most_zero_gradients && member.parts == nullptr) {
    const Pass noise = run_pass(aim, result.classes, "noise", 1, [&](const Problem& problem) {
      return run_noise_for(problem, result.options);
    });
    result.beside_noise = {pass.withstood(), noise.withstood()};
    take_worse(pass, noise, member.minimum_norm);
    pass.judged.clear();
    judge(pass, aim, result.classes);
  }
  result.x = movable.widened(pass.x, std::identity()), result.success = std::move(pass.success),
  result.norms = std::move(pass.norms);
  result.right_after = std::move(pass.right);
  result.robust_accuracy = mean_and_error(pass.accuracies).mean;
  result.repeats = std::move(pass.accuracies);
  return result;
}

}  // namespace leeway::attack
