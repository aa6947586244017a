#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/average_case_lines.h"
#include "leeway/report/average_case_view.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

using record::at_sigma;
using record::mean_of;
using record::survival_words;

Cell survival_cell(const average_case::Distribution& p, std::size_t quantile) {
  return p.n > 0 ? number_cell(p.quantiles[quantile], survival_words(p.quantiles[quantile]))
                 : dash_cell("no sample");
}

std::string result_table(const RobustnessView& record) {
  Table table("Every method at every σ",
              {{"Method", "", false},
               {"σ", "Standard deviation of the noise, of pixels in [0,1] where inputs are images"},
               {"Mean", "Over samples; of p, or of a score", true, true},
               {"1 in 20", "One sample in twenty has no more: the 5% quantile"},
               {"5 in 20", "A quarter of the samples has no more"},
               {"Median", "Half of the samples has no more"},
               {"What it is", "A score ranks samples and is no probability", false},
               {"n", ""}});
  for (auto sigma = record.sigmas.rbegin(); sigma != record.sigmas.rend(); ++sigma)
    for (const std::string& method : record.methods) {
      const record::Survival* const result = record.found.find(method, *sigma);
      if (result == nullptr) continue;
      const average_case::Distribution& p = result->p;
      table.add({text_cell(method), number_cell(*sigma, sigma_words(*sigma)),
                 share_cell(mean_of(p), "no sample"), survival_cell(p, twentieth), survival_cell(p, quarter),
                 survival_cell(p, median), text_cell(result->probability ? "probability" : "score"),
                 count_cell(p.n)});
    }
  table.sorted_by(1, false);
  constexpr std::size_t long_rows = 30;
  if (record.found.results.size() <= long_rows) return table.html();
  return fmt::format(
      "<details class=\"more\"><summary>Every method at every σ ({} rows)</summary>\n{}</details>\n",
      count(record.found.results.size()), table.html());
}

// Mean over sigma, a line a method.
std::string mean_charts(const RobustnessView& record, bool probabilities) {
  std::vector<Line> lines;
  for (const std::string& method : record.of_kind(probabilities)) {
    Line line{method, lines.size() % series, {}};
    for (const double sigma : record.sigmas) {
      const record::Survival* const result = record.found.find(method, sigma);
      if (result == nullptr || result->p.n == 0) continue;
      line.points.push_back({0, mean_of(result->p), sigma_words(sigma),
                             fmt::format("{}\nmean {}\nn = {}", at_sigma(sigma),
                                         value_words(mean_of(result->p), true), count(result->p.n))});
      line.points.back().x = sigma;
    }
    lines.push_back(std::move(line));
  }
  return sigma_charts(probabilities ? "Mean probability to survive" : "Mean score",
                      probabilities ? "bands are intervals over samples" : "scores are no probabilities",
                      lines, record.sigmas, 1);
}

std::string spread_charts(const RobustnessView& record) {
  std::vector<Chart> charts;
  for (const double sigma : record.sigmas) {
    std::vector<SpreadRow> rows;
    for (const std::string& method : record.methods)
      if (const record::Survival* const result = record.found.find(method, sigma))
        rows.push_back({method, at_sigma(sigma), result->p, std::size_t{result->probability ? 0u : 1u}});
    charts.push_back(
        spread_chart(at_sigma(sigma), fmt::format("{} samples", count(record.found.n)), "Method", rows));
  }
  return panels_html(charts, 6);
}

}  // namespace

std::string survival_overview(const RobustnessView& record) {
  return mean_charts(record, true) + result_table(record);
}

Section spread_section(const RobustnessView& record) {
  Section section{"samples", "Distribution", "", ""};
  const record::Survival& worst = record.found.strongest();
  if (record.found.n < 2 || worst.p.n == 0) return section;
  const double low = worst.p.quantiles[twentieth];
  section.heading =
      fmt::format("{}: at {} the median sample has {}, one in twenty no more than {} ({})",
                  low < record::harmless ? "The mean hides the few" : "Nearly all samples are alike",
                  at_sigma(worst.sigma), escape(survival_words(worst.p.quantiles[median])),
                  escape(survival_words(low)), escape(worst.method));
  const bool scores =
      std::ranges::any_of(record.found.results, [](const auto& result) { return !result.probability; });
  section.body = spread_key(scores ? "a score" : "") + spread_charts(record);
  if (scores) section.body += mean_charts(record, false);
  return section;
}

