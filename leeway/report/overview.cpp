#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/chart.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

bool any(const Record& record, bool (*has)(const Result&)) {
  return std::any_of(record.results.begin(), record.results.end(), has);
}
bool has_accuracy(const Result& r) { return r.accuracy.value.has_value(); }
bool has_pairs(const Result& r) { return r.afr_pred.value.has_value() || r.pa.value.has_value(); }
bool has_bound(const Result& r) { return r.error_bound.has_value(); }

double log_k(const Record& record) {
  return std::log(static_cast<double>(std::max<std::size_t>(record.k(), 2)));
}

std::string source_words(const Result& result) {
  if (!result.source_accuracy.value) return "";
  return fmt::format("{} {} on the source, n = {}", percent(result.source_accuracy),
                     percent_interval(result.source_accuracy), count(result.source_n));
}

Cell accuracy_cell(const Result& result) {
  Cell cell = share_cell(result.accuracy, result.reason("accuracy"));
  if (!result.accuracy.value || !result.source_accuracy.value) return cell;
  cell.shade = *result.accuracy.value - *result.source_accuracy.value;
  cell.title = source_words(result);
  return cell;
}

Cell bound_cell(const Result& result) {
  if (!result.error_bound) return dash_cell(result.reason("error_bound"));
  const std::string range = range_words(estimates_of(result), "–");
  return number_cell(
      *result.error_bound,
      percent(*result.error_bound, 1) + (range.empty() ? "" : " <span class=\"se\">(" + range + ")</span>"));
}

std::string headline_table(const Record& record) {
  const bool accuracy = any(record, has_accuracy), pairs = any(record, has_pairs),
             bound = any(record, has_bound);
  const std::string level = percent(record.level);
  std::vector<Column> columns = {{"Target", "", false}, {"Model", "", false}};
  if (accuracy) {
    columns.push_back(
        {"Accuracy", "Share of samples predicted right, with its " + level + " interval", true, true});
    columns.push_back({"Change, points", "Accuracy on the target minus accuracy on the source", true, true});
  }
  if (pairs) {
    columns.push_back({"Same prediction",
                       "AFR: share of samples whose prediction is the same clean and shifted", true, true});
    columns.push_back({"PA", "Posterior agreement with its " + level + " interval", true, true});
    columns.push_back({"β", "The sharpness at which the model agrees with itself best"});
  }
  if (bound)
    columns.push_back({"Error at most",
                       "Upper bound on the error, made without labels of the target; in brackets the lowest "
                       "and the highest "
                       "estimate"});
  columns.push_back({"n", "Samples of the target"});
  Table table("Every model on every target, worst first", columns);
  for (const std::size_t i : record.worst_first()) {
    const Result& result = record.results[i];
    std::vector<Cell> row = {text_cell(result.target), text_cell(result.model)};
    if (accuracy) {
      row.push_back(accuracy_cell(result));
      row.push_back(change_cell(result.accuracy_change,
                                result.reason(result.accuracy.value ? "source_accuracy" : "accuracy")));
    }
    if (pairs) {
      row.push_back(share_cell(result.afr_pred, result.reason("afr_pred")));
      row.push_back(pa_cell(result.pa, result.reason("pa")));
      row.push_back(significant_cell(result.beta, 3, result.reason("beta")));
    }
    if (bound) row.push_back(bound_cell(result));
    row.push_back(count_cell(result.n));
    table.add(std::move(row));
  }
  if (accuracy || pairs || bound) table.sorted_by(2, accuracy || pairs);
  return table.html(2);
}

std::string terms(const Record& record) {
  std::vector<std::pair<std::string, std::string>> list;
  if (any(record, has_accuracy))
    list.emplace_back(
        "Accuracy",
        fmt::format(
            "The share of samples that the model predicts right. The small figures are its {} "
            "interval; the shading is how far it lies from the source, the data the model is known on.",
            percent(record.level)));
  if (any(record, has_pairs)) {
    list.emplace_back(
        "Same prediction",
        "The share of samples on which the model says the same before and after the shift, right "
        "or wrong (in papers AFR, attack failure rate). It needs no labels.");
    list.emplace_back("PA", pa_meaning(fixed(log_k(record), 2)));
    list.emplace_back("β", beta_meaning());
  }
  if (any(record, has_bound))
    list.emplace_back("Error at most",
                      "How wrong the model can be on the target, told without its labels, if an assumption "
                      "holds that <a href=\"#bounds\">the section on errors without labels</a> states. In "
                      "brackets the lowest and the highest of the estimates, which are no bounds.");
  return terms_html(list);
}

