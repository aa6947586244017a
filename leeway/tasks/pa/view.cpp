#include <fmt/format.h>

#include <cmath>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using agreement::ArGapPoint;
using agreement::RatioPoint;

Blocks pair_table(const PaView& record) {
  const std::vector<ColumnOf<PaSet>> columns = {
      {pa_column(), [](const PaSet& set) { return pa_cell(pa_of(set.agreement)); }},
      {on_page(number_column("Largest possible", "log k")),
       [](const PaSet& set) { return fixed_cell(set.log_k(), 2); }},
      {beta_column(), [](const PaSet& set) { return significant_cell(set.agreement.beta, 3); }},
      {same_prediction_column(), [](const PaSet& set) { return share_cell(afr_pred_of(set.agreement)); }},
      {interval_column("Right after the shift", "Share of shifted samples predicted as their label"),
       [](const PaSet& set) { return share_cell(afr_true_of(set.agreement), "no labels were given"); }},
      {on_page(number_column("Gap", "Certified: no β raises PA by more than this")),
       [](const PaSet& set) {
         return set.agreement.fitted ? significant_cell(set.agreement.gap, 2)
                                     : dash_cell("β of the first shifted set");
       }},
      {number_column("n"), [](const PaSet& set) { return count_cell(set.agreement.n); }}};
  return table_of_sets(record, "Every shifted set against the clean one", columns, record.results,
                       std::identity());
}

// -- Agreement against the share of samples that are shifted, and how far apart two models are

struct RatiosMetric {
  const char* words;  // of the choice
  const char* label;  // in front of a value
  Measured (*value)(const agreement::Agreement&);
  bool percent;
};
constexpr RatiosMetric ratios_metrics[] = {
    {"posterior agreement", "PA", pa_of, false},
    {"prediction unchanged, AFR(P)", "prediction unchanged", afr_pred_of, true},
    {"right, AFR(T)", "right", afr_true_of, true}};

std::vector<RatioPoint> by_ratio(const PaSet& result) {
  std::vector<RatioPoint> points = result.ratios;
  std::ranges::stable_sort(points, {}, &RatioPoint::ratio);
  return points;
}

std::string words(const PaSet& result, const RatioPoint& at) {
  std::string out = fmt::format("{} of samples shifted", percent(at.ratio));
  for (const RatiosMetric& metric : ratios_metrics)
    if (const Measured value = metric.value(at.agreement); value.value)
      out += fmt::format("\n{} {}", metric.label, value_words(value, metric.percent));
  return out + "\nβ " + significant(at.agreement.beta, 3) + "\nn = " + count(result.agreement.n);
}

Line line_of(const PaView& record, const PaSet& result, const RatiosMetric& metric) {
  Line line{result.model.empty() ? metric.label : result.model, record.slot(result), {}};
  for (const RatioPoint& at : by_ratio(result))
    line.points.push_back({at.ratio, metric.value(at.agreement), percent(at.ratio), words(result, at)});
  return line;
}

// Of those that `counts` and that are wider than `least`; null where there is none.
template <class Counts>
const PaGap* widest_gap(const PaView& record, const Counts& counts) {
  return lowest(record.gaps, [&](const PaGap& gap) -> std::optional<double> {
    const ArGapPoint* at = gap.furthest();
    if (at == nullptr || !counts(gap) || at->ratio_plus == *at->ratio_minus) return std::nullopt;
    return -std::abs(at->ratio_plus - *at->ratio_minus);
  });
}

const PaGap* widest_gap(const PaView& record) {
  return widest_gap(record, [](const PaGap&) { return true; });
}

// The largest gap between two models that both stand in the chart: more would hide the lines.
std::vector<Span> span_of(const PaView& record, const std::vector<const PaSet*>& shown) {
  const auto drawn = [&](const std::string& model) {
    return std::ranges::find(shown, model, &PaSet::model) != shown.end();
  };
  const PaGap* widest = widest_gap(record, [&](const PaGap& gap) {
    return gap.shift_name() == shown[0]->shift_name() && drawn(gap.model_plus) && drawn(gap.model_minus);
  });
  if (widest == nullptr) return {};
  const ArGapPoint at = *widest->furthest();
  const double minus = *at.ratio_minus, width = std::abs(at.ratio_plus - minus);
  if (width < .005) return {};
  const std::string points = fmt::format("{:.0f} points", 100 * width);
  return {{std::min(minus, at.ratio_plus), std::max(minus, at.ratio_plus), at.pa, points,
           fmt::format("{} at {} shifted and {} at {}\nboth have PA {}\nAR gap {}", widest->model_minus,
                       percent(minus), widest->model_plus, percent(at.ratio_plus), fixed(at.pa, 3), points)}};
}

