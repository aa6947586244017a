// The page of leeway pa.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

std::string pair_table(const PaView& record) {
  using record::PaSet;
  const std::vector<ColumnOf<PaSet>> columns = {
      {pa_column(), [](const PaSet& set) { return pa_cell(pa_of(set.agreement)); }},
      {number_column("Largest possible", "log k"),
       [](const PaSet& set) { return fixed_cell(set.log_k(), 2); }},
      {beta_column(), [](const PaSet& set) { return significant_cell(set.agreement.beta, 3); }},
      {same_prediction_column(), [](const PaSet& set) { return share_cell(afr_pred_of(set.agreement)); }},
      {interval_column("Right after the shift", "Share of shifted samples predicted as their label"),
       [](const PaSet& set) { return share_cell(afr_true_of(set.agreement), "no labels were given"); }},
      {number_column("Gap", "Certified: no β gives more than this beyond PA"),
       [](const PaSet& set) {
         return set.agreement.fitted ? significant_cell(set.agreement.gap, 2)
                                     : dash_cell("β is that of the first shifted set");
       }},
      {number_column("n"), [](const PaSet& set) { return count_cell(set.agreement.n); }}};
  return table_of_sets(record, "Every shifted set against the clean one", columns, record.results,
                       std::identity());
}

// " Nothing shows that ...": of the sets that may be no pairs.
std::string doubts(const PaView& record) {
  std::vector<std::string> names;
  std::string reason;
  for (const record::PaSet& result : record.results) {
    if (!result.pairing || result.pairing->pairs()) continue;
    if (names.empty()) reason = result.pairing->reason;
    append_new(names, result.name());
  }
  if (names.empty()) return "";
  return fmt::format(" Nothing shows that rows of {} are those of the clean set: {}.",
                     list_of(at_most(3, names)), reason);
}

}  // namespace

PaView::PaView(const record::Pa& pa) : results(pa.results), gaps(pa.ar_gap) {
  for (const record::PaSet& result : results) {
    append_new(models, result.model);
    append_new(shifted, result.shift_name());
  }
}

std::size_t PaView::slot(const record::PaSet& result) const {
  return static_cast<std::size_t>(std::ranges::find(models, result.model) - models.begin()) % series;
}

double PaView::log_k() const {
  double most = 0;
  for (const record::PaSet& result : results) most = std::max(most, result.log_k());
  return most;
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

std::string subject(const PaView& record, const record::PaSet& result) {
  return record.models.size() > 1 ? result.model + " under " + result.name() : result.name();
}

std::vector<std::pair<std::string, std::string>> pa_meanings(double most) {
  return {
      {"PA",
       fmt::format("Posterior agreement: how much of what the model says, its confidence included, survives "
                   "the shift. 0 is no more than guessing, {} is perfect.",
                   fixed(most, 2))},
      {"β",
       "How sharply the model's scores may be read before the answers contradict each other; PA is measured "
       "there. Larger is steadier, ∞ means no top choice changes. It depends on the scale of the scores: "
       "compare "
       "it within a model."}};
}

Measured measured(const std::optional<double>& value, const std::optional<Interval>& interval) {
  if (!value || !interval) return {value, {}, {}};
  return {value, interval->low, interval->high};
}

Column pa_column(const std::string& level) {
  return interval_column("PA", "Posterior agreement with its " + level + " interval");
}

Column beta_column() {
  return number_column("β", "The sharpness at which the model agrees with itself best");
}

Column same_prediction_column(bool interval) {
  return {"Same prediction", "AFR: share of samples whose prediction is the same clean and shifted", true,
          interval};
}

std::string html_report(const record::Pa& pa) {
  const PaView record(pa);
  return page("leeway: posterior agreement", pa.envelope.headline + doubts(record),
              pair_table(record) + terms_html(pa_meanings(record.log_k())),
              {ratios_section(record), decomposition_section(record), posteriors_section(record),
               pa_curves_section(record), source_section(pa.envelope)});
}

}  // namespace leeway::report