std::string survival_assumptions(const RobustnessView& record) {
  std::vector<std::string> items;
  items.emplace_back(
      "p asks whether the model keeps its own prediction, right or wrong, under random noise. It says "
      "nothing of an "
      "attacker, who looks for the worst change, nor of other shifts.");
  items.push_back(fmt::format(
      "The noise is {}. Inputs are not clipped: what leaves the range of the data is given to the model "
      "as it is.",
      escape(record.found.options.noise)));
  items.emplace_back(
      "taylor and mmse take the model as linear in its input, about the clean sample or averaged over noisy "
      "copies. They are exact for linear models with gaussian noise; for others the comparison with Monte "
      "Carlo says how far they are off.");
  items.emplace_back(
      "Scores (taylor-mvs, mmse-mvs, softmax) rank samples and are no probabilities: their means cannot be "
      "read "
      "as shares.");
  const double level = record.found.options.level;
  items.push_back(
      fmt::format("Intervals have level {} and take samples as drawn independently of each other.",
                  percent(level, level > .99 ? 1 : 0)));
  std::size_t unsettled = 0;
  double left_out = 0, zero_gradient = 0;
  for (const record::Survival& result : record.found.results) {
    zero_gradient = std::max(zero_gradient, result.zero_gradient.value_or(0));
    unsettled = std::max(unsettled, result.not_converged.value_or(0));
    left_out = std::max(left_out, result.left_out.value_or(0));
  }
  if (unsettled > 0)
    items.push_back(
        fmt::format("At one σ or more, p of up to {} of {} samples is not within the tolerance of the normal "
                    "distribution "
                    "function.",
                    count(unsettled), count(record.found.n)));
  if (zero_gradient > 0)
    items.push_back(
        fmt::format("Up to {} of the samples have gradients of exactly 0: methods that need gradients "
                    "take them as surviving any noise.",
                    percent(zero_gradient, 1)));
  if (left_out > 0)
    items.push_back(fmt::format("Gradients were not taken of every class: this changes p by up to {}.",
                                significant(left_out, 2)));
  std::string list;
  for (const std::string& item : items) list += "<li>" + item + "</li>\n";
  std::vector<std::pair<std::string, std::string>> words;
  for (const record::MethodWords& one : record.found.methods)
    words.emplace_back(escape(one.method),
                       fmt::format("{}{}.", escape(one.summary),
                                   one.source.empty() ? "" : fmt::format(" ({})", escape(one.source))));
  return "<ul>\n" + list + "</ul>\n" + terms_html(words);
}

std::string html_report(const record::AverageCase& average_case, const Pictures& pictures,
                              const Options& options) {
  const record::Robustness& found = average_case.found;
  const RobustnessView record(found);
  std::string scope = fmt::format("{} sample{}, {} classes, {} noise", count(found.n),
                                  found.n == 1 ? "" : "s", count(found.k), found.options.noise);
  const std::string& model = average_case.model;
  if (!model.empty()) scope += ", " + model.substr(model.rfind('/') + 1);
  const std::string meaning =
      paragraph(
          "Photograph the same thing again with a noisier camera: p is the probability that the model still "
          "gives the answer it gave to the clean picture. 100% means that noise of this strength never "
          "changes "
          "its mind; at 50% it is a coin toss. σ is how strong the noise is.") +
      paragraph(
          "To keep in mind: taylor and mmse take the model as linear; scores are no probabilities; inputs "
          "are "
          "not clipped. <a href=\"#assumptions\">All that is assumed</a>.");
  std::string warnings;
  for (const std::string& warning : average_case.envelope.warnings)
    warnings += paragraph("<b>Warning:</b> " + escape(warning));
  const std::string lead =
      warnings + "<p class=\"scope\">" + escape(scope) + "</p>\n" + meaning + survival_overview(record);
  return page(
      "leeway: predictions under noise", average_case.envelope.headline, lead,
      {spread_section(record),
       error_section(record),
       class_bias_section(record),
       ranking_section(record, pictures, options),
       convergence_section(record),
       runtime_section(record),
       {"assumptions", "Assumptions", "What these probabilities assume", survival_assumptions(record)},
       source_section(envelope_of(average_case.envelope))});
}

}  // namespace leeway::report