Chart ratio_chart(const PaView& record, const std::vector<const PaSet*>& shown, const RatiosMetric& metric) {
  const double log_k = record.log_k();
  const LineAxes axes{.y_high = metric.percent ? 1 : log_k,
                      .x_ticks = {0, .25, .5, .75, 1},
                      .x_names = {"0%", "25%", "50%", "75%", "100%"},
                      .x_title = "share of samples shifted",
                      .percent = metric.percent};
  std::vector<Line> lines;
  for (const PaSet* result : shown) lines.push_back(line_of(record, *result, metric));
  const bool pa = metric.value == pa_of;
  Chart chart =
      line_chart(shown[0]->shift_name(), metric.label + (pa ? ", maximum " + fixed(log_k, 2) : std::string()),
                 lines, axes, pa ? span_of(record, shown) : std::vector<Span>{});
  for (Json& row : chart.data[0].second) row["measure"] = metric.label;
  return chart;
}

// Results that share a chart: one shifted set, at most `series` models.
std::vector<std::vector<const PaSet*>> panels(const PaView& record) {
  std::vector<std::vector<const PaSet*>> out;
  for (const std::string& shifted : record.shifted) {
    bool full = true;
    for (const PaSet& result : record.results) {
      if (result.shift_name() != shifted || result.ratios.empty()) continue;
      if (full) out.emplace_back();
      out.back().push_back(&result);
      full = out.back().size() == series;
    }
  }
  return out;
}

std::string heading(const PaView& record) {
  if (const PaGap* gap = widest_gap(record)) return gap_words(*gap);
  const PaSet* worst = lowest(record.results, [](const PaSet& result) {
    return result.ratios.empty() ? std::nullopt : std::optional(by_ratio(result).back().agreement.pa);
  });
  const std::vector<RatioPoint> points = by_ratio(*worst);
  const RatioPoint &first = points.front(), &last = points.back();
  return fmt::format("{}: agreement falls from {} to {} as the share of shifted samples grows from {} to {}",
                     subject(record, *worst), fixed(first.agreement.pa, 2), fixed(last.agreement.pa, 2),
                     percent(first.ratio), percent(last.ratio));
}

Blocks gap_table(const PaView& record) {
  const auto cell = [](Cell (*of)(const ArGapPoint&)) {
    return [of](const PaGap& gap) {
      const ArGapPoint* at = gap.furthest();
      return at == nullptr ? dash_cell("the two models have no common PA") : of(*at);
    };
  };
  const std::vector<ColumnOf<PaGap>> columns = {
      {text_column("Shifted set"), [](const PaGap& gap) { return text_cell(gap.shift_name()); }},
      {text_column("Model"), &PaGap::model_plus},
      {text_column("Compared with"), &PaGap::model_minus},
      {number_column("At PA", "Posterior agreement of both models"),
       cell([](const ArGapPoint& at) { return fixed_cell(at.pa, 3); })},
      {number_column("Shifted", "Share of samples shifted, of the model"),
       cell([](const ArGapPoint& at) { return percent_cell(at.ratio_plus, 0); })},
      {number_column("Compared", "Share of samples shifted, for the model it is compared with"),
       cell([](const ArGapPoint& at) { return percent_cell(at.ratio_minus, 0); })},
      {number_column("Gap, points", "Difference between the two shares"), cell([](const ArGapPoint& at) {
         const double width = at.ratio_plus - *at.ratio_minus;
         return number_cell(100 * width, signed_points({width}));
       })}};
  return table_of(
             "AR gap: difference between the shares of shifted samples at which two models have the same PA",
             columns, record.gaps)
      .block();
}

}  // namespace

PaView::PaView(const Pa& pa) : results(pa.results), gaps(pa.ar_gap) {
  for (const PaSet& result : results) {
    append_new(models, result.model);
    append_new(shifted, result.shift_name());
  }
}

std::size_t PaView::slot(const PaSet& result) const { return place_of(models, result.model) % series; }

