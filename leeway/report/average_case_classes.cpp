// Whether classes differ in robustness, and which samples are the least and the most robust.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/report/average_case_view.h"
#include "leeway/report/pictures.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

using record::at_sigma;
using record::class_name;
using record::mean_of;
using record::p_value_words;
using record::survival_words;

constexpr std::size_t drawn_classes = 20;  // of each chart

bool differs(const RobustnessView& record, const record::ClassSurvival& one) {
  return one.of.p_value && *one.of.p_value < 1 - record.found.options.level;
}

// The least robust first, by the mean at the strongest noise; classes without samples last.
std::vector<std::size_t> class_order(const record::ClassComparison& strongest) {
  std::vector<std::size_t> order(strongest.classes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return mean_of(strongest.classes[i].of.distribution).value.value_or(2);
  });
  return order;
}

const record::ClassSurvival* class_of(const record::ClassComparison& comparison, std::int64_t label) {
  for (const record::ClassSurvival& one : comparison.classes)
    if (one.of.label == label) return &one;
  return nullptr;
}

std::string class_charts(const RobustnessView& record) {
  const record::ClassComparison& strongest = record.comparisons.back();
  std::vector<Chart> charts;
  for (const record::ClassComparison& comparison : record.comparisons) {
    std::vector<SpreadRow> rows;
    const std::string sigma = at_sigma(comparison.sigma);
    for (const std::size_t i : class_order(strongest)) {
      const record::ClassSurvival* const one = class_of(comparison, strongest.classes[i].of.label);
      if (one == nullptr || rows.size() == drawn_classes) continue;
      rows.push_back({one->name, sigma, one->of.distribution, std::size_t{differs(record, *one) ? 1u : 0u}});
    }
    charts.push_back(spread_chart(
        sigma, comparison.p_value ? "Kruskal–Wallis " + p_value_words(*comparison.p_value) : "no test",
        "Class", rows));
  }
  return panels_html(charts, 6);
}

std::string class_table(const RobustnessView& record) {
  Table table(
      fmt::format("Every class, by {}", record.found.leading),
      {{"Class", "", false},
       {"σ", ""},
       {"Mean p", "", true, true},
       {"1 in 20", "One sample of the class in twenty has no more"},
       {"Median", ""},
       {"Difference", "From the mean of all other samples, in points"},
       {"p-value", "Mann and Whitney, against all other samples, adjusted for the number of classes (Holm)"},
       {"n", ""}});
  const auto order = class_order(record.comparisons.back());
  for (auto comparison = record.comparisons.rbegin(); comparison != record.comparisons.rend(); ++comparison)
    for (const std::size_t i : order) {
      const record::ClassSurvival* const one =
          class_of(*comparison, record.comparisons.back().classes[i].of.label);
      if (one == nullptr) continue;
      const average_case::ClassDistribution& of = one->of;
      const average_case::Distribution& p = of.distribution;
      const char* const none = p.n == 0 ? "no sample of this class" : "no other class has samples";
      const auto cell = [&](double quantile) {
        return p.n > 0 ? number_cell(quantile, survival_words(quantile)) : dash_cell(none);
      };
      table.add({text_cell(one->name), number_cell(comparison->sigma, sigma_words(comparison->sigma)),
                 share_cell(mean_of(p), none), cell(p.quantiles[twentieth]), cell(p.quantiles[median]),
                 of.p_value ? change_cell({of.difference, {}, {}}, "") : dash_cell(none),
                 of.p_value ? number_cell(*of.p_value, (differs(record, *one) ? "<b>" : "") +
                                                           significant(*of.p_value, 2) +
                                                           (differs(record, *one) ? "</b>" : ""))
                            : dash_cell(none),
                 count_cell(p.n)});
    }
  return fmt::format(
      "<details class=\"more\"><summary>Every class at every σ, with intervals and n</summary>\n"
      "{}</details>\n",
      table.html(2));
}

