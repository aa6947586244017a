// Errors that are bounded and estimated without labels: the page of leeway bound, and an assessment's section.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using error_bound::ComponentBound;
using error_bound::Concentration;
using error_bound::Dis2;
using error_bound::Estimator;

// One row of an error chart: a stack of the bound's terms, or a point with its interval.
struct ErrorRow {
  std::string name;
  Measured error;
  const Dis2* bound = nullptr;
  double concentration = 0;  // of this row, where it is a bound
};

std::string words_of(const ErrorRow& row) {
  const auto& [value, low, high] = row.error;
  if (row.bound == nullptr)
    return row.name + "\nestimated error " + percent(*value, 1) +
           (low && high ? fmt::format(" ({} to {})", percent(*low, 1), percent(*high, 1)) : "");
  const Dis2& terms = *row.bound;
  const double sum = terms.source_error + terms.discrepancy + row.concentration;
  return fmt::format(
      "{}\nerror at most {}\n{} error on the source\n+ {} discrepancy\n+ {} concentration{}\n"
      "measured on {} source and {} target rows",
      row.name, percent(*value, 1), percent(terms.source_error, 1), percent(terms.discrepancy, 1),
      percent(row.concentration, 1), sum > 1 ? "\n= " + percent(sum, 1) + ", capped at 100%" : "",
      count(terms.n_source), count(terms.n_target));
}

Json row_json(const ErrorRow& row, const std::optional<double>& truth) {
  const auto& [value, low, high] = row.error;
  const bool bound = row.bound != nullptr;
  Json json = {{"name", row.name},
               {"value", brief(value)},
               {"low", brief(low)},
               {"high", brief(high)},
               {"truth", brief(truth)},
               {"bound", bound},
               {"text", (bound ? "≤ " : "") + percent(*value, *value < 1)},
               {"words", words_of(row)}};
  const std::array<double, 3> terms = {bound ? row.bound->source_error : 0,
                                       bound ? row.bound->discrepancy : 0, row.concentration};
  std::size_t i = 0;
  for (const char* key : {"source_error", "discrepancy", "concentration"})
    json[key] = bound ? brief(terms[i++]) : Json();
  double end = 0;
  for (i = 0; i < 3; ++i)
    json[fmt::format("end{}", i)] = bound ? brief(std::clamp(end += terms[i], 0., 1.)) : Json();
  return json;
}

// "BOUND": the bound and its terms; "ac": an estimate. `truth`: the true error, where labels tell it.
Chart error_chart(const std::string& title, const std::string& note, const std::vector<ErrorRow>& rows,
                  const std::optional<double>& truth) {
  Chart chart{"errors", title, note, title + ". "};
  std::size_t longest = 0;
  for (const ErrorRow& row : rows) {
    chart.description += fmt::format("{}: {}{}. ", row.name, row.bound != nullptr ? "at most " : "",
                                     percent(*row.error.value, 1));
    longest = std::max(longest, row.name.size());
  }
  if (truth) chart.description += fmt::format("True error: {}.", percent(*truth, 1));
  chart.data = {{"rows", json_rows(rows, [&](const ErrorRow& row) { return row_json(row, truth); })}};
  chart.signals = {{"left", 12 + 6.6 * static_cast<double>(longest)},
                   {"truth", brief(truth)},
                   {"truth_text", truth ? "true " + percent(*truth, 1) : std::string()}};
  return chart;
}

// Colours of the terms and the mark of the true error.
Blocks error_key(bool truth) {
  std::vector<LegendItem> items = {{"swatch term0", "error on the source"},
                                   {"swatch term1", "discrepancy"},
                                   {"swatch term2", "concentration"},
                                   {"estimate", "estimate", 0}};
  if (truth) items.push_back({"swatch truth", "true error, from the target's labels"});
  return chart_legend(items);
}

// Pairs of a name and a text: each text once, with its first names.
Facts grouped(const Facts& said, std::size_t most_names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_text;
  for (const auto& [name, text] : said) {
    auto found = std::ranges::find(by_text, text, [](const auto& one) { return one.first; });
    if (found == by_text.end()) found = by_text.insert(found, {text, {}});
    found->second.push_back(name);
  }
  Facts facts;
  for (const auto& [text, names] : by_text) facts.emplace_back(list_of(at_most(most_names, names)), text);
  return facts;
}

// What every method assumes.
Blocks method_terms(const std::vector<ErrorMethod>& methods) {
  Facts said;
  for (const auto& [name, summary, assumes, fails] : methods)
    if (!assumes.empty()) said.emplace_back(name, fmt::format("Right if {}. Too low if {}.", assumes, fails));
  return term_list(grouped(said, methods.size()));
}