double PaView::log_k() const {
  double most = 0;
  for (const PaSet& result : results) most = std::max(most, result.log_k());
  return most;
}

Measured pa_of(const agreement::Agreement& agreement) {
  const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
  return {known(agreement.pa), known(agreement.pa_interval.low), known(agreement.pa_interval.high)};
}

Measured afr_pred_of(const agreement::Agreement& agreement) {
  return measured(agreement.afr_pred, agreement.afr_pred_interval);
}

Measured afr_true_of(const agreement::Agreement& agreement) {
  return measured(agreement.afr_true, agreement.afr_true_interval);
}

std::string subject(const PaView& record, const PaSet& result) {
  return record.models.size() > 1 ? result.model + " under " + result.name() : result.name();
}

std::vector<std::pair<std::string, std::string>> pa_meanings(double most) {
  return {{"PA", fmt::format("Posterior agreement: how much of the model's predictions and confidence "
                             "survives the shift. 0 is no better than guessing, {} is perfect.",
                             fixed(most, 2))},
          {"β",
           "The inverse temperature of the scores at which PA is measured. Larger means more stable outputs, "
           "∞ means that no prediction changes. β depends on the scale of the scores: compare β only within "
           "one model."}};
}

Column pa_column(const std::string& level) {
  return interval_column("PA", "Posterior agreement with its " + level + " interval");
}

Column beta_column() { return number_column("β", "Inverse temperature with the highest agreement"); }

Column same_prediction_column(bool interval) {
  return {"Prediction unchanged", "AFR: share of samples with the same prediction before and after the shift",
          true, interval};
}

static Blocks ratios_table(const PaView& record, const std::vector<const PaSet*>& sets) {
  struct Row {
    const PaSet* set;
    RatioPoint at;
  };
  std::vector<Row> rows;
  for (const PaSet* set : sets)
    for (const RatioPoint& at : by_ratio(*set)) rows.push_back({set, at});
  const std::vector<ColumnOf<Row>> columns = {
      {number_column("Shifted", "Share of samples shifted"),
       [](const Row& row) { return percent_cell(row.at.ratio, 0); }},
      {pa_column(), [](const Row& row) { return pa_cell(pa_of(row.at.agreement)); }},
      {beta_column(), [](const Row& row) { return significant_cell(row.at.agreement.beta, 3); }},
      {same_prediction_column(), [](const Row& row) { return share_cell(afr_pred_of(row.at.agreement)); }},
      {interval_column("Right"),
       [](const Row& row) { return share_cell(afr_true_of(row.at.agreement), "no labels were given"); }}};
  return folded(fmt::format("All values as a table ({} rows)", rows.size()),
                in_both(table_of_sets(record, "By the share of samples that are shifted", columns, rows,
                                      [](const Row& row) -> const PaSet& { return *row.set; })));
}

static Section ratios_section(const PaView& record) {
  const auto shown = panels(record);
  if (shown.empty()) return {};
  std::vector<const PaSet*> all;
  for (const auto& panel : shown) all.insert(all.end(), panel.begin(), panel.end());
  std::vector<ChartChoice> choices;
  for (const RatiosMetric& metric : ratios_metrics) {
    const auto known = [&](const RatioPoint& at) { return metric.value(at.agreement).value.has_value(); };
    if (std::ranges::none_of(all, [&](const PaSet* set) { return std::ranges::any_of(set->ratios, known); }))
      continue;
    choices.push_back({metric.words, {}});
    for (const auto& panel : shown) choices.back().charts.push_back(ratio_chart(record, panel, metric));
  }
  return {"ratios", "Share shifted", heading(record),
          paragraph(
              std::string("An increasing share of the clean samples is replaced by their shifted versions, "
                          "smallest changes first. The agreement of a more robust model falls later.") +
              (widest_gap(record) == nullptr ? ""
                                             : " The bar between two lines is the AR gap: the difference of "
                                               "the shifted shares at which both models have the same PA.")) +
              chart_grids(std::move(choices)) + ratios_table(record, all) + in_both(gap_table(record))};
}

View view(const Pa& pa) {
  const PaView record(pa);
  return view_of("posterior agreement", pa.envelope,
                 in_both(pair_table(record)) + term_list(pa_meanings(record.log_k())),
                 {ratios_section(record), decomposition_section(record), posteriors_section(record),
                  suspects_section(record), pa_curves_section(record)});
}

}  // namespace leeway::tasks
