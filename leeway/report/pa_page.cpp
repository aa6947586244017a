#include <fmt/format.h>

#include <cmath>

#include "leeway/core/message.h"
#include "leeway/report/curves.h"
#include "leeway/report/json_view.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

struct Pair {
  std::string shifted;
  std::size_t n = 0, k = 2;
  Measured pa, afr_pred, afr_true;
  std::optional<double> beta, gap;
  std::vector<Point> curve;
};

std::vector<Pair> pairs_of(const JsonView& view) {
  std::vector<Pair> pairs;
  for (const JsonView& item : view["results"].items()) {
    Pair pair;
    pair.shifted = item["shifted"].text();
    pair.n = item["n"].index().value_or(0);
    pair.k = std::max<std::size_t>(2, item["k"].index().value_or(2));
    pair.pa = {item["pa"].number(), item["pa_low"].number(), item["pa_high"].number()};
    pair.afr_pred = {item["afr_pred"].share(), item["afr_pred_low"].share(), item["afr_pred_high"].share()};
    pair.afr_true = {item["afr_true"].share(), item["afr_true_low"].share(), item["afr_true_high"].share()};
    pair.beta = item["beta"].number();
    pair.gap = item["gap"].number();
    for (const JsonView& point : item["curve"].items()) {
      const auto beta = point["beta"].number(), value = point["value"].number();
      if (beta && value) pair.curve.push_back({*beta, *value});
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::string pair_table(const std::vector<Pair>& pairs) {
  Table table("Every shifted set against the clean one",
              {{"Shifted set", "", false},
               {"PA", "Posterior agreement with its 95% interval", true, true},
               {"Largest possible", "log k"},
               {"β", ""},
               {"Same prediction", "AFR: share of samples whose prediction is the same clean and shifted",
                true, true},
               {"Right after the shift", "Share of shifted samples predicted as their label", true, true},
               {"Gap", "Certified: no β gives more than this beyond PA"},
               {"n", ""}});
  for (const Pair& pair : pairs) {
    const double log_k = std::log(static_cast<double>(pair.k));
    table.add({text_cell(pair.shifted), pa_cell(pair.pa, ""), number_cell(log_k, fixed(log_k, 2)),
               pair.beta ? number_cell(*pair.beta, significant(*pair.beta, 3)) : dash_cell(""),
               share_cell(pair.afr_pred, ""), share_cell(pair.afr_true, "no labels were given"),
               pair.gap ? number_cell(*pair.gap, significant(*pair.gap, 2)) : dash_cell(""),
               count_cell(pair.n)});
  }
  return table.html();
}

}  // namespace

std::string pa_page(const Json& record, const Options& options) {
  const auto pairs = pairs_of(JsonView(record, options.record_name));
  if (pairs.empty()) refuse(options.record_name, "at least one result", "none");
  const Pair* worst = &pairs[0];
  std::vector<Curve> curves;
  for (const Pair& pair : pairs) {
    if (pair.pa.value.value_or(HUGE_VAL) < worst->pa.value.value_or(HUGE_VAL)) worst = &pair;
    if (!pair.curve.empty())
      curves.push_back({pair.shifted,
                        "PA",
                        0,
                        std::log(static_cast<double>(pair.k)),
                        pair.beta,
                        pair.pa.value,
                        pair.curve,
                        {}});
  }
  const std::string headline = fmt::format(
      "Between the clean set and {}, {} of {} posterior agreement is left; {} of predictions stay the same.",
      worst->shifted, worst->pa.value ? fixed(*worst->pa.value, 2) : "an unknown part",
      fixed(std::log(static_cast<double>(worst->k)), 2),
      worst->afr_pred.value ? percent(worst->afr_pred) : "an unknown share");
  std::string lead =
      pair_table(pairs) +
      "<dl class=\"terms\"><div><dt>PA</dt><dd>Posterior agreement: how much of what the classifier says, "
      "its confidence included, survives "
      "the shift. 0 is no more than guessing, log k is perfect.</dd></div><div><dt>β</dt><dd>How sharply the "
      "scores may be read before the two sets of answers contradict each "
      "other; PA is measured there. ∞ means no top choice ever changes.</dd></div></dl>\n";
  std::vector<Section> sections;
  if (!curves.empty())
    sections.push_back({"agreement", "Agreement",
                        "Agreement against the sharpness β at which scores are read",
                        paragraph("The highest point, marked, is PA. The lines join the values that the "
                                  "search for it looked at; pa --curve adds more.") +
                            panels_html(curve_charts(curves))});
  sections.push_back(source_section(read_envelope(record, options.record_name)));
  return page("leeway: posterior agreement", headline, lead, sections);
}

}  // namespace leeway::report