std::string test_table(const RobustnessView& record) {
  Table table(
      "Are all classes alike? One test for each σ",
      {{"σ", ""},
       {"p-value", "Kruskal and Wallis: how likely differences like these are where all classes are alike"},
       {"Classes that differ", "From all others, after Holm's adjustment", false},
       {"n", ""}});
  for (auto comparison = record.comparisons.rbegin(); comparison != record.comparisons.rend(); ++comparison) {
    std::vector<std::string> names;
    std::size_t n = 0;
    for (const record::ClassSurvival& one : comparison->classes) {
      n += one.of.distribution.n;
      if (differs(record, one)) names.push_back(one.name + (one.of.difference < 0 ? " (less)" : " (more)"));
    }
    table.add({number_cell(comparison->sigma, sigma_words(comparison->sigma)),
               comparison->p_value ? number_cell(*comparison->p_value, significant(*comparison->p_value, 2))
                                   : dash_cell("fewer than two classes have samples, or all p tie"),
               names.empty() ? dash_cell("none beyond chance") : text_cell(list_of(names)), count_cell(n)});
  }
  return table.html();
}

// -- Ranking

bool complete(const Picture& picture) {
  return (picture.channels == 1 || picture.channels == 3) && picture.height > 0 && picture.width > 0 &&
         picture.pixels.size() == picture.channels * picture.height * picture.width;
}

using Images64 = std::map<std::size_t, std::string>;  // data URIs by row

Images64 encoded(const Pictures& pictures) {
  Images64 out;
  for (const SamplePicture& sample : pictures.samples)
    if (complete(sample.picture)) out.try_emplace(sample.row, png_data_uri(sample.picture));
  return out;
}

bool wrong(const RobustnessView& record, const record::RankedClass& of, const record::RankedSample& sample) {
  return record.found.labels && sample.prediction != of.label;
}

std::string card(const RobustnessView& record, const record::RankedClass& of,
                 const record::RankedSample& sample, const std::string& uri) {
  return fmt::format(
      "<li><img src=\"{}\" alt=\"row {}\"><b>{}</b> <span class=\"{}\">{}{}</span> <span class=\"se\">row "
      "{}</span></li>",
      uri, sample.row, escape(survival_words(sample.p)), wrong(record, of, sample) ? "wrong" : "right",
      escape(class_name(record.found, sample.prediction)),
      fmt::format(" ({})", escape(sureness(sample.confidence))), sample.row);
}

// One end of a class; empty where its pictures are absent or beyond what is left of the budget.
std::string end_cards(const RobustnessView& record, const record::RankedClass& of,
                      const std::vector<record::RankedSample>& samples, const char* words,
                      const Images64& images, std::size_t& left) {
  std::string cards;
  for (const record::RankedSample& sample : samples) {
    const auto found = images.find(sample.row);
    if (found == images.end() || found->second.size() > left) continue;
    left -= found->second.size();
    cards += card(record, of, sample, found->second);
  }
  return cards.empty() ? ""
                       : fmt::format("<p class=\"row\">{}</p><ul class=\"ranked\">{}</ul>\n", words, cards);
}

// At most `drawn_classes`, in the order of the record: those whose least robust samples are the least robust.
std::vector<const record::RankedClass*> most_fragile_classes(const record::Ranking& ranking) {
  std::vector<const record::RankedClass*> classes;
  for (const record::RankedClass& one : ranking.classes) classes.push_back(&one);
  std::ranges::stable_sort(
      classes, {}, [](const record::RankedClass* one) { return one->least.empty() ? 2 : one->least[0].p; });
  if (classes.size() > drawn_classes) classes.resize(drawn_classes);
  std::ranges::sort(classes);
  return classes;
}

std::string ranking_pictures(const RobustnessView& record, const record::Ranking& ranking,
                             const Images64& images, std::size_t& left) {
  std::string out;
  for (const record::RankedClass* const of : most_fragile_classes(ranking)) {
    const record::RankedClass& one = *of;
    const std::string least = end_cards(record, one, one.least, "least robust", images, left);
    const std::string most = end_cards(record, one, one.most, "most robust", images, left);
    if (least.empty() && most.empty()) continue;
    out += fmt::format(
        "<div class=\"rankedclass\"><h3>{} {}</h3>\n<div "
        "class=\"ends\"><div>{}</div><div>{}</div></div></div>\n",
        record.found.labels ? "Class" : "Predicted", escape(one.name), least, most);
  }
  return out;
}

