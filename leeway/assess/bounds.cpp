#include "leeway/assess/bounds.h"

#include <fmt/format.h>

#include "leeway/core/error.h"

namespace leeway::assess {
namespace {

using error_bound::Dis2;
using error_bound::Estimate;
using error_bound::Estimates;
using error_bound::Sample;

constexpr std::string_view representation = "logits";

// Calls `compute`; what the library refuses becomes the reason.
template <class Compute>
auto attempt(const Compute& compute, std::string& reason) -> std::optional<decltype(compute())> {
  try {
    return compute();
  } catch (const Error& refused) {
    reason = refused.what();
    return std::nullopt;
  }
}

}  // namespace

Json terms_json(const Dis2& dis2) {
  const std::string warning = error_bound::critic_warning(dis2);
  Json concentrations = Json::array();
  for (const auto& one : dis2.concentrations)
    concentrations.push_back(
        {{"name", one.name}, {"term", json_number(one.term)}, {"bound", json_number(one.bound)}});
  return {{"source_error", dis2.source_error},
          {"discrepancy", dis2.discrepancy},
          {"concentration", dis2.concentration},
          {"estimate", dis2.estimate},
          {"n_source", dis2.n_source},
          {"n_target", dis2.n_target},
          {"training_source", dis2.training_source},
          {"training_target", dis2.training_target},
          {"agreement_source", dis2.agreement_source},
          {"agreement_target", dis2.agreement_target},
          {"validity_score", dis2.validity_score ? Json(*dis2.validity_score) : Json()},
          {"critic_warning", warning.empty() ? Json() : Json(warning)},
          {"concentrations", std::move(concentrations)}};
}

Bounds error_bounds(const Outputs& source, std::span<const std::int64_t> labels, const Outputs& target,
                    const Options& options, Progress* progress) {
  Bounds bounds;
  if (!options.bounds.compute || labels.empty()) {
    bounds.no_bound = bounds.no_estimates =
        labels.empty() ? "the source has no labels" : "bounds and estimates were left out on request";
    return bounds;
  }
  const Sample known{source.path, source.logits, {labels.begin(), labels.end()}, {}};
  const Sample unknown{target.path, target.logits, {}, {}};
  error_bound::Dis2Options critics;
  critics.restarts = options.bounds.restarts;
  critics.delta = options.bounds.delta;
  critics.seed = options.seed;
  critics.progress = progress;
  error_bound::EstimateOptions estimating;
  estimating.bootstrap = options.bounds.bootstrap;
  estimating.level = options.level;
  estimating.seed = options.seed;
  estimating.progress = progress;
  bounds.dis2 = attempt([&] { return error_bound::dis2_bound(known, unknown, critics); }, bounds.no_bound);
  bounds.estimates =
      attempt([&] { return error_bound::estimate_error(known, unknown, estimating); }, bounds.no_estimates);
  if (source.n() < 2 || target.n() < 2)
    bounds.no_bound = fmt::format(
        "the bound is measured on rows held out from both sets, so each needs 2 or more; there are {} and {}",
        source.n(), target.n());
  return bounds;
}

void put_bounds(Json& result, const Bounds& bounds) {
  result["error_bound"] = bounds.dis2 ? Json(bounds.dis2->bound) : Json();
  result["error_bound_terms"] = bounds.dis2 ? terms_json(*bounds.dis2) : Json();
  Json errors = Json::object(), intervals = Json::object();
  for (const error_bound::Estimator& member : error_bound::estimators())
    errors[std::string(member.name)] = nullptr;
  if (bounds.estimates)
    for (const Estimate& estimate : bounds.estimates->estimates) {
      const std::string method(estimate.estimator->name);
      errors[method] = estimate.error;
      if (estimate.interval)
        intervals[method] = {{"low", estimate.interval->low}, {"high", estimate.interval->high}};
    }
  result["estimates"] = std::move(errors);
  result["estimate_intervals"] = std::move(intervals);
}

Json bounds_json(const Options& options) {
  if (!options.bounds.compute) return {};
  const error_bound::Assumption assumption = error_bound::dis2_assumption(representation);
  Json methods = Json::array();
  for (const error_bound::Estimator& member : error_bound::estimators())
    methods.push_back({{"method", member.name},
                       {"summary", member.summary},
                       {"assumes", member.assumes},
                       {"fails", member.fails}});
  return {{"representation", representation},
          {"delta", options.bounds.delta},
          {"restarts", options.bounds.restarts},
          {"bootstrap", options.bounds.bootstrap},
          {"assumption",
           fmt::format(
               "The bound holds with probability {:g}% for independent samples if {}; it is too low if {}.",
               100 * (1 - options.bounds.delta), assumption.assumes, assumption.fails)},
          {"methods", std::move(methods)}};
}

}  // namespace leeway::assess
