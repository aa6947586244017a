#include "leeway/assess/record.h"

#include <cmath>

#include "leeway/assess/confidence.h"

namespace leeway::assess {
namespace {

void put_share(Json& object, const std::string& key, const std::string& prefix,
               const std::optional<Share>& share) {
  object[key] = share ? Json(share->value) : Json();
  object[prefix + "low"] = share ? Json(share->interval.low) : Json();
  object[prefix + "high"] = share ? Json(share->interval.high) : Json();
}

void put_share(Json& object, const std::string& key, const std::optional<Share>& share) {
  put_share(object, key, key + "_", share);
}

Json points(const std::vector<agreement::CurvePoint>& curve) {
  Json list = Json::array();
  for (const auto& point : curve)
    list.push_back({{"beta", json_number(point.beta)}, {"value", json_number(point.value)}});
  return list;
}

void put_agreement(Json& object, const std::optional<agreement::Agreement>& found) {
  const auto number = [&](double agreement::Agreement::*member) {
    return found ? json_number((*found).*member) : Json();
  };
  using agreement::Agreement;
  object["pa"] = number(&Agreement::pa);
  object["pa_low"] = found ? json_number(found->pa_interval.low) : Json();
  object["pa_high"] = found ? json_number(found->pa_interval.high) : Json();
  object["pa_normalized"] = number(&Agreement::pa_normalized);
  object["log_pa_mean"] = number(&Agreement::value);
  object["beta"] = number(&Agreement::beta);
  object["gap"] = number(&Agreement::gap);
}

Json cell_json(const Cell& cell) {
  Json object = Json::object();
  if (cell.group.empty()) {
    object["class"] = cell.index;
    object["name"] = cell.name;
  } else {
    object["group"] = cell.group;
    object["level"] = cell.name;
  }
  object["n"] = cell.n;
  object["source_n"] = cell.source_n;
  object["source_accuracy"] = cell.source_accuracy ? Json(cell.source_accuracy->value) : Json();
  put_share(object, "accuracy", "", cell.accuracy);
  put_share(object, "afr_pred", "afr_", cell.afr_pred);
  return object;
}

Json cells_json(const std::vector<Cell>& cells, bool by_prediction) {
  Json list = Json::array();
  for (const Cell& cell : cells) {
    list.push_back(cell_json(cell));
    if (by_prediction) list.back()["by"] = "prediction";
  }
  return list;
}

Json worst_json(const std::vector<Cell>& cells) {
  const Cell* cell = worst(cells);
  return cell ? cell_json(*cell) : Json();
}

Json confidence_json(const Summary& summary) {
  Json edges = Json::array();
  for (std::size_t j = 0; j <= confidence_bins; ++j)
    edges.push_back(static_cast<double>(j) / static_cast<double>(confidence_bins));
  return {{"edges", edges},
          {"clean", summary.clean_histogram},
          {"shifted", summary.shifted_histogram},
          {"clean_mean", summary.clean_confidence},
          {"shifted_mean", summary.shifted_confidence}};
}

Json confusion_json(const Summary& summary, const std::vector<std::string>& class_names) {
  if (summary.confusion.empty()) return {};
  Json counts = Json::array();
  for (std::size_t i = 0; i < summary.k; ++i)
    counts.push_back(std::vector<std::size_t>(summary.confusion.begin() + i * summary.k,
                                              summary.confusion.begin() + (i + 1) * summary.k));
  return {{"labels", class_names}, {"counts", counts}};
}

Json flips_json(const Summary& summary) {
  Json list = Json::array();
  for (const FlipSample& flip : summary.flips)
    list.push_back({{"row", flip.row},
                    {"label", flip.label ? Json(*flip.label) : Json()},
                    {"clean_pred", flip.clean_class},
                    {"shifted_pred", flip.shifted_class},
                    {"clean_confidence", flip.clean_confidence},
                    {"shifted_confidence", flip.shifted_confidence},
                    {"agreement", json_number(flip.agreement)}});
  return list;
}

Json top_flips_json(const Summary& summary) {
  Json list = Json::array();
  for (const TopFlip& flip : summary.top_flips)
    list.push_back({{"from", flip.from}, {"to", flip.to}, {"count", flip.count}});
  return list;
}

}  // namespace

Json pairing_json(const agreement::PairEvidence& evidence) {
  return {
      {"evidence", agreement::name_of(evidence.by)}, {"chance", evidence.chance}, {"words", evidence.reason}};
}

Json to_json(const Summary& s, const std::vector<std::string>& class_names) {
  Json object = {{"model", s.model},       {"target", s.target}, {"n", s.n},
                 {"source_n", s.source_n}, {"k", s.k},           {"paired", s.paired},
                 {"labelled", s.labelled}};
  object["pairing"] = pairing_json(s.pairing.evidence);
  if (!s.paired) object["pairing"]["words"] = s.pairing.reason;
  put_share(object, "accuracy", s.accuracy);
  put_share(object, "source_accuracy", s.source_accuracy);
  object["accuracy_change"] = s.change ? Json(s.change->value) : Json();
  object["accuracy_change_low"] = s.change ? Json(s.change->interval.low) : Json();
  object["accuracy_change_high"] = s.change ? Json(s.change->interval.high) : Json();
  put_share(object, "afr_pred", s.afr_pred);
  object["afr_true"] = s.paired && s.accuracy ? Json(s.accuracy->value) : Json();
  put_agreement(object, s.agreement);
  put_bounds(object, s.bounds);
  object["curve"] = s.agreement ? points(s.agreement->curve) : Json();
  object["local_maxima"] = s.agreement ? points(s.agreement->local_maxima) : Json();
  object["confidence"] = confidence_json(s);
  object["classes"] = cells_json(s.classes, !s.labelled);
  object["groups"] = cells_json(s.groups, false);
  object["worst_class"] = worst_json(s.classes);
  object["worst_group"] = worst_json(s.groups);
  object["confusion"] = confusion_json(s, class_names);
  object["top_flips"] = s.paired ? top_flips_json(s) : Json();
  object["flips"] = s.paired ? flips_json(s) : Json();
  object["predicted_shares"] = {{"clean", s.clean_shares}, {"shifted", s.shifted_shares}};
  object["warnings"] = s.warnings;
  object["not_computed"] = Json::object();
  for (const auto& [key, reason] : s.not_computed) object["not_computed"][key] = reason;
  return object;
}

Json to_json(const Comparison& c) {
  return {{"target", c.target},
          {"model", c.model},
          {"other", c.other},
          {"n", c.n},
          {"difference", c.difference.value},
          {"low", c.difference.interval.low},
          {"high", c.difference.interval.high},
          {"mcnemar_p", c.mcnemar_p},
          {"clear", c.difference.clear()}};
}

}  // namespace leeway::assess
