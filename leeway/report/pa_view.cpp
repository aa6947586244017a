#include "leeway/report/pa_view.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "leeway/report/chart.h"
#include "leeway/report/record.h"

namespace leeway::report {

PaView::PaView(const record::Pa& pa) : results(pa.results), gaps(pa.ar_gap) {
  for (const record::PaSet& result : results) {
    append_new(models, result.model);
    append_new(shifted, result.shift_name());
  }
}

std::size_t PaView::slot(const record::PaSet& result) const {
  return static_cast<std::size_t>(std::find(models.begin(), models.end(), result.model) - models.begin()) %
         series;
}

const record::PaSet* PaView::find(const std::string& model, const std::string& shift) const {
  for (const record::PaSet& result : results)
    if (result.model == model && result.shift_name() == shift) return &result;
  return nullptr;
}

Measured pa_of(const agreement::Agreement& agreement) {
  const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
  return {known(agreement.pa), known(agreement.pa_interval.low), known(agreement.pa_interval.high)};
}

Measured afr_pred_of(const agreement::Agreement& agreement) {
  return {agreement.afr_pred, agreement.afr_pred_interval.low, agreement.afr_pred_interval.high};
}

Measured afr_true_of(const agreement::Agreement& agreement) {
  if (!agreement.afr_true || !agreement.afr_true_interval) return {agreement.afr_true, {}, {}};
  return {agreement.afr_true, agreement.afr_true_interval->low, agreement.afr_true_interval->high};
}

const agreement::ArGapPoint* furthest(const record::PaGap& gap) {
  const agreement::ArGapPoint* most = nullptr;
  for (const agreement::ArGapPoint& point : gap.points)
    if (point.ratio_minus && (most == nullptr || point.ratio_plus > most->ratio_plus)) most = &point;
  return most;
}

std::string subject(const PaView& record, const record::PaSet& result) {
  return record.models.size() > 1 ? result.model + " under " + result.name() : result.name();
}

}  // namespace leeway::report
