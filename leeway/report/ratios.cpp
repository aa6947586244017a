#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/lines.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

struct Metric {
  const char* words;  // of the choice
  const char* note;
  const char* label;  // in front of a value
  const Measured PaRatio::*value;
  bool percent;
};
constexpr Metric metrics[] = {
    {"posterior agreement", "PA", "PA", &PaRatio::pa, false},
    {"same prediction, AFR(P)", "same prediction", "same prediction", &PaRatio::afr_pred, true},
    {"right, AFR(T)", "right", "right", &PaRatio::afr_true, true}};

std::string words(const PaResult& result, const PaRatio& at) {
  std::string out = fmt::format("{} of samples shifted", percent(at.ratio));
  for (const Metric& metric : metrics)
    if ((at.*(metric.value)).value)
      out += fmt::format("\n{} {}", metric.label, value_words(at.*(metric.value), metric.percent));
  if (at.beta) out += "\nβ " + significant(*at.beta, 3);
  return out + "\nn = " + count(result.n);
}

Line line_of(const PaRecord& record, const PaResult& result, const Metric& metric) {
  Line line{result.model.empty() ? metric.label : result.model, record.slot(result), {}};
  for (const PaRatio& at : result.ratios)
    line.points.push_back({at.ratio, at.*(metric.value), percent(at.ratio), words(result, at)});
  return line;
}

std::string points_of(double share) { return fmt::format("{:.0f} points", 100 * std::abs(share)); }

// The largest gap between two models that both stand in the chart: more would hide the lines.
std::vector<Span> span_of(const PaRecord& record, const std::vector<const PaResult*>& shown) {
  const auto drawn = [&](const std::string& model) {
    return std::any_of(shown.begin(), shown.end(), [&](const PaResult* r) { return r->model == model; });
  };
  const PaRatioGap* widest = nullptr;
  const auto width = [](const PaRatioGap& gap) {
    return std::abs(gap.furthest()->ratio_plus - gap.furthest()->ratio_minus);
  };
  for (const PaRatioGap& gap : record.gaps)
    if (gap.shifted == shown[0]->shifted && gap.furthest() != nullptr && drawn(gap.plus) &&
        drawn(gap.minus) && (widest == nullptr || width(gap) > width(*widest)))
      widest = &gap;
  if (widest == nullptr || width(*widest) < .005) return {};
  const PaRatioGap::At at = *widest->furthest();
  return {{std::min(at.ratio_minus, at.ratio_plus), std::max(at.ratio_minus, at.ratio_plus), at.pa,
           points_of(at.ratio_plus - at.ratio_minus),
           fmt::format("{} at {} shifted and {} at {}\nboth have PA {}\nAR gap {}", widest->minus,
                       percent(at.ratio_minus), widest->plus, percent(at.ratio_plus), fixed(at.pa, 3),
                       points_of(at.ratio_plus - at.ratio_minus))}};
}

Chart ratio_chart(const PaRecord& record, const std::vector<const PaResult*>& shown, const Metric& metric,
                  double log_k) {
  LineAxes axes{.y_high = metric.percent ? 1 : log_k,
                .x_ticks = {0, .25, .5, .75, 1},
                .x_names = {"0%", "25%", "50%", "75%", "100%"},
                .x_title = "share of samples shifted",
                .percent = metric.percent};
  std::vector<Line> lines;
  for (const PaResult* result : shown) lines.push_back(line_of(record, *result, metric));
  const bool pa = metric.value == &PaRatio::pa;
  Chart chart = line_chart(shown[0]->shifted,
                           pa ? fmt::format("{}, of at most {}", metric.note, fixed(log_k, 2)) : metric.note,
                           lines, axes, pa ? span_of(record, shown) : std::vector<Span>{});
  for (Json& row : chart.data[0].second) row["measure"] = metric.label;
  chart.numbers.columns.insert(chart.numbers.columns.begin() + 2, {"Measure", "measure"});
  return chart;
}

// Results that share a chart: one shifted set, at most `series` models.
std::vector<std::vector<const PaResult*>> panels(const PaRecord& record) {
  std::vector<std::vector<const PaResult*>> out;
  for (const std::string& shifted : record.shifted) {
    std::vector<const PaResult*> panel;
    for (const PaResult& result : record.results) {
      if (result.shifted != shifted || result.ratios.empty()) continue;
      if (panel.size() == series) {
        out.push_back(panel);
        panel.clear();
      }
      panel.push_back(&result);
    }
    if (!panel.empty()) out.push_back(panel);
  }
  return out;
}

