// The page of leeway shift corrupt: accuracy and agreement by corruption and severity, and corruption errors.
#include <fmt/format.h>

#include <cmath>

#include "leeway/describe/lines.h"
#include "leeway/tasks/corruptions/corruptions.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

std::vector<std::string> corruptions_of(const Corruptions& record) {
  std::vector<std::string> names;
  for (const CorruptedSet& set : record.results)
    if (names.empty() || names.back() != set.corruption) names.push_back(set.corruption);
  return names;
}

double log_k_of(const Corruptions& record) { return record.k ? std::log(static_cast<double>(*record.k)) : 0; }

// -- Heat maps

Json cell(std::size_t i, std::size_t j, double shade, double number, std::string text, std::string words) {
  return {{"i", i},
          {"j", j},
          {"shade", brief(shade)},
          {"number", brief(number)},
          {"text", std::move(text)},
          {"words", std::move(words)}};
}

// Accuracy with the clean images in the first column, or posterior agreement.
Chart heat_map(const Corruptions& record, bool agreement) {
  const std::vector<std::string> names = corruptions_of(record);
  const std::vector<std::size_t>& severities = record.options.severities;
  const std::size_t first = agreement ? 0 : 1;  // column of the first severity
  std::vector<std::string> columns(first, "clean");
  for (const std::size_t severity : severities) columns.push_back(std::to_string(severity));
  Json cells = Json::array();
  if (!agreement && record.clean && record.clean->accuracy.value) {
    const Measured clean = record.clean->accuracy;
    for (std::size_t i = 0; i < names.size(); ++i)
      cells.push_back(cell(i, 0, 1 - *clean.value, *clean.value, percent(*clean.value),
                           fmt::format("clean\naccuracy {}", value_words(clean, true))));
  }
  for (const CorruptedSet& set : record.results) {
    const Measured value = agreement ? set.pa : set.judged.accuracy;
    if (!value.value) continue;
    cells.push_back(cell(
        place_of(names, set.corruption), first + place_of(severities, set.severity),
        1 - (agreement ? set.pa_normalized.value_or(0) : *value.value), *value.value,
        agreement ? fixed(*value.value, 2) : percent(*value.value),
        fmt::format("{}, severity {}\n{} {}\nn = {}", set.corruption, set.severity,
                    agreement ? "PA" : "accuracy", value_words(value, !agreement), count(set.judged.n))));
  }
  const char* const title = agreement ? "Posterior agreement" : "Accuracy";
  return {"cells",
          title,
          agreement ? "columns are severities; darker: less agreement with clean images"
                    : "columns are severities; darker: more mistakes",
          fmt::format("Heat map of {} by corruption and severity", title),
          {{"cells", std::move(cells)}},
          {{"label", "Corruption"},
           {"labels", names},
           {"values", std::move(columns)},
           {"margin", 132},
           {"slant", 0}}};
}

Blocks maps(const Corruptions& record) {
  std::vector<Chart> charts;
  for (Chart& chart : std::vector<Chart>{heat_map(record, false), heat_map(record, true)})
    if (!chart.data.front().second.empty()) charts.push_back(std::move(chart));
  return chart_grid(charts);
}

// The numbers of a map, for the terminal.
Blocks severity_table(const Corruptions& record, bool agreement) {
  std::vector<Column> heads{text_column("Corruption")};
  for (const std::size_t severity : record.options.severities)
    heads.push_back(number_column(std::to_string(severity)));
  Table table(agreement ? "Posterior agreement by severity" : "Accuracy by severity", std::move(heads));
  bool any = false;
  for (const std::string& name : corruptions_of(record)) {
    std::vector<Cell> row{text_cell(name)};
    for (const std::size_t severity : record.options.severities) {
      const auto set = std::ranges::find_if(record.results, [&](const CorruptedSet& one) {
        return one.corruption == name && one.severity == severity;
      });
      const auto value = set == record.results.end() ? std::nullopt
                         : agreement                 ? set->pa.value
                                                     : set->judged.accuracy.value;
      any = any || value;
      row.push_back(agreement ? fixed_cell(value, 3, "not computed")
                              : percent_cell(value, 1, "not computed"));
    }
    table.add(std::move(row));
  }
  return any ? table.block() : Blocks();
}

// -- Corruption errors

bool has_ratios(const Corruptions& record) {
  return std::ranges::any_of(record.errors, [](const auto& row) { return row.ce.value.has_value(); });
}

