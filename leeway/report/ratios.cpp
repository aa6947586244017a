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
  Measured (*value)(const agreement::Agreement&);
  bool percent;
};
constexpr Metric metrics[] = {
    {"posterior agreement", "PA", "PA", pa_of, false},
    {"same prediction, AFR(P)", "same prediction", "same prediction", afr_pred_of, true},
    {"right, AFR(T)", "right", "right", afr_true_of, true}};

std::vector<agreement::RatioPoint> by_ratio(const record::PaSet& result) {
  std::vector<agreement::RatioPoint> points = result.ratios;
  std::ranges::stable_sort(points, {}, &agreement::RatioPoint::ratio);
  return points;
}

std::string words(const record::PaSet& result, const agreement::RatioPoint& at) {
  std::string out = fmt::format("{} of samples shifted", percent(at.ratio));
  for (const Metric& metric : metrics)
    if (const Measured value = metric.value(at.agreement); value.value)
      out += fmt::format("\n{} {}", metric.label, value_words(value, metric.percent));
  return out + "\nβ " + significant(at.agreement.beta, 3) + "\nn = " + count(result.agreement.n);
}

Line line_of(const PaView& record, const record::PaSet& result, const Metric& metric) {
  Line line{result.model.empty() ? metric.label : result.model, record.slot(result), {}};
  for (const agreement::RatioPoint& at : by_ratio(result))
    line.points.push_back({at.ratio, metric.value(at.agreement), percent(at.ratio), words(result, at)});
  return line;
}

std::string points_of(double share) { return fmt::format("{:.0f} points", 100 * std::abs(share)); }

// The largest gap between two models that both stand in the chart: more would hide the lines.
std::vector<Span> span_of(const PaView& record, const std::vector<const record::PaSet*>& shown) {
  const auto drawn = [&](const std::string& model) {
    return std::any_of(shown.begin(), shown.end(), [&](const record::PaSet* r) { return r->model == model; });
  };
  const record::PaGap* widest = nullptr;
  const auto width = [](const record::PaGap& gap) {
    return std::abs(furthest(gap)->ratio_plus - *furthest(gap)->ratio_minus);
  };
  for (const record::PaGap& gap : record.gaps)
    if (gap.shift_name() == shown[0]->shift_name() && furthest(gap) != nullptr && drawn(gap.model_plus) &&
        drawn(gap.model_minus) && (widest == nullptr || width(gap) > width(*widest)))
      widest = &gap;
  if (widest == nullptr || width(*widest) < .005) return {};
  const agreement::ArGapPoint at = *furthest(*widest);
  return {{std::min(*at.ratio_minus, at.ratio_plus), std::max(*at.ratio_minus, at.ratio_plus), at.pa,
           points_of(at.ratio_plus - *at.ratio_minus),
           fmt::format("{} at {} shifted and {} at {}\nboth have PA {}\nAR gap {}", widest->model_minus,
                       percent(*at.ratio_minus), widest->model_plus, percent(at.ratio_plus), fixed(at.pa, 3),
                       points_of(at.ratio_plus - *at.ratio_minus))}};
}

Chart ratio_chart(const PaView& record, const std::vector<const record::PaSet*>& shown, const Metric& metric,
                  double log_k) {
  LineAxes axes{.y_high = metric.percent ? 1 : log_k,
                .x_ticks = {0, .25, .5, .75, 1},
                .x_names = {"0%", "25%", "50%", "75%", "100%"},
                .x_title = "share of samples shifted",
                .percent = metric.percent};
  std::vector<Line> lines;
  for (const record::PaSet* result : shown) lines.push_back(line_of(record, *result, metric));
  const bool pa = metric.value == pa_of;
  Chart chart = line_chart(shown[0]->shift_name(),
                           pa ? fmt::format("{}, of at most {}", metric.note, fixed(log_k, 2)) : metric.note,
                           lines, axes, pa ? span_of(record, shown) : std::vector<Span>{});
  for (Json& row : chart.data[0].second) row["measure"] = metric.label;
  chart.numbers.columns.insert(chart.numbers.columns.begin() + 2, {"Measure", "measure"});
  return chart;
}

