#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/curves.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

Cell gap_cell(const agreement::Agreement& agreement) {
  if (!agreement.fitted) return dash_cell("β is that of the first shifted set");
  return significant_cell(agreement.gap, 2, "");
}

std::string pair_table(const PaView& record) {
  Table table = result_table(
      record, "Every shifted set against the clean one",
      {{"PA", "Posterior agreement with its 95% interval", true, true},
       {"Largest possible", "log k"},
       {"β", "The sharpness at which the model agrees with itself best"},
       {"Same prediction", "AFR: share of samples whose prediction is the same clean and shifted", true,
        true},
       {"Right after the shift", "Share of shifted samples predicted as their label", true, true},
       {"Gap", "Certified: no β gives more than this beyond PA"},
       {"n", ""}});
  for (const record::PaSet& result : record.results)
    table.add(result_cells(
        record, result,
        {pa_cell(pa_of(result.agreement), ""), number_cell(result.log_k(), fixed(result.log_k(), 2)),
         significant_cell(result.agreement.beta, 3, ""), share_cell(afr_pred_of(result.agreement), ""),
         share_cell(afr_true_of(result.agreement), "no labels were given"), gap_cell(result.agreement),
         count_cell(result.agreement.n)}));
  return table.html(record.models.size() > 1 ? 2 : 1);
}

// " Nothing shows that ...": of the sets that may be no pairs.
std::string doubts(const PaView& record) {
  std::vector<std::string> names;
  const record::PaSet* first = nullptr;
  for (const record::PaSet& result : record.results) {
    if (!result.pairing || result.pairing->pairs()) continue;
    if (first == nullptr) first = &result;
    append_new(names, result.name());
  }
  if (first == nullptr) return "";
  if (names.size() > 3) names = {names[0], names[1], fmt::format("{} more", names.size() - 2)};
  return fmt::format(" Nothing shows that rows of {} are those of the clean set: {}.", list_of(names),
                     first->pairing->reason);
}

std::vector<Point> points_of(std::vector<agreement::CurvePoint> curve) {
  std::ranges::stable_sort(curve, {}, &agreement::CurvePoint::beta);
  std::vector<Point> points;
  for (const auto& [beta, value] : curve)
    if (!std::isnan(value)) points.push_back({beta, value});
  return points;
}

}  // namespace

Table result_table(const PaView& record, const std::string& caption, const std::vector<Column>& columns) {
  std::vector<Column> all = {{"Shifted set", "", false}};
  if (record.models.size() > 1) all.push_back({"Model", "", false});
  all.insert(all.end(), columns.begin(), columns.end());
  return {caption, all};
}

std::vector<Cell> result_cells(const PaView& record, const record::PaSet& result,
                               const std::vector<Cell>& cells) {
  std::vector<Cell> all = {text_cell(result.name())};
  if (record.models.size() > 1) all.push_back(text_cell(result.model));
  all.insert(all.end(), cells.begin(), cells.end());
  return all;
}

std::string pa_meaning(const std::string& most) {
  return fmt::format(
      "Posterior agreement: how much of what the model says, its confidence included, survives the shift. 0 "
      "is "
      "no more than guessing, {} is perfect.",
      most);
}

std::string beta_meaning() {
  return "How sharply the model's scores may be read before the answers contradict each other; PA is "
         "measured "
         "there. Larger is steadier, ∞ means no top choice changes. It depends on the scale of the scores: "
         "compare it within a model.";
}

Section pa_curves_section(const PaView& record) {
  Section section{"agreement", "Agreement", "Agreement against the sharpness β at which scores are read", ""};
  std::vector<Curve> curves;
  for (const std::string& shifted : record.shifted)
    for (const record::PaSet& result : record.results) {
      const agreement::Agreement& a = result.agreement;
      if (result.shift_name() != shifted || a.curve.empty()) continue;
      curves.push_back({shifted, result.model.empty() ? "PA" : result.model, record.slot(result),
                        result.log_k(), a.beta, pa_of(a).value, points_of(a.curve),
                        record.models.size() > 1 ? std::vector<Point>{} : points_of(a.local_maxima)});
    }
  if (curves.empty()) return section;
  section.body = paragraph(
                     "The highest point, marked, is PA. The lines join the values that the search for it "
                     "looked at; pa --curve adds more.") +
                 panels_html(curve_charts(curves));
  return section;
}

std::string html_report(const record::Pa& pa) {
  const PaView record(pa);
  double log_k = 0;
  for (const record::PaSet& result : record.results) log_k = std::max(log_k, result.log_k());
  const std::string lead =
      pair_table(record) + terms_html({{"PA", pa_meaning(fixed(log_k, 2))}, {"β", beta_meaning()}});
  return page("leeway: posterior agreement", pa.envelope.headline + doubts(record), lead,
              {ratios_section(record), decomposition_section(record), posteriors_section(record),
               pa_curves_section(record), source_section(envelope_of(pa.envelope))});
}

}  // namespace leeway::report
