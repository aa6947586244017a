#include "leeway/report/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/html.h"

namespace leeway::report {
namespace {

std::string words_of(const ErrorRow& row) {
  if (!row.terms) {
    std::string words = row.name + "\nestimated error " + percent(*row.error.value, 1);
    if (row.error.low && row.error.high)
      words += fmt::format(" ({} to {})", percent(*row.error.low, 1), percent(*row.error.high, 1));
    return words;
  }
  const BoundTerms& terms = *row.terms;
  const double sum = terms.source_error + terms.discrepancy + terms.concentration;
  return fmt::format(
      "{}\nerror at most {}\n{} error on the source\n+ {} discrepancy\n+ {} for chance{}\n"
      "measured on {} source and {} target rows",
      row.name, percent(*row.error.value, 1), percent(terms.source_error, 1), percent(terms.discrepancy, 1),
      percent(terms.concentration, 1), sum > 1 ? "\n= " + percent(sum, 1) + ", which says nothing" : "",
      count(terms.n_source), count(terms.n_target));
}

Json row_json(const ErrorRow& row, const std::optional<double>& truth) {
  Json json = {{"name", row.name},
               {"value", brief(row.error.value)},
               {"low", brief(row.error.low)},
               {"high", brief(row.error.high)},
               {"truth", brief(truth)},
               {"bound", row.terms.has_value()},
               {"text", (row.terms ? "≤ " : "") + percent(*row.error.value, *row.error.value < 1)},
               {"words", words_of(row)}};
  for (const char* key : {"source_error", "discrepancy", "concentration", "end0", "end1", "end2"})
    json[key] = nullptr;
  if (!row.terms) return json;
  json["source_error"] = brief(row.terms->source_error);
  json["discrepancy"] = brief(row.terms->discrepancy);
  json["concentration"] = brief(row.terms->concentration);
  double end = 0;
  std::size_t i = 0;
  for (const double term : {row.terms->source_error, row.terms->discrepancy, row.terms->concentration})
    json[fmt::format("end{}", i++)] = brief(std::clamp(end += term, 0., 1.));
  return json;
}

}  // namespace

BoundTerms terms_of(const error_bound::Dis2& dis2) {
  return {dis2.source_error, dis2.discrepancy, dis2.concentration,
          dis2.n_source,     dis2.n_target,    dis2.validity_score};
}

std::string methods_html(const std::vector<record::ErrorMethod>& methods) {
  std::vector<std::pair<std::string, std::string>> items;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto same = [&](const record::ErrorMethod& other) {
      return other.assumes == methods[i].assumes && other.fails == methods[i].fails;
    };
    const auto begin = methods.begin(), here = begin + static_cast<std::ptrdiff_t>(i);
    if (methods[i].assumes.empty() || std::any_of(begin, here, same)) continue;
    std::vector<std::string> names;
    for (const record::ErrorMethod& method : methods)
      if (same(method)) names.push_back(escape(method.method));
    items.emplace_back(list_of(names), fmt::format("Right if {}. Too low if {}.", escape(methods[i].assumes),
                                                   escape(methods[i].fails)));
  }
  return items.empty() ? "" : terms_html(items);
}

Chart error_chart(const std::string& title, const std::string& note, const std::vector<ErrorRow>& rows,
                  const std::optional<double>& truth) {
  Chart chart{"errors", title, note, title + ". "};
  Json list = Json::array();
  std::size_t longest = 0;
  for (const ErrorRow& row : rows) {
    list.push_back(row_json(row, truth));
    chart.description +=
        fmt::format("{}: {}{}. ", row.name, row.terms ? "at most " : "", percent(*row.error.value, 1));
    longest = std::max(longest, row.name.size());
  }
  if (truth) chart.description += fmt::format("True error: {}.", percent(*truth, 1));
  chart.data = {{"rows", std::move(list)}};
  chart.signals = {{"left", 12 + 6.6 * static_cast<double>(longest)},
                   {"truth", brief(truth)},
                   {"truth_text", truth ? "true " + percent(*truth, 1) : std::string()}};
  chart.numbers = {"rows",
                   {{"Method", "name"},
                    {"Error", "value"},
                    {"Low", "low"},
                    {"High", "high"},
                    {"Source error", "source_error"},
                    {"Discrepancy", "discrepancy"},
                    {"Chance", "concentration"},
                    {"True error", "truth"}}};
  return chart;
}

std::string error_key(bool truth) {
  std::string out = "<ul class=\"key\">";
  for (const auto& [name, words] :
       {std::pair("term0", "error on the source"), {"term1", "discrepancy"}, {"term2", "chance"}})
    out += fmt::format("<li><span class=\"swatch {}\"></span>{}</li>", name, words);
  out +=
      "<li><svg class=\"mark estimate\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><use "
      "href=\"#shape0\"/></svg>estimate</li>";
  if (truth) out += "<li><span class=\"swatch truth\"></span>true error, by the target's labels</li>";
  return out + "</ul>\n";
}

std::string range_words(const std::vector<Estimate>& estimates, std::string_view between) {
  std::vector<double> known;
  for (const Estimate& one : estimates)
    if (one.error.value) known.push_back(*one.error.value);
  return record::percent_range(known, between);
}

std::vector<std::pair<std::string, std::string>> bound_meanings() {
  return {
      {"Discrepancy",
       "How much more the worst other classifier found, a critic, contradicts the model on the target than "
       "on the source. If the truth itself contradicts the model no more than that, the error cannot have "
       "grown by more."},
      {"Chance", "What the held-out rows may hide, as they are only a sample: with more rows it shrinks."},
      {"Validity score",
       "From 0 to 1: near 1 where critics agreed with the model on the source at once and kept to it; a low "
       "score warns that the bound may not mean much. Where the worst critic agrees with the model on less "
       "than a "
       "quarter of the source, the score is lowered in proportion."}};
}

}  // namespace leeway::report