std::string ranking_table(const RobustnessView& record, const record::Ranking& ranking) {
  constexpr std::size_t long_rows = 400;
  const std::size_t classes = std::max<std::size_t>(1, ranking.classes.size());
  const std::size_t each = std::clamp<std::size_t>(long_rows / (2 * classes), 1, most_ranked);
  Table table(fmt::format("Up to {} least and most robust samples of every class, σ = {}", each,
                          sigma_words(ranking.sigma)),
              {{record.found.labels ? "Class" : "Predicted class", "", false},
               {"End", "", false},
               {"p", "The probability that its prediction survives"},
               {"Row", "Of the data, from 0"},
               {"Prediction", "", false},
               {"Confidence", "The largest softmax probability of the clean sample, not calibrated"}});
  for (const auto& [end, words] :
       {std::pair(&record::RankedClass::least, "least"), {&record::RankedClass::most, "most"}})
    for (const record::RankedClass& one : ranking.classes)
      for (std::size_t i = 0; i < std::min(each, (one.*end).size()); ++i) {
        const record::RankedSample& sample = (one.*end)[i];
        const std::string said = escape(class_name(record.found, sample.prediction));
        table.add({text_cell(one.name), text_cell(words),
                   number_cell(sample.p, escape(survival_words(sample.p))),
                   number_cell(static_cast<double>(sample.row), std::to_string(sample.row)),
                   html_cell(wrong(record, one, sample) ? "<span class=\"wrong\">" + said + "</span>" : said),
                   number_cell(sample.confidence, escape(sureness(sample.confidence)))});
      }
  return table.html();
}

}  // namespace

Section class_bias_section(const RobustnessView& record) {
  Section section{"classes", "Classes", "", ""};
  if (record.comparisons.empty()) {
    if (record.found.k <= 100) return section;
    section.heading = fmt::format("Classes were not compared: there are {}", count(record.found.k));
    section.body = paragraph(
        "Up to 100 classes are compared and ranked; the per-sample file (<code>--out</code>) "
        "holds p of every sample.");
    return section;
  }
  section.heading = escape(record::class_finding(record.found));
  section.body = paragraph(fmt::format(
      "Class robustness bias: does noise change the mind of the model more often for some classes than for "
      "others? Classes are {}; p is that of {}. Classes differ where their p-value is below {}.",
      record.found.labels ? "the labels here" : "the model's own predictions here, as there were no labels",
      escape(record.found.leading), significant(1 - record.found.options.level, 2)));
  section.body += test_table(record) + spread_key("differs from all others beyond chance");
  if (record.comparisons.back().classes.size() > drawn_classes)
    section.body += paragraph(fmt::format("The charts show the {} least robust of {} classes, the table all.",
                                          drawn_classes, count(record.comparisons.back().classes.size())));
  section.body += class_charts(record) + class_table(record);
  return section;
}

Section ranking_section(const RobustnessView& record, const Pictures& pictures, const Options& options) {
  Section section{"ranking", "Ranking", "", ""};
  if (record.rankings.empty()) return section;
  const record::Ranking& strongest = record.rankings.back();
  section.heading = escape(record::ranking_finding(record.found));
  if (section.heading.empty()) return section;
  section.body = paragraph(fmt::format(
      "The samples that noise moves most and least, by {}: p, then the prediction and how sure the model "
      "was. It "
      "may be sure of a fragile one.{}{} Where many tie at 100%, the order among them means nothing.",
      escape(strongest.method),
      record.found.labels ? " Predictions that differ from the label are set off." : "",
      strongest.classes.size() > drawn_classes && !pictures.samples.empty()
          ? fmt::format(" Pictures are shown of the {} classes with the most fragile samples.", drawn_classes)
          : ""));
  const Images64 images = encoded(pictures);
  std::size_t left = options.picture_bytes;
  bool first = true;
  for (auto ranking = record.rankings.rbegin(); ranking != record.rankings.rend(); ++ranking) {
    const std::string shown = images.empty() ? "" : ranking_pictures(record, *ranking, images, left);
    const std::string table = ranking_table(record, *ranking);
    section.body += fmt::format(
        "<details class=\"more\"{}><summary>σ = {}</summary>\n{}{}</details>\n", first ? " open" : "",
        sigma_words(ranking->sigma), shown,
        shown.empty() ? table
                      : "<details class=\"more\"><summary>As a table</summary>\n" + table + "</details>\n");
    first = false;
  }
  return section;
}

}  // namespace leeway::report
