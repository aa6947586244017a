#include "leeway/tasks/attack/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "leeway/core/parallel.h"
#include "leeway/describe/number_list.h"
#include "leeway/tasks/attack/state.h"
#include "leeway/tasks/task_clock.h"
#include "leeway/tasks/variation.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t curve_steps = 20;

void put_share(std::size_t hits, std::size_t n, double& value, Interval& interval) {
  value = static_cast<double>(hits) / static_cast<double>(n);
  interval = clopper_pearson(hits, n);
}

// The same of a mean share, whose hits need not be whole: it varies less than the share of one pass (Hoeffding 1956).
void put_mean_share(double share, std::size_t n, double& value, Interval& interval) {
  constexpr double rounding = 1e-6;
  const double hits = share * static_cast<double>(n);
  value = share;
  interval = {clopper_pearson(static_cast<std::size_t>(std::floor(hits + rounding)), n).low,
              clopper_pearson(static_cast<std::size_t>(std::ceil(hits - rounding)), n).high};
}

JudgedRepeats repeats_of(const attack::AttackResult& result) {
  Interval interval = student_interval(result.repeats);
  interval = {std::max(0., interval.low), std::min(1., interval.high)};
  return {result.repeats.size(), result.robust_accuracy, interval};
}

std::size_t successes(const std::vector<std::uint8_t>& rows) {
  return static_cast<std::size_t>(std::ranges::count(rows, std::uint8_t{1}));
}

// Of the rows that were right before.
std::optional<Estimate> success_of_right(const attack::AttackResult& result) {
  const std::size_t n = successes(result.right_before);
  if (n == 0) return {};
  std::size_t broken = 0;
  for (std::size_t i = 0; i < result.success.size(); ++i)
    broken += result.right_before[i] != 0 && result.success[i] != 0;
  Estimate share;
  put_share(broken, n, share.value, share.interval);
  return share;
}

NearestNorms nearest_norms(std::vector<double> norms) {
  std::ranges::sort(norms);
  NearestNorms found;
  found.median = quantile(norms, .5);
  found.median_interval = quantile_interval(norms, .5);
  found.median_interval.low = std::max(0., found.median_interval.low);
  found.lower_quartile = quantile(norms, .25), found.upper_quartile = quantile(norms, .75);
  const auto finite = std::ranges::partition_point(norms, [](double norm) { return std::isfinite(norm); });
  const double largest = finite == norms.begin() ? 0 : *(finite - 1);
  const std::size_t points = largest > 0 ? curve_steps + 1 : 1;
  for (std::size_t i = 0; i < points; ++i) {
    RadiusPoint point;
    point.radius = i == curve_steps ? largest : largest * static_cast<double>(i) / curve_steps;
    const auto moved = std::ranges::upper_bound(norms, point.radius);
    put_share(static_cast<std::size_t>(norms.end() - moved), norms.size(), point.robust_accuracy,
              point.robust_accuracy_interval);
    found.curve.push_back(point);
  }
  return found;
}

AttackedSet set_of(const attack::AttackResult& result) {
  AttackedSet set;
  const std::size_t n = result.success.size();
  set.n = n;
  set.attack = result.options.attack, set.eps = result.options.eps;
  set.parameters = result.options.parameters;
  if (result.options.loss) set.loss = name_of(*result.options.loss);
  set.target = !result.options.targets.empty() ? "given" : result.labelled ? "label" : "prediction";
  put_mean_share(result.clean_accuracy, n, set.clean_accuracy, set.clean_accuracy_interval);
  put_mean_share(result.robust_accuracy, n, set.robust_accuracy, set.robust_accuracy_interval);
  put_share(successes(result.success), n, set.success, set.success_interval);
  set.success_of_right = success_of_right(result);
  if (!result.options.eps) set.norms = nearest_norms(result.norms);
  set.zero_gradient = result.zero_gradient, set.unreliable_gradient = result.unreliable_gradient;
  set.beside_noise = result.beside_noise, set.stages = result.stages;
  if (std::ranges::adjacent_find(result.repeats, std::not_equal_to()) != result.repeats.end())
    set.repeats = repeats_of(result);
  return set;
}