// Results that share a chart: one shifted set, at most `series` models.
std::vector<std::vector<const record::PaSet*>> panels(const PaView& record) {
  std::vector<std::vector<const record::PaSet*>> out;
  for (const std::string& shifted : record.shifted) {
    std::vector<const record::PaSet*> panel;
    for (const record::PaSet& result : record.results) {
      if (result.shift_name() != shifted || result.ratios.empty()) continue;
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

const record::PaGap* widest_gap(const PaView& record) {
  const record::PaGap* widest = nullptr;
  double width = 0;
  for (const record::PaGap& gap : record.gaps)
    if (const agreement::ArGapPoint* at = furthest(gap))
      if (std::abs(at->ratio_plus - *at->ratio_minus) > width) {
        widest = &gap;
        width = std::abs(at->ratio_plus - *at->ratio_minus);
      }
  return widest;
}

double last_pa(const record::PaSet& result) { return by_ratio(result).back().agreement.pa; }

std::string heading(const PaView& record) {
  if (const record::PaGap* gap = widest_gap(record)) {
    const agreement::ArGapPoint at = *furthest(*gap);
    const bool as_named = *at.ratio_minus <= at.ratio_plus;
    const std::string &weak = as_named ? gap->model_minus : gap->model_plus,
                      &steady = as_named ? gap->model_plus : gap->model_minus;
    return fmt::format("{}: with {} of samples shifted {} agrees with itself as little as {} does with {}",
                       escape(gap->shift_name()), percent(std::min(*at.ratio_minus, at.ratio_plus)),
                       escape(weak), escape(steady), percent(std::max(*at.ratio_minus, at.ratio_plus)));
  }
  const record::PaSet* worst = nullptr;
  for (const record::PaSet& result : record.results)
    if (!result.ratios.empty() && (worst == nullptr || last_pa(result) < last_pa(*worst))) worst = &result;
  if (worst == nullptr) return "Agreement against the share of samples that are shifted";
  const std::vector<agreement::RatioPoint> points = by_ratio(*worst);
  const agreement::RatioPoint &first = points.front(), &last = points.back();
  return fmt::format("{}: agreement falls from {} to {} as the share of shifted samples grows from {} to {}",
                     escape(subject(record, *worst)), fixed(first.agreement.pa, 2),
                     fixed(last.agreement.pa, 2), percent(first.ratio), percent(last.ratio));
}

std::string gap_table(const PaView& record) {
  Table table("AR gap: how much more may be shifted before one model agrees as little as the other",
              {{"Shifted set", "", false},
               {"Model", "", false},
               {"Compared with", "", false},
               {"At PA", "The agreement that both have"},
               {"Shifted", "Share of samples shifted, of the model"},
               {"Compared", "Share of samples shifted, of the model it is compared with"},
               {"Gap, points", "Difference of the two shares"}});
  for (const record::PaGap& gap : record.gaps) {
    const agreement::ArGapPoint* at = furthest(gap);
    std::vector<Cell> row = {text_cell(gap.shift_name()), text_cell(gap.model_plus),
                             text_cell(gap.model_minus)};
    if (at == nullptr) {
      row.insert(row.end(), 4, dash_cell("the two models have no agreement in common"));
    } else {
      const double width = at->ratio_plus - *at->ratio_minus;
      row.insert(row.end(),
                 {number_cell(at->pa, fixed(at->pa, 3)), number_cell(at->ratio_plus, percent(at->ratio_plus)),
                  number_cell(*at->ratio_minus, percent(*at->ratio_minus)),
                  number_cell(100 * width, signed_points({width, {}, {}}))});
    }
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.html();
}

}  // namespace

Section ratios_section(const PaView& record) {
  Section section{"ratios", "Share shifted", "", ""};
  const auto shown = panels(record);
  if (shown.empty()) return section;
  double log_k = 0;
  for (const auto& panel : shown)
    for (const record::PaSet* result : panel) log_k = std::max(log_k, result->log_k());
  std::vector<Choice> choices;
  for (const Metric& metric : metrics) {
    const bool known = std::any_of(shown.begin(), shown.end(), [&](const auto& panel) {
      return std::any_of(panel.begin(), panel.end(), [&](const record::PaSet* result) {
        return std::any_of(
            result->ratios.begin(), result->ratios.end(),
            [&](const agreement::RatioPoint& at) { return metric.value(at.agreement).value.has_value(); });
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
