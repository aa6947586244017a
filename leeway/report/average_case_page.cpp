#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/average_case_lines.h"
#include "leeway/report/average_case_record.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

constexpr double harmless = .95;  // a sample that keeps its prediction so often is not called fragile

std::string at_sigma(double sigma) { return "σ = " + sigma_words(sigma); }

// "one in twenty at most 46% of the time, five in twenty at most 93%": how fragile the most fragile are.
std::string fragile(const Spread& p) {
  const auto& [one, five, ten] = std::tie(p.quantiles[twentieth], p.quantiles[quarter], p.quantiles[median]);
  if (p.n < 20 || !one) return "";
  if (*one >= harmless)
    return fmt::format("Nineteen samples in twenty keep their prediction at least {} of the time.",
                       survival(*one));
  std::string text = fmt::format(
      "Of twenty samples the most fragile keeps its prediction at most {} of the time", survival(*one));
  if (ten && *ten < harmless) {
    text += fmt::format(", and half of them at most {}", survival(*ten));
  } else if (five && *five < harmless) {
    text += fmt::format(", and the five most fragile at most {}", survival(*five));
  }
  return text + ".";
}

std::string beside_each_other(const AverageCaseRecord& record, double sigma) {
  std::vector<std::string> others;
  for (const std::string& method : record.methods) {
    const RobustnessResult* const result = record.find(method, sigma);
    if (method == record.leading || result == nullptr || !result->probability || !result->p.mean.value)
      continue;
    others.push_back(fmt::format("{} says {}", method, percent(result->p.mean)));
  }
  return others.empty() ? "" : fmt::format("Beside it {}.", list_of(others));
}

std::string p_cell_words(const std::optional<double>& p) { return p ? survival(*p) : ""; }

Cell survival_cell(const std::optional<double>& p, const Spread& spread) {
  return p ? number_cell(*p, p_cell_words(p)) : dash_cell(spread.n == 0 ? "no sample" : "not recorded");
}

std::string result_table(const AverageCaseRecord& record) {
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
      const RobustnessResult* const result = record.find(method, *sigma);
      if (result == nullptr) continue;
      const Spread& p = result->p;
      table.add({text_cell(method), number_cell(*sigma, sigma_words(*sigma)), share_cell(p.mean, "no sample"),
                 survival_cell(p.quantiles[twentieth], p), survival_cell(p.quantiles[quarter], p),
                 survival_cell(p.quantiles[median], p),
                 text_cell(result->probability ? "probability" : "score"), count_cell(p.n)});
    }
  table.sorted_by(1, false);
  constexpr std::size_t long_rows = 30;
  if (record.results.size() <= long_rows) return table.html();
  return fmt::format(
      "<details class=\"more\"><summary>Every method at every σ ({} rows)</summary>\n{}</details>\n",
      count(record.results.size()), table.html());
}

// Mean over sigma, a line a method.
std::string mean_charts(const AverageCaseRecord& record, bool probabilities) {
  std::vector<Line> lines;
  for (const std::string& method : record.of_kind(probabilities)) {
    Line line{method, lines.size() % series, {}};
    for (const double sigma : record.sigmas) {
      const RobustnessResult* const result = record.find(method, sigma);
      if (result == nullptr || !result->p.mean.value) continue;
      line.points.push_back({0, result->p.mean, sigma_words(sigma),
                             fmt::format("{}\nmean {}\nn = {}", at_sigma(sigma),
                                         value_words(result->p.mean, true), count(result->p.n))});
      line.points.back().x = sigma;
    }
    lines.push_back(std::move(line));
  }
  return sigma_charts(probabilities ? "Mean probability to survive" : "Mean score",
                      probabilities ? "bands are intervals over samples" : "scores are no probabilities",
                      lines, record.sigmas, 1);
}

std::string spread_charts(const AverageCaseRecord& record) {
  std::vector<Chart> charts;
  for (const double sigma : record.sigmas) {
    std::vector<SpreadRow> rows;
    for (const std::string& method : record.methods)
      if (const RobustnessResult* const result = record.find(method, sigma))
        rows.push_back({method, at_sigma(sigma), result->p, std::size_t{result->probability ? 0u : 1u}});
    charts.push_back(
        spread_chart(at_sigma(sigma), fmt::format("{} samples", count(record.n)), "Method", rows));
  }
  return panels_html(charts, 6);
}

}  // namespace

std::string survival_finding(const AverageCaseRecord& record) {
  const double most = record.sigmas.back();
  const RobustnessResult& worst = *record.find(record.leading, most);
  if (!worst.p.mean.value) return "No sample was looked at.";
  if (!worst.probability) return "No method here gives a probability.";
  if (record.n == 1)
    return fmt::format("Under noise of {} the prediction survives with probability {}, {} says.",
                       at_sigma(most), percent(*worst.p.mean.value, 1), record.leading);
  return fmt::format("Under noise of {} predictions survive with probability {}, {} says.", at_sigma(most),
                     value_words(worst.p.mean, true), record.leading);
}

