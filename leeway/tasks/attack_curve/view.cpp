// The page of leeway attack curve: small multiples by attack, tables of models by strengths.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "leeway/describe/lines.h"
#include "leeway/tasks/attack_curve/attack_curve.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using Results = std::vector<const CurveResult*>;

struct CurveMeasure {
  const char *title = "", *hint = "";
  Measured (*value)(const CurveResult&) = nullptr;
  enum class Kind { share, pa, beta } kind = Kind::share;
};

Measured confidence_of(const std::optional<agreement::Response>& group) {
  return group ? measured(group->confidence, group->confidence_interval) : Measured{};
}

constexpr CurveMeasure curve_measures[] = {
    {"Accuracy, AFR(T)", "Share of rows classified correctly",
     [](const CurveResult& r) { return measured(r.afr_true, r.afr_true_interval); }},
    {"Prediction unchanged, AFR(P)", "Share of rows with the prediction of the clean row",
     [](const CurveResult& r) { return measured(r.afr_pred, r.afr_pred_interval); }},
    {"Posterior agreement", "PA in nats, at most log k",
     [](const CurveResult& r) { return measured(r.pa, r.pa_interval); }, CurveMeasure::Kind::pa},
    {"Approximate PA", "Sum of the approximations of the parts of PA: right, wrong and changed rows",
     [](const CurveResult& r) { return Measured{r.approximate_pa()}; }, CurveMeasure::Kind::pa},
    {"Inverse temperature", "β with the highest agreement",
     [](const CurveResult& r) { return measured(r.beta, r.beta_interval); }, CurveMeasure::Kind::beta},
    {"Confidence of correct predictions", "Mean clean confidence of rows that remain correct, at β = 1",
     [](const CurveResult& r) { return confidence_of(r.initial.right); }},
    {"Confidence of wrong predictions", "Mean clean confidence of rows that remain wrong, at β = 1",
     [](const CurveResult& r) { return confidence_of(r.initial.wrong); }},
    {"Confidence of changed predictions",
     "Mean attacked confidence of rows whose prediction changes, at β = 1",
     [](const CurveResult& r) { return confidence_of(r.initial.moved); }},
    {"Confidence of correct predictions, best β",
     "Mean clean confidence of rows that remain correct, at the best β",
     [](const CurveResult& r) { return confidence_of(r.optimal.right); }},
    {"Confidence of wrong predictions, best β",
     "Mean clean confidence of rows that remain wrong, at the best β",
     [](const CurveResult& r) { return confidence_of(r.optimal.wrong); }},
    {"Confidence of changed predictions, best β",
     "Mean attacked confidence of rows whose prediction changes, at the best β",
     [](const CurveResult& r) { return confidence_of(r.optimal.moved); }}};

Cell measure_cell(const CurveMeasure& measure, const CurveResult& result) {
  const Measured value = measure.value(result);
  if (!value.value) return dash_cell("no rows of this kind");
  if (measure.kind == CurveMeasure::Kind::pa) return pa_cell(value);
  if (measure.kind == CurveMeasure::Kind::share) return share_cell(value);
  return significant_cell(value, 3);
}

// What the record holds, in its order.
struct Curves {
  explicit Curves(const AttackCurve& all) : record(all) {
    for (const CurveResult& result : all.results) {
      append_new(models, result.model), append_new(attacks, result.attack);
      append_new(strengths, result.strength);
      log_k = std::max(log_k, std::log(static_cast<double>(result.k)));
      largest_share = std::max(largest_share, result.share);
    }
    std::erase(strengths, nearest_strength);  // last
    if (strengths.size() > 1) std::ranges::stable_sort(strengths.begin() + 1, strengths.end(), {}, radius_of);
    if (std::ranges::find(all.results, nearest_strength, &CurveResult::strength) != all.results.end())
      strengths.emplace_back(nearest_strength);
  }

