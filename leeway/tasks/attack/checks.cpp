// Signs that an attack is weaker than it could be, so that robust accuracy is too high (Carlini et al., On
// evaluating adversarial robustness, 2019, section 5). Comparisons are one-sided sign tests on the same rows, each
// at 1%.
#include <algorithm>
#include <cmath>
#include <functional>

#include "leeway/attack/member.h"
#include "leeway/core/probabilities.h"
#include "leeway/tasks/attack/attack.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_checked = 100;
constexpr double chance_of_error = .01;
constexpr double most_unreachable = .05;  // share of rows that may withstand the whole box

using Broken = std::vector<bool>;  // a row each

// The chance of at least b of b + c rows, where both sides are as likely.
double one_sided(std::size_t b, std::size_t c) { return b > c ? mcnemar_p(b, c) / 2 : 1; }

std::optional<double> share_left(const Broken& broken) {
  return static_cast<double>(std::ranges::count(broken, false)) / static_cast<double>(broken.size());
}

// Raised where `better` breaks clearly fewer rows than `worse`.
Check compared(std::string check, std::string other, const Broken& better, const Broken& worse) {
  std::size_t against = 0, with = 0;
  for (std::size_t i = 0; i < better.size(); ++i)
    against += worse[i] && !better[i], with += better[i] && !worse[i];
  const double p = one_sided(against, with);
  return {std::move(check),   std::move(other), better.size(), share_left(better), share_left(worse), p,
          p < chance_of_error};
}

Check whole_box(std::size_t withstand, std::size_t n) {
  Check check;
  check.check = "whole-box", check.n = n;
  check.withstand_other = static_cast<double>(withstand) / static_cast<double>(n);
  check.raised = clopper_pearson(withstand, n, 1 - 2 * chance_of_error).low > most_unreachable;
  return check;
}

// Whether a large radius reaches all rows of the box.
bool reaches_all(const attack::Target& target) {
  return std::ranges::count(target.changeable, 0) == 0 &&
         std::ranges::equal(target.box.lows, target.box.highs, std::less<>());
}

// The radius of a comparison; of minimum norm the median of the norms.
std::optional<double> radius_of(const attack::AttackResult& result) {
  if (result.options.eps) return result.options.eps;
  std::vector<double> norms = result.norms;
  std::erase_if(norms, [](double norm) { return norm == 0 || !std::isfinite(norm); });
  std::ranges::sort(norms);
  return norms.empty() ? std::nullopt : std::optional(quantile(norms, .5));
}

// An ensemble whose first attack without gradients breaks more rows than all before it. These rows are among
// those that withstood, so the test is strict.
std::optional<Check> ensemble_check(const attack::AttackResult& result) {
  const auto& stages = result.stages;
  const auto black = std::ranges::find_if(
      stages, [](const auto& one) { return !attack::attack_named(one.attack).gradients; });
  if (black == stages.end() || black == stages.begin()) return {};
  const std::size_t n = result.success.size();
  const auto left = [&](const attack::Stage& stage) {
    return static_cast<std::size_t>(std::llround(stage.accuracy * static_cast<double>(n)));
  };
  const auto before = black - 1;
  const auto start = n - static_cast<std::size_t>(std::ranges::count(result.norms, 0.));
  const double p = one_sided(left(*before) - left(*black), start - left(*before));
  return Check{"black-box", black->attack, n, before->accuracy, black->accuracy, p, p < chance_of_error};
}