std::string survival_details(const AverageCaseRecord& record) {
  const double most = record.sigmas.back();
  const RobustnessResult& worst = *record.find(record.leading, most);
  if (!worst.p.mean.value) return "";
  if (!worst.probability)
    return fmt::format("The mean score of {} at {} is {}: scores rank samples, no more.", record.leading,
                       at_sigma(most), value_words(worst.p.mean, false));
  const std::string few = fragile(worst.p), others = beside_each_other(record, most);
  return few + (few.empty() || others.empty() ? "" : " ") + others;
}

std::string survival_overview(const AverageCaseRecord& record) {
  return mean_charts(record, true) + result_table(record);
}

Section spread_section(const AverageCaseRecord& record) {
  Section section{"samples", "Distribution", "", ""};
  const RobustnessResult& worst = *record.find(record.leading, record.sigmas.back());
  const auto& low = worst.p.quantiles[twentieth];
  const auto& middle = worst.p.quantiles[median];
  if (record.n < 2 || !low || !middle) return section;
  section.heading = fmt::format("{}: at {} the median sample has {}, one in twenty no more than {} ({})",
                                *low < harmless ? "The mean hides the few" : "Nearly all samples are alike",
                                at_sigma(worst.sigma), escape(survival(*middle)), escape(survival(*low)),
                                escape(record.leading));
  const bool scores =
      std::ranges::any_of(record.results, [](const auto& result) { return !result.probability; });
  section.body = spread_key(scores ? "a score" : "") + spread_charts(record);
  if (scores) section.body += mean_charts(record, false);
  return section;
}

std::string survival_assumptions(const AverageCaseRecord& record) {
  std::vector<std::string> items;
  items.emplace_back(
      "p asks whether the model keeps its own prediction, right or wrong, under random noise. It says "
      "nothing of an "
      "attacker, who looks for the worst change, nor of other shifts.");
  items.push_back(fmt::format(
      "The noise is {}. Inputs are not clipped: what leaves the range of the data is given to the model "
      "as it is.",
      record.noise.empty() ? "of a kind that the record does not say" : escape(record.noise)));
  items.emplace_back(
      "taylor and mmse take the model as linear in its input, about the clean sample or averaged over noisy "
      "copies. They are exact for linear models with gaussian noise; for others the comparison with Monte "
      "Carlo says how far they are off.");
  items.emplace_back(
      "Scores (taylor-mvs, mmse-mvs, softmax) rank samples and are no probabilities: their means cannot be "
      "read "
      "as shares.");
  items.push_back(
      fmt::format("Intervals have level {} and take samples as drawn independently of each other.",
                  percent(record.level, record.level > .99 ? 1 : 0)));
  std::size_t unsettled = 0;
  double left_out = 0, zero_gradient = 0;
  for (const RobustnessResult& result : record.results) {
    zero_gradient = std::max(zero_gradient, result.zero_gradient.value_or(0));
    unsettled = std::max(unsettled, result.not_converged.value_or(0));
    left_out = std::max(left_out, result.left_out.value_or(0));
  }
  if (unsettled > 0)
    items.push_back(
        fmt::format("At one σ or more, p of up to {} of {} samples is not within the tolerance of the normal "
                    "distribution "
                    "function.",
                    count(unsettled), count(record.n)));
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
  for (const EstimatorWords& one : record.words)
    words.emplace_back(escape(one.method),
                       fmt::format("{}{}.", escape(one.summary),
                                   one.source.empty() ? "" : fmt::format(" ({})", escape(one.source))));
  return "<ul>\n" + list + "</ul>\n" + terms_html(words);
}

std::string average_case_page(const Json& json, const Pictures& pictures, const Options& options) {
  const AverageCaseRecord record = read_average_case(json, options.record_name);
  std::string scope = fmt::format("{} sample{}", count(record.n), record.n == 1 ? "" : "s");
  if (record.k > 0) scope += fmt::format(", {} classes", count(record.k));
  if (!record.noise.empty()) scope += ", " + record.noise + " noise";
  if (!record.model.empty()) scope += ", " + record.model.substr(record.model.rfind('/') + 1);
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
  for (const std::string& warning : record.warnings)
    warnings += paragraph("<b>Warning:</b> " + escape(warning));
  const std::string lead =
      warnings + "<p class=\"scope\">" + escape(scope) + "</p>\n" + meaning + survival_overview(record);
  const std::string details = survival_details(record);
  return page(
      "leeway: predictions under noise", survival_finding(record) + (details.empty() ? "" : " " + details),
      lead,
      {spread_section(record),
       error_section(record),
       class_bias_section(record),
       ranking_section(record, pictures, options),
       convergence_section(record),
       runtime_section(record),
       {"assumptions", "Assumptions", "What these probabilities assume", survival_assumptions(record)},
       source_section(read_envelope(json, options.record_name))});
}

}  // namespace leeway::report