// Each corruption a row: its error against the clean one, or its CE against 100.
Blocks error_chart(const Corruptions& record) {
  if (record.errors.empty()) return {};
  const bool ratios = has_ratios(record);
  std::vector<OverviewRow> rows;
  double top = ratios ? 1 : .05;
  for (const CorruptionErrorRow& row : record.errors) {
    Measured value = row.error;
    if (ratios) {
      value = row.ce;
      for (std::optional<double>* one : {&value.value, &value.low, &value.high})
        if (*one) **one /= 100;
    }
    if (!value.value) continue;
    top = std::max(top, *value.high);
    const auto clean = record.clean ? record.clean->error.value : std::nullopt;
    rows.push_back({row.corruption, row.of_benchmark ? "counted" : "not counted in means", 0, value,
                    ratios ? std::optional(1.) : clean, record.shape.empty() ? 0 : record.shape[0]});
  }
  const Chart chart{
      "overview",
      ratios ? "Corruption error, relative to " + record.mean->reference : "Mean error over severities",
      ratios ? "100%: as many errors as the reference" : "lines start at the error on clean images",
      "Errors of every corruption with their intervals"};
  return chart_grid({overview_of(chart, rows, 1, top, true)});
}

Blocks error_table(const Corruptions& record) {
  using One = CorruptionErrorRow;
  std::vector<ColumnOf<One>> columns = {
      {text_column("Corruption"), &One::corruption},
      {text_column("Group"), &One::group},
      {interval_column("Error", "Mean over severities; the interval is over images"), &One::error}};
  if (has_ratios(record)) {
    columns.push_back(
        {interval_column("CE", "100 times the error divided by the error of the reference"),
         [](const One& one) { return fixed_cell(one.ce, 1, "not available for the reference"); }});
    columns.push_back({interval_column("Relative CE", "CE computed from the increase over the clean error"),
                       [](const One& one) {
                         return fixed_cell(one.relative_ce, 1,
                                           "the increase of the reference is unknown, or not above 0");
                       }});
  }
  columns.push_back({text_column("Counted", "Included in the means: the 15 corruptions of the benchmark"),
                     [](const One& one) { return text_cell(one.of_benchmark ? "yes" : "no"); }});
  return table_of("Every corruption", columns, record.errors).block();
}

Section errors_section(const Corruptions& record) {
  if (record.errors.empty() || !record.mean) return {};
  const MeanCorruptionError& mean = *record.mean;
  std::string heading = "Error by corruption";
  if (mean.mce.value)
    heading = fmt::format("mCE {} relative to {}", fixed(*mean.mce.value, 1), mean.reference);
  else if (mean.mean_error.value)
    heading = fmt::format("Mean corruption error (unnormalized) {}", value_words(mean.mean_error, true));
  if (mean.mean_error.value) heading += ", " + variant_text(mean);
  return {"errors", "Errors", heading,
          paragraph("The mean over severities, then over the counted corruptions. The errors of one image "
                    "under different corruptions are correlated, so intervals are over images.") +
              error_chart(record) + in_both(error_table(record))};
}

// -- Severity

// "gaussian" of "gaussian-noise": lines of one group, whose charts are narrow.
std::string short_name(const std::string& corruption) { return corruption.substr(0, corruption.find('-')); }

std::vector<Chart> group_charts(const Corruptions& record, bool agreement) {
  std::vector<std::pair<std::string, std::vector<Line>>> all;
  for (const CorruptedSet& set : record.results) {
    const Measured y = agreement ? set.pa : set.judged.accuracy;
    if (!y.value) continue;
    const std::string title = sentence_case(set.group), name = short_name(set.corruption);
    if (all.empty() || all.back().first != title) all.push_back({title, {}});
    std::vector<Line>& lines = all.back().second;
    if (lines.empty() || lines.back().name != name) {
      lines.push_back({name, lines.size() % series, {}});
      if (!agreement && record.clean && record.clean->accuracy.value) {
        const Measured clean = record.clean->accuracy;
        lines.back().points.push_back({0, clean, "0", "clean\n" + value_words(clean, true)});
      }
    }
    lines.back().points.push_back({static_cast<double>(set.severity), y, std::to_string(set.severity),
                                   fmt::format("severity {}\n{}", set.severity, value_words(y, !agreement))});
  }
  LineAxes axes;
  axes.x_low = agreement ? 1 : 0, axes.x_high = 5, axes.x_title = "severity", axes.percent = !agreement;
  if (agreement && record.options.severities.size() == 1) axes.x_low = 0;
  for (int severity = agreement ? 1 : 0; severity <= 5; ++severity) {
    axes.x_ticks.push_back(severity);
    axes.x_names.push_back(severity == 0 ? "clean" : std::to_string(severity));
  }
  std::vector<Line> every;
  for (const auto& [title, lines] : all) every.insert(every.end(), lines.begin(), lines.end());
  axes = fit_y(axes, every, 0, agreement ? std::max(log_k_of(record), 1e-9) : 1);
  std::vector<Chart> charts;
  for (const auto& [title, lines] : all) charts.push_back(line_chart(title, "", lines, axes));
  return charts;
}

