#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

using error_bound::Dis2;

std::optional<double> true_error(const Result& result) {
  if (!result.accuracy.value) return std::nullopt;
  return 1 - *result.accuracy.value;
}

bool fails(const Result& result) {
  const auto truth = true_error(result);
  return truth && result.error_bound && *truth > *result.error_bound;
}

std::vector<const Result*> bounded(const Record& record) {
  std::vector<const Result*> results;
  for (const std::size_t i : record.worst_first())
    if (record.results[i].error_bound || !range_words(estimates_of(record.results[i])).empty())
      results.push_back(&record.results[i]);
  return results;
}

std::vector<ErrorRow> rows_of(const Result& result) {
  std::vector<ErrorRow> rows;
  if (result.error_bound && result.error_bound_terms)
    rows.push_back({"bound", {result.error_bound, {}, {}}, terms_of(*result.error_bound_terms)});
  for (const Estimate& estimate : estimates_of(result))
    if (estimate.error.value) rows.push_back({estimate.method, estimate.error, std::nullopt});
  return rows;
}

std::string heading(const Record& record, const std::vector<const Result*>& results) {
  std::vector<std::string> failing;
  const Result* worst = nullptr;
  for (const Result* result : results) {
    if (fails(*result)) failing.push_back(escape(subject(record, *result)));
    if (result->error_bound && (worst == nullptr || *result->error_bound > *worst->error_bound))
      worst = result;
  }
  if (!failing.empty()) {
    const std::size_t n = failing.size();
    if (n > 3) failing = {failing[0], failing[1], fmt::format("{} more", n - 2)};
    return fmt::format(
        "How wrong could it be without labels? More than its bound for {}, where the "
        "assumption fails",
        list_of(failing));
  }
  if (worst == nullptr) worst = results.front();
  std::string text = "How wrong could it be without labels? " + escape(subject(record, *worst));
  if (worst->error_bound) text += fmt::format(": on at most {}", percent(*worst->error_bound, 1));
  if (const std::string range = range_words(estimates_of(*worst)); !range.empty())
    text += fmt::format("{} estimates say {}", worst->error_bound ? ";" : ":", range);
  return text;
}

Cell validity_cell(const Result& result, const std::string& why) {
  const auto& terms = result.error_bound_terms;
  if (!terms || !terms->validity_score) return dash_cell(why);
  return number_cell(*terms->validity_score, fixed(*terms->validity_score, 2));
}

std::string terms_table(std::vector<const Result*> results) {
  std::ranges::stable_sort(results, std::greater(),
                           [](const Result* r) { return r->error_bound.value_or(-1); });
  Table table(
      "Bounds and their terms, worst first",
      {{"Target", "", false},
       {"Model", "", false},
       {"Error at most", "Error on the source, discrepancy and chance together, no more than 100%"},
       {"Source error", "Share of held-out source rows that the model gets wrong"},
       {"Discrepancy", "How much more a critic contradicts the model on the target than on the source"},
       {"Chance", "What the held-out rows may hide"},
       {"Validity score", "Low values warn that the bound may not mean much"},
       {"True error", "By the target's labels, which the bound did not see"},
       {"Held out", "Rows of source and target that the bound is measured on", false}});
  for (const Result* result : results) {
    std::vector<Cell> row = {text_cell(result->target), text_cell(result->model)};
    const auto share = [&](const std::optional<double>& value, const std::string& reason) {
      return value ? number_cell(*value, percent(*value, 1)) : dash_cell(reason);
    };
    const std::string why = result->reason("error_bound");
    const std::optional<Dis2>& terms = result->error_bound_terms;
    const auto term = [&](double Dis2::*member) {
      return terms ? share((*terms).*member, why) : dash_cell(why);
    };
    row.push_back(share(result->error_bound, why));
    row.push_back(term(&Dis2::source_error));
    row.push_back(term(&Dis2::discrepancy));
    row.push_back(term(&Dis2::concentration));
    row.push_back(validity_cell(*result, why));
    row.push_back(share(true_error(*result), result->reason("accuracy")));
    row.push_back(terms ? text_cell(count(terms->n_source) + " and " + count(terms->n_target))
                        : dash_cell(why));
    table.add(std::move(row));
  }
  table.sorted_by(2, false);
  return table.html(2);
}

std::string estimates_table(const std::vector<const Result*>& results) {
  std::vector<std::string> methods;
  for (const Result* result : results)
    for (const Estimate& estimate : estimates_of(*result)) append_new(methods, estimate.method);
  if (methods.empty()) return "";
  std::vector<Column> columns = {{"Target", "", false}, {"Model", "", false}};
  for (const std::string& method : methods) columns.push_back({method, "Estimated error", true, true});
  columns.push_back({"True error", "1 minus accuracy, where there are labels"});
  Table table("Estimated error, without labels of the target", columns);
  for (const Result* result : results) {
    std::vector<Cell> row = {text_cell(result->target), text_cell(result->model)};
    const std::vector<Estimate> estimates = estimates_of(*result);
    for (const std::string& method : methods) {
      const auto found = std::ranges::find(estimates, method, &Estimate::method);
      const std::string why = result->reason("estimates");
      row.push_back(share_cell(found == estimates.end() ? Measured{} : found->error, why));
    }
    const auto truth = true_error(*result);
    row.push_back(truth ? number_cell(*truth, percent(*truth, 1)) : dash_cell(result->reason("accuracy")));
    table.add(std::move(row));
  }
  return table.html(2);
}

}  // namespace

std::vector<Estimate> estimates_of(const Result& result) {
  std::vector<Estimate> list;
  for (const error_bound::Estimator& member : error_bound::estimators()) {
    Estimate& estimate = list.emplace_back();
    estimate.method = member.name;
    for (const error_bound::Estimate& one : result.estimates) {
      if (one.estimator != &member) continue;
      estimate.error.value = one.error;
      if (one.interval) estimate.error.low = one.interval->low, estimate.error.high = one.interval->high;
    }
  }
  return list;
}

Section bounds_section(const Record& record) {
  Section section{"bounds", "Error without labels", "", ""};
  const std::vector<const Result*> results = bounded(record);
  if (results.empty()) return section;
  section.heading = heading(record, results);
  std::vector<Chart> charts;
  bool truth = false;
  for (const Result* result : results) {
    const std::string note = result->error_bound_terms && result->error_bound_terms->validity_score
                                 ? "validity score " + fixed(*result->error_bound_terms->validity_score, 2)
                                 : "";
    charts.push_back(error_chart(subject(record, *result), note, rows_of(*result), true_error(*result)));
    truth = truth || true_error(*result).has_value();
  }
  section.body = paragraph(escape(record.bounds ? record.bounds->assumption : "")) + error_key(truth) +
                 panels_html(charts) + terms_html(bound_meanings()) + terms_table(results) +
                 estimates_table(results) +
                 paragraph("An estimate is no bound. Each is right under an assumption of its own:") +
                 (record.bounds ? methods_html(record.bounds->methods) : "");
  return section;
}

}  // namespace leeway::report