  template <class Counts>
  [[nodiscard]] Results those(const std::string& attack, const Counts& counts) const {
    Results some;
    for (const CurveResult& result : record.results)
      if (result.attack == attack && counts(result)) some.push_back(&result);
    return some;
  }
  [[nodiscard]] bool is_whole(const CurveResult& result) const {
    return result.share == largest_share || result.strength == clean_strength;
  }
  // By strength, rising.
  [[nodiscard]] Results by_strength(const std::string& attack) const {
    Results some = those(attack, [&](const CurveResult& r) { return r.eps && is_whole(r); });
    std::ranges::stable_sort(some, {}, [](const CurveResult* r) { return *r->eps; });
    return some;
  }
  // By share, rising, at the largest strength; the clean point is share 0.
  [[nodiscard]] Results by_share(const std::string& attack) const {
    std::size_t last = 0;
    for (const CurveResult& r : record.results)
      if (r.attack == attack) last = std::max(last, place_of(strengths, r.strength));
    const bool starts = std::ranges::find(record.options.shares, 0.) == record.options.shares.end();
    Results some = those(attack, [&](const CurveResult& r) {
      return r.strength == strengths[last] || (starts && r.strength == clean_strength);
    });
    std::ranges::stable_sort(some, {}, &CurveResult::share);
    return some;
  }

  const AttackCurve& record;
  std::vector<std::string> models, attacks, strengths;
  double log_k = 0, largest_share = 0;
};

struct Horizontal {
  const char* what;
  double (*at)(const CurveResult&);
  std::string (*words)(const CurveResult&);
};
const Horizontal over_strength{"strength", [](const CurveResult& r) { return r.eps.value_or(0); },
                               [](const CurveResult& r) { return r.strength; }};
const Horizontal over_share{"share of rows attacked", [](const CurveResult& r) { return r.share; },
                            [](const CurveResult& r) { return percent(r.share, 0); }};