const PaRatioGap* widest_gap(const PaRecord& record) {
  const PaRatioGap* widest = nullptr;
  double width = 0;
  for (const PaRatioGap& gap : record.gaps)
    if (const PaRatioGap::At* at = gap.furthest())
      if (std::abs(at->ratio_plus - at->ratio_minus) > width) {
        widest = &gap;
        width = std::abs(at->ratio_plus - at->ratio_minus);
      }
  return widest;
}

std::string heading(const PaRecord& record) {
  if (const PaRatioGap* gap = widest_gap(record)) {
    const PaRatioGap::At at = *gap->furthest();
    const bool as_named = at.ratio_minus <= at.ratio_plus;
    const std::string &weak = as_named ? gap->minus : gap->plus, &steady = as_named ? gap->plus : gap->minus;
    return fmt::format("{}: with {} of samples shifted {} agrees with itself as little as {} does with {}",
                       escape(gap->shifted), percent(std::min(at.ratio_minus, at.ratio_plus)), escape(weak),
                       escape(steady), percent(std::max(at.ratio_minus, at.ratio_plus)));
  }
  const PaResult* worst = nullptr;
  for (const PaResult& result : record.results)
    if (!result.ratios.empty() && result.ratios.back().pa.value &&
        (worst == nullptr || *result.ratios.back().pa.value < *worst->ratios.back().pa.value))
      worst = &result;
  if (worst == nullptr) return "Agreement against the share of samples that are shifted";
  const PaRatio &first = worst->ratios.front(), &last = worst->ratios.back();
  return fmt::format("{}: agreement falls from {} to {} as the share of shifted samples grows from {} to {}",
                     escape(subject(record, *worst)), fixed(first.pa.value.value_or(NAN), 2),
                     fixed(*last.pa.value, 2), percent(first.ratio), percent(last.ratio));
}

std::string gap_table(const PaRecord& record) {
  Table table("AR gap: how much more may be shifted before one model agrees as little as the other",
              {{"Shifted set", "", false},
               {"Model", "", false},
               {"Compared with", "", false},
               {"At PA", "The agreement that both have"},
               {"Shifted", "Share of samples shifted, of the model"},
               {"Compared", "Share of samples shifted, of the model it is compared with"},
               {"Gap, points", "Difference of the two shares"}});
  for (const PaRatioGap& gap : record.gaps) {
    const PaRatioGap::At* at = gap.furthest();
    std::vector<Cell> row = {text_cell(gap.shifted), text_cell(gap.plus), text_cell(gap.minus)};
    if (at == nullptr) {
      row.insert(row.end(), 4, dash_cell("the two models have no agreement in common"));
    } else {
      const double width = at->ratio_plus - at->ratio_minus;
      row.insert(row.end(),
                 {number_cell(at->pa, fixed(at->pa, 3)), number_cell(at->ratio_plus, percent(at->ratio_plus)),
                  number_cell(at->ratio_minus, percent(at->ratio_minus)),
                  number_cell(100 * width, signed_points({width, {}, {}}))});
    }
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.html();
}

}  // namespace

Section ratios_section(const PaRecord& record) {
  Section section{"ratios", "Share shifted", "", ""};
  const auto shown = panels(record);
  if (shown.empty()) return section;
  double log_k = 0;
  for (const auto& panel : shown)
    for (const PaResult* result : panel) log_k = std::max(log_k, result->log_k());
  std::vector<Choice> choices;
  for (const Metric& metric : metrics) {
    const bool known = std::any_of(shown.begin(), shown.end(), [&](const auto& panel) {
      return std::any_of(panel.begin(), panel.end(), [&](const PaResult* result) {
        return std::any_of(result->ratios.begin(), result->ratios.end(),
                           [&](const PaRatio& at) { return (at.*(metric.value)).value.has_value(); });
      });
    });
    if (!known) continue;
    choices.push_back({metric.words, {}});
    for (const auto& panel : shown)
      choices.back().charts.push_back(ratio_chart(record, panel, metric, log_k));
  }
  section.heading = heading(record);
  section.body =
      paragraph(std::string(
                    "A growing share of the clean samples is replaced by their shifted versions, those that "
                    "change least first. A model that can be trusted longer falls later.") +
                (widest_gap(record) == nullptr
                     ? ""
                     : " The bar between two lines is the AR gap: how much more one model takes before it "
                       "agrees as little as the other.")) +
      choice_panels_html(choices) + gap_table(record);
  return section;
}

}  // namespace leeway::report