// What the outputs show of every shift.
Blocks moved_terms(const Assess& record, const std::vector<const AssessResult*>& results) {
  constexpr std::size_t most_lines = 12, most_names = 6;
  Facts said;
  for (const AssessResult* result : results)
    if (const auto& likely = result->likely_error)
      said.emplace_back(subject(record, *result), likely->moved + ".");
  Facts lines = grouped(said, most_names);
  lines.resize(std::min(most_lines, lines.size()));
  return in_both(term_list(std::move(lines)));
}

Blocks bound_meanings() {
  return term_list(
      {{"Discrepancy",
        "A critic is another classifier that disagrees with the model more on the target than on the source; "
        "the discrepancy is the largest increase found. The bound assumes that the disagreement of the true "
        "labels increases by no more."},
       {"Concentration", "A margin for the sampling error of held-out rows; it decreases with more rows."},
       {"Validity score",
        "From 0 to 1: near 1 if critics agreed with the model on the source quickly and throughout; a low "
        "score warns that the bound may not be reliable. If the worst critic agrees with the model on less "
        "than a quarter of the source, the score is reduced in proportion."}});
}

// -- The page of leeway bound

// The bound by each concentration, then the estimates.
std::vector<ErrorRow> rows_of(const Bound& record) {
  std::vector<ErrorRow> rows;
  if (record.dis2)
    for (const Concentration& one : record.dis2->dis2.concentrations)
      rows.push_back({std::string(one.name), {one.bound}, &record.dis2->dis2, one.term});
  for (const MethodError& one : record.results)
    if (!one.is_bound) rows.push_back({one.method.method, measured(one.error, one.interval)});
  return rows;
}

Blocks method_table(const Bound& record) {
  Table table("Every method", {text_column("Method"), interval_column("Error", "The estimate or the bound"),
                               text_column("Kind")});
  const auto add = [&](const std::string& name, const Measured& error, const char* what) {
    table.add({text_cell(name), share_cell(error), text_cell(what)});
  };
  for (const MethodError& one : record.results)
    add(one.method.method, measured(one.error, one.interval), one.is_bound ? "upper bound" : "estimate");
  add("source", measured(record.source.error, record.source.interval), "from the source's labels");
  if (record.target.error)
    add("target", {record.target.error}, "from the target's labels, which no method uses");
  return table.block();
}

Cell verdict_cell(const std::optional<error_bound::Verdict>& verdict) {
  return verdict ? text_cell(verdict->holds ? "proved" : "not proved")
                 : dash_cell("no labels or no held-out rows");
}

Blocks range_table(const error_bound::ComponentRange& range, const std::optional<double>& truth) {
  using One = ComponentBound;
  const std::vector<ColumnOf<One>> columns = {
      {number_column("Components", "Number of leading principal components"), &One::components},
      {number_column("Validity score",
                     "Low if critics are hard to train: too few components for the true labels"),
       [](const One& one) { return fixed_cell(one.validity_score, 2); }},
      {number_column("Estimate", "Without the concentration term"),
       [](const One& one) { return share_cell({one.dis2.estimate}); }},
      {number_column("Error at most", "Upper bound at this number's share of delta"),
       [](const One& one) { return share_cell({one.dis2.bound}); }},
      {number_column("Too high by", "Bound minus true error, in points"),
       [&](const One& one) {
         return fixed_cell(truth ? std::optional(100 * (one.dis2.bound - *truth)) : std::nullopt, 1,
                           "no labels");
       }},
      {text_column("Assumption", "From the target's labels, according to Corollary E.2"),
       [](const One& one) { return verdict_cell(one.dis2.corollary); }},
      {text_column("Kept", "The validity score is high enough; the lowest kept bound counts"),
       [](const One& one) { return text_cell(one.kept ? "yes" : "no"); }}};
  return in_both(table_of("The bound by number of principal components", columns, range.bounds).block());
}

Blocks divergence_table(const std::optional<error_bound::Divergences>& found) {
  if (!found) return {};
  Table table("Divergences on all rows, by enumeration of half-planes",
              {text_column("Measure"), number_column("Value"), text_column("Meaning")});
  const auto add = [&](const char* name, double value, const char* meaning) {
    table.add({text_cell(name), percent_cell(value, 1), text_cell(meaning)});
  };
  add("H-divergence", found->h, "how well a half-plane separates source from target");
  add("HΔH-divergence", found->h_delta_h, "how much more any two half-planes differ on one of the sets");
  add("Discrepancy", found->discrepancy,
      "how much more a half-plane differs from the classifier on the target");
  return in_both(table.block());
}