std::string gates(const Record& record) {
  std::string out;
  for (const record::AssessGate& gate : record.gates) {
    std::vector<std::string> who;
    for (const record::AssessGate::Violation& violation : gate.violations) {
      if (who.size() == 3) {
        who.push_back(fmt::format("{} more", gate.violations.size() - 3));
        break;
      }
      who.push_back(fmt::format("{} ({})", escape(violation.model + " under " + violation.target),
                                significant(violation.value, 3)));
    }
    const std::size_t open = gate.not_computed.size();
    const std::string verdict = !who.empty() ? "<b class=\"wrong\">failed</b> by " + list_of(who)
                                : open > 0   ? "<b>held</b> where it could be decided"
                                             : "<b>held</b>";
    const std::string undecided =
        open == 0 ? "" : fmt::format("; {} undecided, as the value was not computed", open);
    out += fmt::format("<li>Gate <code>{}</code> {}{}</li>\n", escape(gate.gate), verdict, undecided);
  }
  return out;
}

// What to look at next: gates and the first findings, the others behind one click, so that the table stays on
// the first screen. A finding that the headline has said already is left out.
std::string news(const Record& record) {
  constexpr std::size_t shown = 3;
  std::string first, rest;
  std::size_t said = 0;
  for (const std::string& finding : record.envelope.findings) {
    const std::string words = finding.ends_with('.') ? finding.substr(0, finding.size() - 1) : finding;
    if (record.envelope.headline.find(words) != std::string::npos) continue;
    (said++ < shown ? first : rest) += "<li>" + escape(finding) + "</li>\n";
  }
  first = gates(record) + first;
  std::string out = first.empty() ? "" : "<ul class=\"findings\">\n" + first + "</ul>\n";
  if (!rest.empty())
    out += fmt::format(
        "<details class=\"more\"><summary>{} more findings</summary><ul "
        "class=\"findings\">\n{}</ul></details>\n",
        said - shown, rest);
  return out;
}

struct Metric {
  std::string title, note;
  double top;
  bool percent;
  const Measured Result::*value;
  const Measured Result::*reference;  // null: none
};

// Rows of the overview charts: targets, worst first by their worst model.
std::vector<std::string> target_order(const Record& record) {
  std::vector<std::string> order;
  for (const std::size_t i : record.worst_first()) append_new(order, record.results[i].target);
  return order;
}

Json overview_row(const Result& result, const Metric& metric, std::size_t slot) {
  const Measured& value = result.*(metric.value);
  Json row = {
      {"target", result.target}, {"model", result.model}, {"slot", slot}, {"value", brief(value.value)}};
  row["low"] = brief(value.low ? value.low : value.value);
  row["high"] = brief(value.high ? value.high : value.value);
  row["source"] = metric.reference == nullptr ? Json() : brief((result.*(metric.reference)).value);
  row["n"] = result.n;
  return row;
}

std::string overview_charts(const Record& record) {
  std::vector<Metric> metrics;
  if (any(record, has_accuracy))
    metrics.push_back(
        {"Accuracy", "line: from the source's", 1, true, &Result::accuracy, &Result::source_accuracy});
  if (any(record, has_pairs)) {
    metrics.push_back(
        {"Same prediction", "share unchanged by the shift", 1, true, &Result::afr_pred, nullptr});
    metrics.push_back(
        {"PA", "of at most " + fixed(log_k(record), 2), log_k(record), false, &Result::pa, nullptr});
  }
  const auto targets = target_order(record);
  std::string out;
  for (std::size_t first = 0; first < record.models.size() && !metrics.empty(); first += series) {
    const std::size_t last = std::min(first + series, record.models.size());
    out += model_key({record.models.begin() + static_cast<std::ptrdiff_t>(first),
                      record.models.begin() + static_cast<std::ptrdiff_t>(last)});
    std::vector<Chart> charts;
    for (const Metric& metric : metrics) {
      Chart chart{"overview",  metric.title,
                  metric.note, metric.title + " of every model on every target, with intervals",
                  {},          {},
                  {}};
      Json rows = Json::array();
      for (const std::string& target : targets)
        for (std::size_t m = first; m < last; ++m)
          if (const Result* result = record.find(record.models[m], target))
            rows.push_back(overview_row(*result, metric, m - first));
      chart.data = {{"rows", rows}};
      chart.signals = {{"targets", targets},
                       {"slots", last - first},
                       {"top", brief(metric.top)},
                       {"percent", metric.percent}};
      chart.numbers = {"rows",
                       {{"Target", "target"},
                        {"Model", "model"},
                        {"Value", "value"},
                        {"Low", "low"},
                        {"High", "high"},
                        {"Source", "source"},
                        {"n", "n"}}};
      charts.push_back(std::move(chart));
    }
    out += panels_html(charts);
  }
  return out;
}

}  // namespace

std::string subject(const Record& record, const Result& result) {
  return record.models.size() > 1 ? result.model + " under " + result.target : result.target;
}

std::string overview(const Record& record) {
  return news(record) + headline_table(record) + terms(record) + overview_charts(record);
}

}  // namespace leeway::report
