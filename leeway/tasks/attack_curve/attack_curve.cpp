#include "leeway/tasks/attack_curve/attack_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/ratios.h"
#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

void check_curve(const AttackCurveTask& task) {
  if (task.models.empty()) refuse("attack curve", "at least one model", "none");
  std::set<std::string> names, strengths;
  for (const CurveModel& model : task.models) {
    if (!names.insert(model.name).second)
      refuse("attack curve", "models with different names", in_quotes(model.name) + " twice");
    if (model.attacked.empty()) refuse("attack curve", "an attacked set of " + in_quotes(model.name), "none");
  }
  for (const std::string& strength : task.options.strengths) {
    (void)radius_of(strength);
    if (!strengths.insert(strength).second)
      refuse("strengths", "different strengths", in_quotes(strength) + " twice");
  }
  if (task.options.shares.empty()) refuse("shares", "at least one share", "none");
}

// Rows that are attacked at a strength, as a share of all; those of an attack within a radius are all rows.
double share_within(const CurveSet& set, const std::vector<double>& norms, std::optional<double> eps) {
  if (!set.strength.empty() || !eps) return 1;
  const auto within = std::ranges::count_if(norms, [&](double norm) { return norm <= *eps; });
  return static_cast<double>(within) / static_cast<double>(norms.size());
}

class CurveAnalysis {
 public:
  CurveAnalysis(const AttackCurveTask& task, Progress* progress) : task_(task), progress_(progress) {
    for (const CurveModel& model : task.models) sets_ += model.attacked.size();
  }

  AttackCurve run() {
    check_curve(task_);
    record_.options = task_.options;
    for (const CurveModel& model : task_.models) add_model(model);
    return clock_.finished(std::move(record_), task_.seed);
  }

 private:
  struct Clean {
    std::string name;
    OutputsShards outputs;
    Array logits;
    std::vector<std::int64_t> labels;  // empty: none
    CurveResult point;
  };

  void add_model(const CurveModel& model) {
    Clean clean{model.name, model.clean.open(), {}, {}, {}};
    std::vector<NamedOutputs> others;
    for (const CurveSet& set : model.attacked) others.push_back(set.outputs);
    number_first(clean.outputs, others, record_.envelope.warnings);
    clean.logits = clean.outputs.logits.joined();
    if (clean.outputs.rest.labels) clean.labels = *clean.outputs.rest.labels;
    clean.point.model = model.name, clean.point.strength = clean_strength, clean.point.eps = 0;
    clean.point = points(clean, clean.point, clean.logits, {}, {0.}, 1).front();
    clean.point.clean_accuracy = clean.point.afr_true;
    clean.point.clean_accuracy_interval = clean.point.afr_true_interval;
    std::string attack;
    for (const CurveSet& set : model.attacked) {
      if (set.attack != std::exchange(attack, set.attack)) {
        record_.results.push_back(clean.point);
        record_.results.back().attack = set.attack;
      }
      add_set(clean, set);
    }
  }

  void add_set(const Clean& clean, const CurveSet& set) {
    const OutputsShards attacked = opened_like(clean.outputs, set.outputs, record_.envelope.warnings, false);
    const std::vector<double> norms = attacked.rest.norms.value_or(std::vector<double>());
    if (set.strength.empty() && norms.empty()) refuse(set.outputs.name, "norms of the attacked rows", "none");
    std::vector<std::string> strengths{set.strength};
    if (set.strength.empty()) {
      strengths = task_.options.strengths;
      strengths.emplace_back(nearest_strength);
    }
    const Array logits = attacked.logits.joined();
    for (const std::string& strength : strengths) {
      CurveResult like = clean.point;
      like.attack = set.attack, like.strength = strength;
      like.eps = strength == nearest_strength ? std::nullopt : std::optional(radius_of(strength));
      const double within = share_within(set, norms, like.eps);
      for (CurveResult& result : points(clean, like, logits, norms, task_.options.shares, within))
        record_.results.push_back(std::move(result));
    }
    if (progress_ != nullptr) progress_->update("attack curve", ++done_, sets_, set.attack);
  }