Section terms_section(const Bound& record) {
  using One = Concentration;
  if (!record.dis2) return {};
  const Dis2& terms = record.dis2->dis2;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Inequality"), &One::name},
      {number_column("Source error", "On the held-out rows"),
       [&](const One&) { return percent_cell(terms.source_error, 1); }},
      {number_column("Discrepancy", "On the held-out rows"),
       [&](const One&) { return percent_cell(terms.discrepancy, 1); }},
      {number_column("Concentration", "Margin for the sampling error of the held-out rows"),
       [](const One& one) { return percent_cell(one.term, 1); }},
      {number_column("Error at most", "The sum, at most 100%"),
       [](const One& one) { return percent_cell(one.bound, 1); }}};
  return {
      "terms", "Terms",
      fmt::format(
          "Critics on the {} disagree with the classifier {} points more on the target than on the source",
          record.dis2->representation, fixed(100 * terms.discrepancy, 1)),
      in_both(table_of("The bound by each concentration inequality", columns, terms.concentrations).block()) +
          paragraph(fmt::format(
              "Measured on {} source and {} target rows, which were used to choose {}. Validity score: {}. "
              "The bound in the first row counts; each other bound is valid only on its own.",
              count(terms.n_source), count(terms.n_target),
              record.options.dis2.holdout > 0 ? "no critic" : "the critics, so that the bound is not valid",
              terms.validity_score ? fixed(*terms.validity_score, 2) : "not known")) +
          (record.dis2->range ? range_table(*record.dis2->range, record.target.error) : Blocks()) +
          divergence_table(record.dis2->divergences) + bound_meanings()};
}

// The discrepancy of every critic in its order, and the largest so far.
Section restarts_section(const Bound& record) {
  if (!record.dis2 || record.dis2->dis2.restarts.empty()) return {};
  const std::vector<double>& restarts = record.dis2->dis2.restarts;
  Line each{"this one", 0, {}}, best{"largest", 1, {}};
  std::size_t last = 0;
  for (std::size_t i = 0; i < restarts.size(); ++i) {
    if (restarts[i] > restarts[last]) last = i;
    const std::string at = fmt::format("restart {}", i + 1);
    for (auto [line, value] : {std::pair(&each, restarts[i]), {&best, restarts[last]}})
      line->points.push_back(
          {static_cast<double>(i + 1), {value}, at, at + "\ndiscrepancy " + percent(value, 1)});
  }
  const std::size_t n = restarts.size();
  const std::vector<Line> lines = n == 1 ? std::vector{each} : std::vector{best, each};
  const LineAxes axes = fit_y(counted_axes(n, "restart"), lines, -1, 1);
  return {
      "restarts", "Restarts",
      n == 1 ? "One critic was trained"
             : fmt::format("The largest discrepancy was found in restart {} of {}", last + 1, n),
      chart_grid({line_chart("Discrepancy", "on held-out rows", lines, axes)}) +
          paragraph(
              "The largest discrepancy counts. If it still increases, more restarts would raise the bound.")};
}

Blocks assumptions(const Bound& record) {
  std::vector<ErrorMethod> methods;
  for (const MethodError& one : record.results) methods.push_back(one.method);
  return in_both(method_terms(methods) +
                 paragraph(fmt::format("An estimate is not a bound. Its {} interval shows its sampling "
                                       "error, not whether its assumption holds.",
                                       percent(record.options.level))));
}

// -- The section of an assessment

std::optional<double> true_error(const AssessResult& result) {
  return result.accuracy.value ? std::optional(1 - *result.accuracy.value) : std::nullopt;
}

Measured estimate_of(const AssessResult& result, const Estimator& member) {
  const auto found = std::ranges::find(result.estimates, &member, &error_bound::Estimate::estimator);
  return found == result.estimates.end() ? Measured{} : measured(found->error, found->interval);
}

std::vector<ErrorRow> rows_of(const AssessResult& result) {
  std::vector<ErrorRow> rows;
  if (const auto& terms = result.error_bound_terms; result.error_bound && terms)
    rows.push_back({"bound", {result.error_bound}, &*terms, terms->concentration});
  if (const auto& likely = result.likely_error)
    rows.push_back({"estimate", {likely->error.value, likely->low, likely->high}});
  for (const Estimator& member : error_bound::answer_estimators())
    if (const Measured error = estimate_of(result, member); error.value)
      rows.push_back({std::string(member.name), error});
  return rows;
}

std::string heading(const Assess& record, const std::vector<const AssessResult*>& results) {
  const std::string question = "How wrong could it be without labels? ";
  std::vector<std::string> failing;
  for (const AssessResult* result : results)
    if (const auto truth = true_error(*result); truth && result->error_bound && *truth > *result->error_bound)
      failing.push_back(subject(record, *result));
  if (!failing.empty())
    return question + fmt::format("More than the bound for {}, where the assumption fails",
                                  list_of(at_most(3, failing)));
  const auto bound = [](const AssessResult* result) { return result->error_bound.value_or(-1); };
  const AssessResult& worst = **std::ranges::max_element(results, {}, bound);
  std::string text = question + subject(record, worst);
  if (worst.error_bound) text += fmt::format(": at most {}", percent(*worst.error_bound, 1));
  if (worst.likely_error)
    text += fmt::format("{} estimated at {}, likely range {} to {}", worst.error_bound ? ";" : ":",
                        percent(*worst.likely_error->error.value), fixed(100 * worst.likely_error->low, 0),
                        percent(worst.likely_error->high));
  return text;
}