// Of an attack by gradients that are 0.
std::string blind_warning(const attack::AttackResult& result) {
  const std::string& name = result.options.attack;
  return fmt::format(
      "the gradient of {:.1f}% of {} rows is exactly 0 (typical of sign, rounding or quantized layers), so "
      "{} cannot attack them. A noise attack of {} ran as well; the stronger attack counts for each row "
      "(robust accuracy {} under {} alone, {} under noise alone)",
      100 * *result.zero_gradient, result.success.size(), name,
      result.options.eps ? "the same radius" : "increasing radius",
      percent(result.beside_noise->attack_accuracy, 1), name,
      percent(result.beside_noise->noise_accuracy, 1));
}

std::vector<std::string> warnings_of(const attack::AttackResult& result, const attack::Target& target) {
  std::vector<std::string> warnings;
  const attack::AttackOptions& options = result.options;
  const attack::Box& box = target.box;
  const double values = options.norm == attack::Norm::linf ? 1 : static_cast<double>(target.classifier.d),
               side = box.side();
  if (!box.unbounded() && box.lows.empty() && options.eps.value_or(0) >= side * std::sqrt(values))
    warnings.push_back(fmt::format(
        "a radius of {} in {} reaches every row with values in [{:g}, {:g}]; for 8 of 255 levels, use 8/255",
        significant(*options.eps, 3), name_of(options.norm), box.low, box.high));
  if (result.beside_noise) warnings.push_back(blind_warning(result));
  if (result.unreliable_gradient.value_or(0) > attack::most_unreliable_gradients)
    warnings.push_back(fmt::format(
        "for {} of {} rows, a short step along the gradient raises the loss by less than a tenth of what the "
        "gradient predicts, a sign of gradient masking: the robust accuracy may be far too high",
        percent(*result.unreliable_gradient, 1), std::min(result.success.size(), attack::checked_rows)));
  return warnings;
}

}  // namespace

ModelUnderAttack::ModelUnderAttack(const nn::Model& model, const Images& images)
    : ModelUnderAttack(model.classifier(nn::shape_of(images)), images) {}

ModelUnderAttack::ModelUnderAttack(Classifier classifier, const Images& images)
    : images_(images), classifier_(std::move(classifier)), x_(images.n() * images.pixels_per_image()) {
  const std::size_t d = images.pixels_per_image();
  parallel_for(images.n(), [&](std::size_t i) { images.copy_row(i, std::span(x_).subspan(i * d, d)); });
}

attack::Target ModelUnderAttack::target() const {
  attack::Target target{classifier_, x_, images_.labels};
  target.name = images_.path.empty() ? "rows" : display_name(images_.path);
  if (images_.are_rows())
    target.box = attack::anywhere;
  else
    target.picture = {images_.channels(), images_.height(), images_.width()};
  return target;
}

Attack record_of(const attack::AttackResult& result, const attack::Target& target) {
  Attack record;
  record.options = result.options;
  record.results = {set_of(result)};
  record.envelope.warnings = warnings_of(result, target);
  return record;
}

AttackFound attack(const AttackTask& given, Progress* progress) {
  const TaskClock clock;
  const auto row = [x = given.target.x](std::size_t i, std::span<float> values) {
    std::ranges::copy(x.subspan(i * values.size(), values.size()), values.begin());
  };
  const Classifier& classifier = given.target.classifier;
  std::optional<nn::Variation> stochastic;
  if (const std::size_t n = given.target.x.size() / std::max<std::size_t>(1, classifier.d); n > 0)
    stochastic = variation_of({classifier, row, n});
  AttackTask task = given;
  task.target.varies = stochastic.has_value();
  std::optional<AttackState> state;
  if (!task.state.empty()) state.emplace(task);
  attack::AttackResult result;
  std::vector<Check> checks;
  try {
    result = attack::run(task.target, task.options, progress, state ? &*state : nullptr);
    checks = checks_of(task, result, progress);
  } catch (const Interrupted&) {
    if (!state) throw;
    throw Interrupted(state->interrupted());
  }
  Attack record = record_of(result, task.target);
  if (state)
    for (std::string& line : state->warnings) record.envelope.warnings.push_back(std::move(line));
  record.results[0].stochastic = stochastic;
  record.results[0].checks = std::move(checks);
  return {clock.finished(std::move(record), task.options.seed), std::move(result)};
}