  // Results of one set at every share, of which at most the share `within` is attacked.
  std::vector<CurveResult> points(const Clean& clean, const CurveResult& like, const Array& attacked,
                                  const std::vector<double>& norms, const std::vector<double>& shares,
                                  double within) {
    std::vector<double> ratios;
    for (const double share : shares) ratios.push_back(std::min(share, within));
    std::vector<CurveResult> results;
    agreement::Sweep sweep{clean.labels, norms, ratios, {}, std::nullopt, {}};
    sweep.options.level = task_.options.level;
    sweep.options.clean_name = display_name(clean.outputs.rest.path);
    sweep.options.progress = progress_;
    sweep.visit = [&](const agreement::RatioPoint& at, const Array& mixed) {
      CurveResult& result = results.emplace_back(like);
      result.share = shares[results.size() - 1];
      measure(clean, at, mixed, result);
    };
    (void)agreement::ratio_sweep(clean.logits, attacked, sweep);
    return results;
  }

  void measure(const Clean& clean, const agreement::RatioPoint& at, const Array& mixed,
               CurveResult& result) const {
    const agreement::Agreement& a = at.agreement;
    const double level = task_.options.level;
    result.attacked = at.shifted, result.n = a.n, result.k = a.k;
    result.afr_true = a.afr_true, result.afr_true_interval = a.afr_true_interval;
    result.afr_pred = a.afr_pred, result.afr_pred_interval = a.afr_pred_interval;
    result.pa = a.pa, result.gap = a.gap, result.converged = a.converged;
    if (result.attacked > 0) result.pa_interval = a.pa_interval;  // equal outputs have no other PA
    result.beta = a.beta;
    result.beta_interval = agreement::beta_interval(clean.logits, mixed, a.beta, level);
    result.initial = agreement::responses(clean.logits, mixed, clean.labels, 1, level);
    result.optimal = agreement::responses(clean.logits, mixed, clean.labels, a.beta, level);
    if (!clean.labels.empty())
      result.decomposition = agreement::decompose(clean.logits, mixed, clean.labels, a.beta);
  }

  const TaskClock clock_;
  const AttackCurveTask& task_;
  Progress* progress_;
  std::size_t sets_ = 0, done_ = 0;
  AttackCurve record_;
};

}  // namespace

double radius_of(const std::string& strength) {
  const std::optional<double> radius = parse_fraction(strength);
  if (!radius || !(*radius > 0)) refuse("strengths", "numbers above 0 such as 2/255", in_quotes(strength));
  return *radius;
}

std::vector<CurveAttack> attacks_of(const AttackCurveOptions& options, std::uint64_t seed) {
  std::vector<CurveAttack> all;
  if (options.attacks.empty()) refuse("attacks", "at least one attack", "none");
  for (const std::string& name : options.attacks) {
    attack::AttackOptions one{.attack = name, .norm = options.norm, .parameters = options.parameters};
    one = attack::complete(one);
    one.seed = seed;
    if (!one.eps) {
      all.push_back({one, ""});
      continue;
    }
    if (options.strengths.empty()) refuse("strengths", "radii for " + name + ", such as 2/255", "none");
    for (const std::string& strength : options.strengths) {
      one.eps = radius_of(strength);
      all.push_back({one, strength});
    }
  }
  return all;
}

AttackCurve attack_curve(const AttackCurveTask& task, Progress* progress) {
  return CurveAnalysis(task, progress).run();
}

std::optional<double> CurveResult::approximate_pa() const {
  if (!decomposition) return std::nullopt;
  double sum = 0;
  for (const agreement::Contribution& group : decomposition->groups) {
    if (group.name == "rest" || group.n == 0) continue;  // no term of the theorem
    if (!group.approximation) return std::nullopt;
    sum += *group.approximation;
  }
  return std::log(static_cast<double>(k)) + sum / static_cast<double>(n);
}

std::vector<std::string> unproved_maxima(const AttackCurve& record) {
  std::vector<std::string> lines;
  for (const CurveResult& result : record.results) {
    agreement::Agreement a;
    a.converged = result.converged, a.gap = result.gap;
    note_unproved(
        lines,
        fmt::format("{}: {} {} at share {:g}", result.model, result.attack, result.strength, result.share),
        a);
  }
  return lines;
}

}  // namespace leeway::tasks
