#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/curves.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

std::string pair_table(const PaRecord& record) {
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
  for (const PaResult& result : record.results)
    table.add(result_cells(record, result,
                           {pa_cell(result.pa, ""), number_cell(result.log_k(), fixed(result.log_k(), 2)),
                            significant_cell(result.beta, 3, ""), share_cell(result.afr_pred, ""),
                            share_cell(result.afr_true, "no labels were given"),
                            significant_cell(result.gap, 2, ""), count_cell(result.n)}));
  return table.html(record.models.size() > 1 ? 2 : 1);
}

std::string headline(const PaRecord& record) {
  const auto pa = [](const PaResult& result) { return result.pa.value.value_or(HUGE_VAL); };
  const PaResult& worst =
      *std::min_element(record.results.begin(), record.results.end(),
                        [&](const PaResult& a, const PaResult& b) { return pa(a) < pa(b); });
  const std::string same = worst.afr_pred.value ? percent(worst.afr_pred) : std::string("an unknown share");
  const std::string left = worst.pa.value ? fixed(*worst.pa.value, 2) : "an unknown part";
  if (record.models.size() > 1)
    return fmt::format(
        "Between the clean set and {}, {} keeps {} of {} posterior agreement; {} of its predictions stay the "
        "same.",
        worst.name(), worst.model, left, fixed(worst.log_k(), 2), same);
  return fmt::format(
      "Between the clean set and {}, {} of {} posterior agreement is left; {} of predictions stay the same.",
      worst.name(), left, fixed(worst.log_k(), 2), same);
}

// " Nothing shows that ...": of the sets that may be no pairs.
std::string doubts(const PaRecord& record) {
  std::vector<std::string> names;
  const PaResult* first = nullptr;
  for (const PaResult& result : record.results) {
    if (result.doubt.empty()) continue;
    if (first == nullptr) first = &result;
    append_new(names, result.name());
  }
  if (first == nullptr) return "";
  if (names.size() > 3) names = {names[0], names[1], fmt::format("{} more", names.size() - 2)};
  return fmt::format(" Nothing shows that rows of {} are those of the clean set: {}.", list_of(names),
                     first->doubt);
}

}  // namespace

Table result_table(const PaRecord& record, const std::string& caption, const std::vector<Column>& columns) {
  std::vector<Column> all = {{"Shifted set", "", false}};
  if (record.models.size() > 1) all.push_back({"Model", "", false});
  all.insert(all.end(), columns.begin(), columns.end());
  return {caption, all};
}

std::vector<Cell> result_cells(const PaRecord& record, const PaResult& result,
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

Section pa_curves_section(const PaRecord& record) {
  Section section{"agreement", "Agreement", "Agreement against the sharpness β at which scores are read", ""};
  std::vector<Curve> curves;
  for (const std::string& shifted : record.shifted)
    for (const PaResult& result : record.results)
      if (result.shifted == shifted && !result.curve.empty())
        curves.push_back({result.shifted, result.model.empty() ? "PA" : result.model, record.slot(result),
                          result.log_k(), result.beta, result.pa.value, result.curve,
                          record.models.size() > 1 ? std::vector<Point>{} : result.local_maxima});
  if (curves.empty()) return section;
  section.body = paragraph(
                     "The highest point, marked, is PA. The lines join the values that the search for it "
                     "looked at; pa --curve adds more.") +
                 panels_html(curve_charts(curves));
  return section;
}

std::string pa_page(const PaRecord& record) {
  double log_k = 0;
  for (const PaResult& result : record.results) log_k = std::max(log_k, result.log_k());
  const std::string lead =
      pair_table(record) + terms_html({{"PA", pa_meaning(fixed(log_k, 2))}, {"β", beta_meaning()}});
  return page("leeway: posterior agreement", headline(record) + doubts(record), lead,
              {ratios_section(record), decomposition_section(record), posteriors_section(record),
               pa_curves_section(record), source_section(record.envelope)});
}

}  // namespace leeway::report