std::vector<attack::AttackOptions> attacks_of(const attack::AttackOptions& given,
                                              const std::vector<double>& radii) {
  const std::vector<std::string> names = split(given.attack, ',');
  std::vector<attack::AttackOptions> all;
  for (const std::string& name : names) {
    attack::AttackOptions one = given;
    one.attack = name;
    const attack::AttackOptions without = attack::complete(one);
    if (radii.empty() || (!without.eps && names.size() > 1)) {
      all.push_back(without);
      continue;
    }
    for (const double radius : radii) {
      one.eps = radius;
      all.push_back(attack::complete(one));
    }
  }
  return all;
}

void add_set(Attack& all, Attack one) {
  if (all.results.empty()) {
    all = std::move(one);
    return;
  }
  const auto named = [](const Attack& record) {
    std::vector<std::string> lines = record.envelope.warnings;
    const AttackedSet& set = record.results.back();
    for (std::string& line : lines)
      line = (set.out.empty() ? set.attack : display_name(set.out)) + ": " + line;
    return lines;
  };
  if (all.results.size() == 1) all.envelope.warnings = named(all);
  for (std::string& line : named(one)) all.envelope.warnings.push_back(std::move(line));
  for (AttackedSet& set : one.results) all.results.push_back(std::move(set));
  all.envelope.seconds += one.envelope.seconds;
  all.envelope.headline = headline_of(all);
  all.envelope.findings = findings_of(all);
}

attack::AttackResult worst_of(std::span<const attack::AttackResult> found, std::optional<double> eps) {
  const auto same = [&](const attack::AttackResult& one) { return one.options.eps == eps; };
  attack::AttackResult worst = *std::ranges::find_if(found, same);  // its failures lie within the radius
  const std::size_t n = worst.success.size(), d = worst.x.size() / n;
  for (const attack::AttackResult& one : found) {
    if (one.options.eps && !same(one)) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const bool success = breaks(one, i, eps);
      if (success || one.options.eps)
        worst.right_after[i] = std::min(worst.right_after[i], one.right_after[i]);
      if (!success || one.norms[i] >= worst.norms[i]) continue;
      std::ranges::copy(std::span(one.x).subspan(i * d, d), std::span(worst.x).subspan(i * d, d).begin());
      worst.success[i] = 1, worst.norms[i] = one.norms[i];
    }
  }
  worst.robust_accuracy =
      std::accumulate(worst.right_after.begin(), worst.right_after.end(), 0.) / static_cast<double>(n);
  worst.repeats.clear();
  return worst;
}

void add_worst_cases(Attack& all, std::span<const attack::AttackResult> found) {
  const std::span<AttackedSet> sets = std::span(all.results).last(found.size());
  compare_kinds(sets, found);
  std::vector<std::optional<double>> radii;
  for (const attack::AttackResult& one : found)
    if (const auto& eps = one.options.eps; eps && std::ranges::find(radii, eps) == radii.end())
      radii.push_back(eps);
  if (radii.empty()) radii.emplace_back();
  for (const std::optional<double>& eps : radii) {
    WorstCase worst;
    for (const attack::AttackResult& one : found)
      if (!one.options.eps || one.options.eps == eps) worst.attacks.push_back(one.options.attack);
    if (worst.attacks.size() < 2) continue;
    static_cast<AttackedSet&>(worst) = set_of(worst_of(found, eps));
    worst.model = sets[0].model, worst.data = sets[0].data;
    all.worst_cases.push_back(std::move(worst));
  }
  all.envelope.headline = headline_of(all);
  all.envelope.findings = findings_of(all);
}

ArrayMap attacked_arrays(attack::AttackResult result, const std::vector<std::size_t>& shape) {
  const std::size_t n = result.success.size();
  ArrayMap arrays{{"x", make_array(shape, std::move(result.x))},
                  {"success", make_array({n}, std::move(result.success))},
                  {"norms", make_array({n}, std::move(result.norms))}};
  std::vector<std::int64_t>& targets = result.options.targets;
  if (!result.labelled || !targets.empty())
    arrays["targets"] = make_array({n}, targets.empty() ? result.classes : std::move(targets));
  if (result.labelled) arrays["y"] = make_array({n}, std::move(result.classes));
  return arrays;
}

}  // namespace leeway::tasks
