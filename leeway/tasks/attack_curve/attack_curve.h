// leeway attack curve: how models perform under attacks of growing strength and for growing shares of
// attacked rows.
//
// Input: for every model the outputs on clean rows and, for every attack and strength, on the same rows
// attacked, with the norms of the perturbations. At share s the round(s n) rows with the smallest norms are
// attacked, the others are clean (agreement/ratios.h). One result for each model, attack, strength and
// share; each curve begins with the clean point, strength 0. An attack of minimum norm has no strength of
// its own: at strength r its rows with a norm of at most r are attacked; strength "nearest" is without this
// limit. These are the curves of Carvalho et al. 2025, figures 3 to 6, and Jiménez Rodríguez 2024, figures
// 4.6 to 4.10 and B.6 to B.18.
//
// Proportions have Clopper-Pearson intervals; PA, beta and confidences those of leeway/agreement. Errors
// (Error): no model or attacked set; a strength or share out of range or given twice; two models of one
// name; an attack of minimum norm without norms; those of opening sets and of leeway/agreement. Interrupted
// on request. Cost: a posterior agreement per result. Same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/summaries.h"
#include "leeway/attack/attack.h"
#include "leeway/attack/geometry.h"
#include "leeway/core/progress.h"
#include "leeway/core/statistics.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

inline constexpr std::string_view attack_curve_schema = "leeway.attack-curve/1";
inline constexpr std::string_view clean_strength = "0", nearest_strength = "nearest";

struct AttackCurveOptions {
  std::vector<std::string> attacks = {"pgd"};
  std::vector<std::string> strengths;  // radii as they were typed, "2/255"
  attack::Norm norm = attack::Norm::linf;
  std::map<std::string, double> parameters;  // of every attack
  std::vector<double> shares = {1};
  double level = .95;
};

struct CurveResult {
  std::string model, attack, strength;
  std::optional<double> eps;  // of the strength; none: "nearest"
  double share = 0;
  std::size_t attacked = 0, n = 0, k = 0;
  std::optional<double> clean_accuracy, afr_true;  // with labels
  std::optional<Interval> clean_accuracy_interval, afr_true_interval;
  double afr_pred = 0, pa = 0, beta = 0, gap = 0;
  Interval afr_pred_interval;
  std::optional<Interval> pa_interval, beta_interval;  // none without attacked rows
  bool converged = false;
  agreement::Responses initial, optimal;                  // at beta 1 and at `beta`
  std::optional<agreement::Decomposition> decomposition;  // with labels

  // log k and the approximations of the sums over n; none where one of them does not exist.
  [[nodiscard]] std::optional<double> approximate_pa() const;
};

using AttackCurve = RecordOf<attack_curve_schema, AttackCurveOptions, CurveResult>;

void fields(AttackCurveOptions& options, Fields& f);
void fields(CurveResult& result, Fields& f);
void share_fields(AttackCurveOptions& options, Fields& f);  // shares and level alone

[[nodiscard]] std::string headline_of(const AttackCurve& record);
[[nodiscard]] std::vector<std::string> findings_of(const AttackCurve& record);

// "2/255". Error: not a number above 0.
[[nodiscard]] double radius_of(const std::string& strength);

struct CurveAttack {
  attack::AttackOptions options;  // with every default
  std::string strength;           // as in CurveSet
};
// Every attack with every strength; those of minimum norm once. Errors: those of attack::complete; no
// strengths.
[[nodiscard]] std::vector<CurveAttack> attacks_of(const AttackCurveOptions& options, std::uint64_t seed);

struct CurveSet {
  std::string attack;
  std::string strength;  // one of the options; empty: an attack of minimum norm
  NamedOutputs outputs;
};

struct CurveModel {
  std::string name;
  NamedOutputs clean;
  std::vector<CurveSet> attacked;
};

struct AttackCurveTask {
  std::vector<CurveModel> models;
  AttackCurveOptions options;
  std::uint64_t seed = 0;  // of the attacks; only recorded here
};

[[nodiscard]] AttackCurve attack_curve(const AttackCurveTask& task, Progress* progress = nullptr);

// A line for each result whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const AttackCurve& record);

[[nodiscard]] View view(const AttackCurve& record);

}  // namespace leeway::tasks