// Evenly spaced rows of a task, and further attacks on them.
class CheckedRows {
 public:
  CheckedRows(const AttackTask& task, const attack::AttackResult& result, Progress* progress)
      : task_(task),
        result_(result),
        progress_(progress),
        rows_(std::min(most_checked, result.success.size())) {
    const std::size_t n = result.success.size(), d = task.target.classifier.d;
    options_ = result.options;
    options_.targets.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t row = rows_[i] = i * n / rows_.size();
      const auto values = task.target.x.subspan(row * d, d);
      x_.insert(x_.end(), values.begin(), values.end());
      classes_.push_back(result.classes[row]);
      if (!result.options.targets.empty()) options_.targets.push_back(result.options.targets[row]);
    }
  }

  [[nodiscard]] Check probabilities() const {
    const Classifier& classifier = task_.target.classifier;
    std::vector<float> logits = classifier.logits(x_);
    const Array scores = make_array({rows_.size(), classifier.k}, std::move(logits));
    return {"probabilities", "", rows_.size(), {}, {}, {}, are_probabilities(scores)};
  }

  // Those that make sense for the attack.
  [[nodiscard]] std::vector<Check> runs() const {
    const attack::AttackMember& member = attack::attack_named(options_.attack);
    const std::optional<double> radius = radius_of(result_);
    if (member.name == "noise" || !radius) return {};
    std::vector<Check> checks;
    Broken own;
    for (const std::size_t row : rows_) own.push_back(breaks(result_, row, radius));
    const auto& norms = attack::attack_named("noise").norms;
    if (std::ranges::find(norms, options_.norm) != norms.end())
      checks.push_back(compared("noise", "noise", own, broken_by(noise_within(*radius), radius)));
    attack::AttackOptions longer = options_;
    for (const Parameter& one : member.parameters)
      if (one.name == "steps" || one.name == "queries")
        longer.parameters[std::string(one.name)] =
            std::min(one.high, 2 * options_.parameters.at(std::string(one.name)));
    if (longer.parameters == options_.parameters) return checks;  // a single step
    checks.push_back(compared("longer", options_.attack, broken_by(longer, radius), own));
    std::swap(checks.back().withstand, checks.back().withstand_other);
    if (member.gradients && options_.eps && !task_.target.box.unbounded() && reaches_all(task_.target) &&
        options_.targets.empty()) {
      checks.push_back(within_the_box());
      checks.back().withstand = share_left(own);
    }
    return checks;
  }

 private:
  [[nodiscard]] attack::AttackOptions noise_within(double radius) const {
    attack::AttackOptions noise = options_;
    noise.attack = "noise", noise.eps = radius;
    noise.loss.reset(), noise.parameters.clear();
    return noise;
  }

  [[nodiscard]] Check within_the_box() const {
    attack::AttackOptions whole = options_;
    const double values = static_cast<double>(task_.target.classifier.d);
    whole.eps = task_.target.box.side() * (options_.norm == attack::Norm::linf ? 1 : std::sqrt(values));
    const Broken broken = broken_by(whole, {});
    return whole_box(static_cast<std::size_t>(std::ranges::count(broken, false)), broken.size());
  }

  [[nodiscard]] Broken broken_by(const attack::AttackOptions& options, std::optional<double> radius) const {
    attack::Target target = task_.target;
    target.x = x_, target.labels = classes_;
    const attack::AttackResult found = attack::run(target, options, progress_);
    Broken broken;
    for (std::size_t i = 0; i < rows_.size(); ++i) broken.push_back(breaks(found, i, radius));
    return broken;
  }

  const AttackTask& task_;
  const attack::AttackResult& result_;
  Progress* progress_;
  std::vector<std::size_t> rows_;
  std::vector<float> x_;
  std::vector<std::int64_t> classes_;
  attack::AttackOptions options_;  // with the targets of these rows
};

}  // namespace

bool breaks(const attack::AttackResult& found, std::size_t i, std::optional<double> radius) {
  return found.success[i] != 0 && (found.options.eps || !radius || found.norms[i] <= *radius);
}

std::vector<Check> checks_of(const AttackTask& task, const attack::AttackResult& result, Progress* progress) {
  const CheckedRows rows(task, result, progress);
  std::vector<Check> checks{rows.probabilities()};
  if (auto check = ensemble_check(result)) checks.push_back(*std::move(check));
  if (result.beside_noise) return checks;  // a warning says that gradients are 0
  const attack::AttackMember& member = attack::attack_named(result.options.attack);
  if (member.minimum_norm && member.gradients && result.options.targets.empty() && reaches_all(task.target))
    checks.push_back(whole_box(static_cast<std::size_t>(std::ranges::count(result.success, std::uint8_t{0})),
                               result.success.size()));
  if (!task.checks) return checks;
  for (Check& one : rows.runs()) checks.push_back(std::move(one));
  return checks;
}

void compare_kinds(std::span<AttackedSet> sets, std::span<const attack::AttackResult> found) {
  const auto kind = [&](std::size_t i) { return attack::attack_named(found[i].options.attack).gradients; };
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (!kind(i) || kind(j)) continue;
      const auto &own = found[i].options.eps, &other = found[j].options.eps;
      if (own && other && own != other) continue;
      const std::optional<double> radius = own ? own : other ? other : radius_of(found[i]);
      Broken white, black;
      for (std::size_t row = 0; row < found[i].success.size(); ++row)
        white.push_back(breaks(found[i], row, radius)), black.push_back(breaks(found[j], row, radius));
      const std::string& name = found[j].options.attack;
      sets[i].checks.push_back(compared(name == "noise" ? name : "black-box", name, white, black));
    }
}

}  // namespace leeway::tasks
