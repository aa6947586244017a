#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/lines.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

Measured measured(const record::MethodError& one) {
  if (!one.interval) return {one.error, {}, {}};
  return {one.error, one.interval->low, one.interval->high};
}

// The bound by each concentration, then the estimates.
std::vector<ErrorRow> rows_of(const record::Bound& record) {
  std::vector<ErrorRow> rows;
  if (record.dis2)
    for (const auto& one : record.dis2->dis2.concentrations) {
      BoundTerms terms = terms_of(record.dis2->dis2);
      terms.concentration = one.term;
      rows.push_back({std::string(one.name), {one.bound, {}, {}}, terms});
    }
  for (const record::MethodError& one : record.results)
    if (!one.is_bound) rows.push_back({one.method.method, measured(one), {}});
  return rows;
}

std::string method_table(const record::Bound& record) {
  Table table(
      "Every method",
      {{"Method", "", false}, {"Error", "Of a bound, the bound", true, true}, {"What it is", "", false}});
  for (const record::MethodError& one : record.results)
    table.add({text_cell(one.method.method), share_cell(measured(one), ""),
               text_cell(one.is_bound ? "upper bound" : "estimate")});
  const record::BoundSource& source = record.source;
  table.add({text_cell("source"), share_cell({source.error, source.interval.low, source.interval.high}, ""),
             text_cell("by the source's labels")});
  if (record.target.error)
    table.add({text_cell("target"), share_cell({record.target.error, {}, {}}, ""),
               text_cell("by the target's labels, which no method saw")});
  return table.html();
}

std::string range_table(const error_bound::ComponentRange& range) {
  Table table("The bound on fewer and fewer principal components",
              {{"Components", "Of the features, the leading ones"},
               {"Validity score", "Low where critics are hard to train: too few components hold the truth"},
               {"Estimate", "Without the term for chance"},
               {"Error at most", "At this bound's share of delta"},
               {"Kept", "The score is high enough; the least bound of those kept counts", false}});
  for (const error_bound::ComponentBound& one : range.bounds)
    table.add({count_cell(one.components), number_cell(one.validity_score, fixed(one.validity_score, 2)),
               share_cell({one.dis2.estimate, {}, {}}, ""), share_cell({one.dis2.bound, {}, {}}, ""),
               text_cell(one.kept ? "yes" : "no")});
  return table.html();
}

Section terms_section(const record::Bound& record) {
  Section section{"terms", "Terms", "", ""};
  if (!record.dis2) return section;
  const error_bound::Dis2& terms = record.dis2->dis2;
  section.heading = fmt::format(
      "Critics on the {} contradict the classifier {} points more on the target than on "
      "the source",
      escape(record.dis2->representation), fixed(100 * terms.discrepancy, 1));
  Table table("The bound by each inequality for chance",
              {{"Inequality", "", false},
               {"Source error", "On the held-out rows"},
               {"Discrepancy", "On the held-out rows"},
               {"Chance", "What is added for what the held-out rows may hide"},
               {"Error at most", "The sum, no more than 100%"}});
  for (const auto& one : terms.concentrations)
    table.add({text_cell(one.name), number_cell(terms.source_error, percent(terms.source_error, 1)),
               number_cell(terms.discrepancy, percent(terms.discrepancy, 1)),
               number_cell(one.term, percent(one.term, 1)), number_cell(one.bound, percent(one.bound, 1))});
  std::string validity = terms.validity_score ? fixed(*terms.validity_score, 2) : "not known";
  section.body =
      table.html() +
      paragraph(fmt::format(
          "Measured on {} source and {} target rows that chose {}. Validity "
          "score: {}. The bound that counts is that of the first line; the others "
          "each hold by themselves.",
          count(terms.n_source), count(terms.n_target),
          record.options.dis2.holdout > 0 ? "no critic" : "the critics, which proves nothing", validity)) +
      (record.dis2->range ? range_table(*record.dis2->range) : "") + terms_html(bound_meanings());
  return section;
}

// The discrepancy of every critic in its order, and the largest so far.
Section restarts_section(const record::Bound& record) {
  Section section{"restarts", "Restarts", "", ""};
  if (!record.dis2 || record.dis2->dis2.restarts.empty()) return section;
  const std::vector<double>& restarts = record.dis2->dis2.restarts;
  Line each{"this one", 0, {}}, best{"largest", 1, {}};
  std::size_t last = 0;
  for (std::size_t i = 0; i < restarts.size(); ++i) {
    if (restarts[i] > restarts[last]) last = i;
    const std::string at = fmt::format("restart {}", i + 1);
    for (auto [line, value] : {std::pair(&each, restarts[i]), {&best, restarts[last]}})
      line->points.push_back(
          {static_cast<double>(i + 1), {value, {}, {}}, at, at + "\ndiscrepancy " + fixed(value, 4)});
  }
  const std::size_t n = restarts.size();
  LineAxes axes;
  axes.x_low = n == 1 ? 0 : 1;
  axes.x_high = n == 1 ? 2 : static_cast<double>(n);
  axes.x_title = "restart";
  for (std::size_t i = 1; i <= n; i += std::max<std::size_t>(1, (n + 7) / 8)) {
    axes.x_ticks.push_back(static_cast<double>(i));
    axes.x_names.push_back(std::to_string(i));
  }
  const std::vector<Line> lines = n == 1 ? std::vector{each} : std::vector{best, each};
  section.heading = n == 1 ? std::string("One critic was tried")
                           : fmt::format("The largest discrepancy came with restart {} of {}", last + 1, n);
  section.body =
      panels_html({line_chart("Discrepancy", "on held-out rows", lines, fit_y(axes, lines, -1, 1))}) +
      paragraph(
          "A larger discrepancy is the honest answer: where it still grows, more restarts "
          "would raise the bound.");
  return section;
}

Section assumptions_of_methods(const record::Bound& record) {
  std::vector<record::ErrorMethod> methods;
  for (const record::MethodError& one : record.results) methods.push_back(one.method);
  return {"methods", "Assumptions", "What every method assumes, and when it is too low",
          methods_html(methods) +
              paragraph(fmt::format(
                  "An estimate is no bound. Its {} interval tells how far the rows there are settle it, not "
                  "whether what it assumes is true.",
                  percent(record.options.level)))};
}

}  // namespace

std::string html_report(const record::Bound& record) {
  const std::optional<double>& truth = record.target.error;
  std::string lead = fmt::format("<p class=\"scope\">{} source and {} target rows</p>\n",
                                 count(record.source.n), count(record.target.n));
  for (const std::string& finding : record.envelope.findings) lead += paragraph(escape(finding));
  lead +=
      error_key(truth.has_value()) +
      panels_html({error_chart("Error on the target", "bounds by each inequality for chance, and estimates",
                               rows_of(record), truth)}) +
      method_table(record);
  return page("leeway: error without labels", record.envelope.headline, lead,
              {terms_section(record), restarts_section(record), assumptions_of_methods(record),
               source_section(envelope_of(record.envelope))});
}

}  // namespace leeway::report