Section severity_section(const Corruptions& record) {
  std::vector<ChartChoice> choices;
  for (const bool agreement : {false, true}) {
    std::vector<Chart> charts = group_charts(record, agreement);
    if (!charts.empty())
      choices.push_back({agreement ? "Posterior agreement" : "Accuracy", std::move(charts)});
  }
  if (choices.empty()) return {};
  const CorruptedSet* const worst = worst_of(record);
  return {"severity", "Severity",
          worst == nullptr ? "Agreement by severity"
                           : fmt::format("Least accurate under {} at severity {}, {}", worst->corruption,
                                         worst->severity, value_words(worst->judged.accuracy, true)),
          chart_grids(choices)};
}

Section sets_section(const Corruptions& record) {
  using One = CorruptedSet;
  const char* unlabelled = "no labels were given";
  const auto none = [](const One& one) {
    return one.left_out.empty() ? std::string("the images are not paired") : one.left_out;
  };
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Corruption"), &One::corruption},
      {number_column("Severity"), &One::severity},
      {interval_column("Accuracy"),
       [&](const One& one) {
         return share_cell(one.judged.accuracy, one.left_out.empty() ? unlabelled : one.left_out.c_str());
       }},
      {pa_column(), [&](const One& one) { return pa_cell(one.pa, none(one)); }},
      {beta_column(), [&](const One& one) { return significant_cell(one.beta, 3, none(one)); }},
      {same_prediction_column(), [&](const One& one) { return share_cell(one.afr_pred, none(one)); }},
      {number_column("Mean change", "Mean absolute change of a pixel in [0,1]"),
       [&](const One& one) { return significant_cell(one.mean_change, 3, none(one)); }},
      {number_column("n"), [](const One& one) { return count_cell(one.judged.n); }}};
  const std::size_t run = static_cast<std::size_t>(
      std::ranges::count_if(record.results, [](const One& one) { return one.left_out.empty(); }));
  return {"sets", "Sets", fmt::format("{} set{} of corrupted images", run, run == 1 ? "" : "s"),
          folded(fmt::format("All sets as a table ({} rows)", record.results.size()),
                 table_of("Every corruption at every severity", columns, record.results).block(2))};
}

std::string scope(const Corruptions& record) {
  const std::size_t corruptions = corruptions_of(record).size();
  std::string text =
      fmt::format("{} images, {} corruption{} at {} severit{}",
                  count(record.shape.empty() ? 0 : record.shape[0]), corruptions, corruptions == 1 ? "" : "s",
                  record.options.severities.size(), record.options.severities.size() == 1 ? "y" : "ies");
  if (!record.published.empty()) return text + ", from published files";
  if (!record.use) return text;
  text += fmt::format("; {} variant, constants of {}", record.use->variant, record.use->set);
  if (record.use->lengths != 1) text += fmt::format(", lengths times {:.3g}", record.use->lengths);
  return text + fmt::format("; frost {}", record.use->frost == "procedural" ? "procedural" : "from images");
}

}  // namespace

View view(const Corruptions& record) {
  const bool agreement =
      std::ranges::any_of(record.results, [](const CorruptedSet& set) { return set.pa.value.has_value(); });
  return view_of("common corruptions", record.envelope,
                 maps(record) + on_terminal(severity_table(record, false) + severity_table(record, true)) +
                     (agreement ? term_list(pa_meanings(log_k_of(record))) : Blocks()),
                 {errors_section(record), severity_section(record), sets_section(record)}, scope(record));
}

}  // namespace leeway::tasks
