#include "apps/leeway/pa_record.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>

#include "leeway/assess/record.h"

namespace leeway::app {
namespace {

Json or_null(const std::optional<double>& value) { return value ? json_number(*value) : Json(); }

// NaN says that there was nothing to average.
Json unless_nan(double value) { return std::isnan(value) ? Json() : json_number(value); }

Json to_json(const agreement::Decomposition& decomposition) {
  Json parts = Json::object();
  for (const auto& group : decomposition.groups)
    parts[std::string(group.name)] = {{"n", group.n},
                                      {"sum", json_number(group.sum)},
                                      {"delta", or_null(group.delta)},
                                      {"approximation", or_null(group.approximation)}};
  return parts;
}

Json to_json(const std::vector<agreement::RatioPoint>& sweep) {
  Json list = Json::array();
  for (const auto& [ratio, shifted, a] : sweep)
    list.push_back({{"ratio", ratio},
                    {"shifted", shifted},
                    {"pa", json_number(a.pa)},
                    {"pa_low", json_number(a.pa_interval.low)},
                    {"pa_high", json_number(a.pa_interval.high)},
                    {"beta", json_number(a.beta)},
                    {"gap", json_number(a.gap)},
                    {"afr_pred", a.afr_pred},
                    {"afr_true", or_null(a.afr_true)}});
  return list;
}

Json to_json(const agreement::Entropies& entropies) {
  Json list = Json::array();
  for (const auto& at : entropies.at)
    list.push_back({{"beta", json_number(at.beta)},
                    {"clean", unless_nan(at.clean)},
                    {"shifted", unless_nan(at.shifted)},
                    {"clean_plain", unless_nan(at.clean_plain)},
                    {"shifted_plain", unless_nan(at.shifted_plain)}});
  return {{"samples", entropies.samples}, {"over", entropies.right_only ? "right" : "all"}, {"at", list}};
}

Json to_json(const agreement::ConfidenceSummary& summary) {
  Json list = Json::array();
  for (const auto& at : summary.at)
    list.push_back({{"beta", json_number(at.beta)},
                    {"mean", unless_nan(at.mean)},
                    {"se", unless_nan(at.standard_error)}});
  return {{"n", summary.n}, {"at", list}};
}

Json to_json(const std::vector<agreement::CurvePoint>& curve) {
  Json list = Json::array();
  for (const auto& point : curve)
    list.push_back({{"beta", json_number(point.beta)}, {"value", json_number(point.value)}});
  return list;
}

Json to_json(const std::string& path, const agreement::Agreement& a) {
  Json r = {{"shifted", path},
            {"n", a.n},
            {"k", a.k},
            {"beta", json_number(a.beta)},
            {"pa", json_number(a.pa)},
            {"pa_low", json_number(a.pa_interval.low)},
            {"pa_high", json_number(a.pa_interval.high)},
            {"pa_normalized", json_number(a.pa_normalized)},
            {"log_pa_mean", json_number(a.value)},
            {"log_pa_sum", json_number(a.log_pa_sum)},
            {"gap", a.fitted ? json_number(a.gap) : Json()},
            {"converged", a.fitted ? Json(a.converged) : Json()},
            {"evaluations", a.evaluations},
            {"afr_pred", a.afr_pred},
            {"afr_pred_low", a.afr_pred_interval.low},
            {"afr_pred_high", a.afr_pred_interval.high}};
  if (!a.fitted) r["beta_shared"] = true;
  r["afr_true"] = or_null(a.afr_true);
  if (a.afr_true) {
    r["afr_true_low"] = a.afr_true_interval->low;
    r["afr_true_high"] = a.afr_true_interval->high;
    r["asr"] = *a.attack_success;
  }
  r["curve"] = to_json(a.curve);
  r["local_maxima"] = to_json(a.local_maxima);
  return r;
}

// Of one model's sets: their files alone, "pgd8" of "cnn/pgd8.npz" and of "cnn-pgd8.npz", where these differ, or
// their paths.
std::vector<std::string> shift_names(std::span<const PaResult> sets) {
  const std::string& model = sets.front().model;
  std::vector<std::string> paths, names;
  for (const PaResult& set : sets) {
    paths.push_back(set.shifted);
    names.push_back(std::filesystem::path(set.shifted).stem().string());
  }
  const std::size_t prefix = model.size() + 1;
  if (std::ranges::all_of(names, [&](const std::string& name) {
        return name.size() > prefix && name.starts_with(model) &&
               (name[prefix - 1] == '-' || name[prefix - 1] == '_');
      }))
    for (std::string& name : names) name.erase(0, prefix);
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : paths;
}

}  // namespace

std::vector<std::string> pa_shift_names(const PaResults& results) {
  const std::span<const PaResult> sets = results.sets;
  const std::string& first = sets.front().model;
  const auto count = static_cast<std::size_t>(std::ranges::count(sets, first, &PaResult::model));
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < sets.size(); begin += count) {
    const std::vector<std::string> own = shift_names(sets.subspan(begin, count));
    if (begin == 0) names = own;
    for (std::size_t i = 0; i < count; ++i)
      if (names[i] != own[i] && !names[i].ends_with(" / " + own[i])) names[i] += " / " + own[i];
  }
  return names;
}

Json pa_results_json(const PaResults& results) {
  Json list = Json::array();
  const std::vector<std::string> shifts = pa_shift_names(results);
  for (const PaResult& set : results.sets) {
    Json r = to_json(set.shifted, set.agreement);
    if (set.evidence) r["pairing"] = assess::pairing_json(*set.evidence);
    if (results.several_models) {
      r["model"] = set.model;
      r["shift"] = shifts[list.size() % shifts.size()];
    }
    if (set.decomposition) r["decomposition"] = to_json(*set.decomposition);
    if (!set.sweep.empty()) r["ratios"] = to_json(set.sweep);
    if (set.entropy) r["entropy"] = to_json(*set.entropy);
    if (set.confidence)
      r["confidence"] = {
          {"clean_right", set.confidence->clean_right ? to_json(*set.confidence->clean_right) : Json()},
          {"moved", to_json(set.confidence->moved)}};
    list.push_back(std::move(r));
  }
  return list;
}

Json pa_gaps_json(const PaResults& results) {
  Json list = Json::array();
  const std::vector<std::string> shifts = pa_shift_names(results);
  for (const PaGap& gap : results.gaps) {
    Json points = Json::array();
    for (const auto& point : gap.points)
      points.push_back({{"pa", json_number(point.pa)},
                        {"ratio_plus", point.ratio_plus},
                        {"ratio_minus", or_null(point.ratio_minus)},
                        {"gap", or_null(point.gap)}});
    list.push_back({{"shifted", gap.shifted},
                    {"shift", shifts[gap.place]},
                    {"model_plus", gap.plus},
                    {"model_minus", gap.minus},
                    {"points", std::move(points)}});
  }
  return list;
}

}  // namespace leeway::app