std::vector<Line> curve_lines(const Curves& curves, const Results& results, const CurveMeasure& measure,
                              const Horizontal& x) {
  const bool is_share = measure.kind == CurveMeasure::Kind::share;
  std::vector<Line> lines;
  for (const std::string& model : curves.models) {
    Line line{model, lines.size() % series, {}};
    for (const CurveResult* result : results) {
      if (result->model != model) continue;
      Measured value = measure.value(*result);
      if (value.value && !std::isfinite(*value.value)) value = {};
      line.points.push_back(
          {x.at(*result), value, x.words(*result),
           fmt::format("{} {}, {} of {} rows attacked\n{}", result->attack, result->strength,
                       count(result->attacked), count(result->n), value_words(value, is_share))});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

LineAxes curve_axes(const Curves& curves, const Results& results, const CurveMeasure& measure,
                    const Horizontal& x) {
  LineAxes axes;
  axes.x_title = x.what, axes.percent = measure.kind == CurveMeasure::Kind::share;
  for (const CurveResult* result : results) {
    const double at = x.at(*result);
    if (std::ranges::find(axes.x_ticks, at) != axes.x_ticks.end()) continue;
    axes.x_ticks.push_back(at), axes.x_names.push_back(x.words(*result));
  }
  axes.x_low = std::min(0., axes.x_ticks.front()), axes.x_high = axes.x_ticks.back();
  if (measure.kind == CurveMeasure::Kind::pa) axes.y_high = curves.log_k;
  for (const std::string& model : curves.models) axes.name_length = std::max(axes.name_length, model.size());
  return axes;
}

// For each measure a chart of every attack, a line of every model.
Blocks curve_charts(const Curves& curves, Results (Curves::*of)(const std::string&) const,
                    const Horizontal& x) {
  std::vector<ChartChoice> choices;
  for (const CurveMeasure& measure : curve_measures) {
    ChartChoice choice{measure.title, {}};
    bool known = false;
    for (const std::string& attack : curves.attacks) {
      const Results results = (curves.*of)(attack);
      LineAxes axes;
      if (!results.empty()) axes = curve_axes(curves, results, measure, x);
      if (axes.x_ticks.size() < 2) continue;
      const std::vector<Line> lines = curve_lines(curves, results, measure, x);
      known |=
          std::ranges::any_of(results, [&](const auto* r) { return measure.value(*r).value.has_value(); });
      if (measure.kind == CurveMeasure::Kind::beta) axes = fit_y(axes, lines, 0, HUGE_VAL);
      const std::string title =
          &x == &over_strength ? attack : fmt::format("{} {}", attack, results.back()->strength);
      for (std::size_t first = 0; first < lines.size(); first += series) {
        const auto from = lines.begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<Line> some(
            from, from + static_cast<std::ptrdiff_t>(std::min(series, lines.size() - first)));
        choice.charts.push_back(line_chart(title, measure.hint, some, axes));
        for (Json& row : choice.charts.back().data[0].second) row["measure"] = measure.title;
      }
    }
    if (known && !choice.charts.empty()) choices.push_back(std::move(choice));
  }
  return choices.empty() ? Blocks() : chart_grids(std::move(choices));
}

Blocks strength_table(const Curves& curves, const CurveMeasure& measure) {
  std::vector<Column> columns{text_column("Model"), text_column("Attack")};
  for (const std::string& strength : curves.strengths) columns.push_back(interval_column(strength));
  Table table(fmt::format("{} by strength", measure.title), columns);
  bool known = false;
  for (const std::string& model : curves.models)
    for (const std::string& attack : curves.attacks) {
      const Results results =
          curves.those(attack, [&](const CurveResult& r) { return r.model == model && curves.is_whole(r); });
      if (results.empty()) continue;
      std::vector<Cell> cells{text_cell(model), text_cell(attack)};
      for (const std::string& strength : curves.strengths) {
        const auto found = std::ranges::find(results, strength, &CurveResult::strength);
        cells.push_back(found == results.end() ? dash_cell("not attacked at this strength")
                                               : measure_cell(measure, **found));
        known |= found != results.end() && measure.value(**found).value.has_value();
      }
      table.add(std::move(cells));
    }
  return known ? table.block(2) : Blocks();
}

Section tables_section(const Curves& curves) {
  Blocks tables;
  for (const CurveMeasure& measure : curve_measures) {
    Blocks table = strength_table(curves, measure);
    const bool is_first = &measure == &curve_measures[0] || &measure == &curve_measures[2];
    tables += is_first ? in_both(std::move(table)) : std::move(table);
  }
  return {"tables", "Tables",
          fmt::format("Models by strengths, {} of the rows attacked", percent(curves.largest_share)),
          std::move(tables)};
}

Section all_section(const Curves& curves) {
  std::vector<ColumnOf<CurveResult>> columns = {
      {text_column("Model"), &CurveResult::model},
      {text_column("Attack"), &CurveResult::attack},
      {number_column("Strength"), [](const CurveResult& r) { return text_cell(r.strength); }},
      {number_column("Share"), [](const CurveResult& r) { return percent_cell(r.share, 0); }},
      {number_column("Attacked"), &CurveResult::attacked}};
  for (const CurveMeasure& measure : curve_measures)
    columns.push_back({interval_column(measure.title, measure.hint),
                       [&measure](const CurveResult& r) { return measure_cell(measure, r); }});
  columns.push_back({number_column("n"), &CurveResult::n});
  const std::size_t rows = curves.record.results.size();
  return {"values", "Values", "Every attack, strength and share",
          folded(fmt::format("All values as a table ({} rows)", rows),
                 table_of("All values", columns, curves.record.results).block(3))};
}

Section ranks_section(const Curves& curves) {
  ChartChoice initial{"at β = 1", {}}, optimal{"at the best β", {}};
  for (const std::string& attack : curves.attacks)
    for (const CurveResult* result : curves.by_share(attack)) {
      if (result->share != curves.largest_share || result->strength == clean_strength) continue;
      const std::string title = fmt::format("{}, {} {}", result->model, result->attack, result->strength);
      initial.charts.push_back(rank_chart(title, result->initial));
      optimal.charts.push_back(rank_chart(title, result->optimal));
    }
  return {"posteriors", "Posteriors", "Mean posterior by rank at the largest strength",
          paragraph("Rows that remain correct or wrong are shown clean; rows whose prediction changes are "
                    "shown attacked. A robust model is less confident on rows whose prediction changes.") +
              chart_grids({initial, optimal})};
}

}  // namespace

View view(const AttackCurve& record) {
  const Curves curves(record);
  const Blocks strengths = curve_charts(curves, &Curves::by_strength, over_strength);
  const Blocks shares =
      record.options.shares.size() > 1 ? curve_charts(curves, &Curves::by_share, over_share) : Blocks();
  Section by_share{"shares", "Shares", "A growing share of the rows is attacked, smallest norms first",
                   shares};
  return view_of("attack curve", record.envelope,
                 (curves.models.size() > 1 ? model_legend(curves.models) : Blocks()) + strengths +
                     term_list(pa_meanings(curves.log_k)),
                 {by_share, tables_section(curves), ranks_section(curves), all_section(curves)},
                 fmt::format("{} models, {} attacks; bands and ranges are {} intervals", curves.models.size(),
                             curves.attacks.size(), percent(record.options.level)));
}

}  // namespace leeway::tasks