Cell truth_cell(const AssessResult& result) {
  return percent_cell(true_error(result), 1, result.reason("accuracy"));
}

Blocks terms_table(const Assess& record, std::vector<const AssessResult*> results) {
  std::ranges::stable_sort(results, std::greater(),
                           [](const AssessResult* r) { return r->error_bound.value_or(-1); });
  const auto term = [](double Dis2::*member) {
    return [member](const AssessResult& result) {
      const std::optional<Dis2>& terms = result.error_bound_terms;
      return percent_cell(terms ? std::optional((*terms).*member) : std::nullopt, 1,
                          result.reason("error_bound"));
    };
  };
  return subject_table(
             record, "Bounds and their terms, worst first",
             {{number_column("Error at most", "Source error + discrepancy + concentration, at most 100%"),
               [](const AssessResult& r) { return percent_cell(r.error_bound, 1, r.reason("error_bound")); }},
              {number_column("Source error", "Share of held-out source rows that the model gets wrong"),
               term(&Dis2::source_error)},
              {number_column(
                   "Discrepancy",
                   "How much more a critic disagrees with the model on the target than on the source"),
               term(&Dis2::discrepancy)},
              {number_column("Concentration", "Margin for the sampling error of the held-out rows"),
               term(&Dis2::concentration)},
              {number_column("Validity score", "A low value warns that the bound may not be reliable"),
               [](const AssessResult& r) {
                 return fixed_cell(r.error_bound_terms ? r.error_bound_terms->validity_score : std::nullopt,
                                   2, r.reason("error_bound"));
               }},
              {number_column("True error", "From the target's labels, which the bound does not use"),
               truth_cell},
              {text_column("Held out", "Rows of source and target used to measure the bound"),
               [](const AssessResult& r) {
                 const std::optional<Dis2>& terms = r.error_bound_terms;
                 return terms ? text_cell(count(terms->n_source) + " and " + count(terms->n_target))
                              : dash_cell(r.reason("error_bound"));
               }}},
             results, 0, false)
      .block();
}

Blocks estimates_table(const Assess& record, const std::vector<const AssessResult*>& results) {
  std::vector<ColumnOf<AssessResult>> columns;
  for (const Estimator& member : error_bound::answer_estimators())
    columns.push_back(
        {interval_column(std::string(member.name), "Estimated error"), [&member](const AssessResult& result) {
           return share_cell(estimate_of(result, member), result.reason("estimates"));
         }});
  columns.push_back({number_column("True error", "1 minus accuracy, if there are labels"), truth_cell});
  return subject_table(record, "Estimated error, without labels of the target", std::move(columns), results)
      .block();
}

}  // namespace

View view(const Bound& record) {
  const std::optional<double>& truth = record.target.error;
  return view_of("error without labels", record.envelope,
                 error_key(truth.has_value()) +
                     chart_grid({error_chart("Error on the target",
                                             "bounds by each concentration inequality, and estimates",
                                             rows_of(record), truth)}) +
                     in_both(method_table(record)),
                 {terms_section(record),
                  restarts_section(record),
                  {"methods", "Assumptions", "Assumptions of the methods, and when they are too low",
                   assumptions(record)}},
                 fmt::format("{} source and {} target rows", count(record.source.n), count(record.target.n)));
}

Section bounds_section(const Assess& record) {
  std::vector<const AssessResult*> results = record.worst_first();
  std::erase_if(results, [](const AssessResult* r) { return !r->error_bound && !r->likely_error; });
  if (results.empty()) return {};
  std::vector<Chart> charts;
  bool truth = false;
  for (const AssessResult* result : results) {
    const auto& terms = result->error_bound_terms;
    charts.push_back(error_chart(
        subject(record, *result),
        terms && terms->validity_score ? "validity score " + fixed(*terms->validity_score, 2) : "",
        rows_of(*result), true_error(*result)));
    truth = truth || true_error(*result).has_value();
  }
  return {"bounds", "Error without labels", heading(record, results),
          in_both(paragraph(record.bounds ? record.bounds->likely + " " + record.bounds->assumption : "")) +
              error_key(truth) + chart_grid(charts) + bound_meanings() + terms_table(record, results) +
              in_both(estimates_table(record, results)) + moved_terms(record, results) +
              paragraph("An estimate is not a bound. Each estimate is right under its own assumption:") +
              (record.bounds ? method_terms({record.bounds->methods.begin(), record.bounds->methods.end()})
                             : Blocks())};
}

}  // namespace leeway::tasks
