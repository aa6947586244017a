// Whether classes differ in robustness, and which samples are the least and the most robust.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "leeway/tasks/assess/parts.h"
#include "leeway/tasks/average_case/view.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t drawn_classes = 20;  // of each chart
constexpr std::size_t most_ranked = 6;     // samples of each end of a class in the table

bool differs(const Compared& compared, const ClassSurvival& one) {
  return one.of.p_value && *one.of.p_value < compared.threshold;
}

// A comparison's classes, least robust first by the mean at the strongest noise; without samples there last.
std::vector<const ClassSurvival*> fragile_first(const Compared& compared, const ClassComparison& comparison) {
  std::vector<const ClassSurvival*> order, out;
  for (const ClassSurvival& one : compared.comparisons.back()->classes) order.push_back(&one);
  std::ranges::stable_sort(
      order, {}, [](const ClassSurvival* one) { return mean_of(one->of.distribution).value.value_or(2); });
  for (const ClassSurvival* one : order)
    for (const ClassSurvival& same : comparison.classes)
      if (same.of.label == one->of.label) {
        out.push_back(&same);
        break;
      }
  return out;
}

Blocks class_charts(const Compared& compared) {
  std::vector<Chart> charts;
  for (const ClassComparison* comparison : compared.comparisons) {
    std::vector<SpreadRow> rows;
    const std::string sigma = at_sigma(comparison->sigma);
    for (const ClassSurvival* one : fragile_first(compared, *comparison))
      if (rows.size() < drawn_classes)
        rows.push_back({one->name, sigma, one->of.distribution, differs(compared, *one)});
    charts.push_back(spread_chart(
        sigma, comparison->p_value ? "Kruskal–Wallis " + p_sentence(*comparison->p_value) : "no test",
        compared.column, rows));
  }
  return chart_grid(charts, 6);
}

struct AverageCaseClassesClassRow {
  const ClassSurvival* one;
  double sigma;
  const Compared* of;

  [[nodiscard]] const average_case::Distribution& p() const { return one->of.distribution; }
  [[nodiscard]] std::string none() const {
    return p().n == 0 ? "no sample of this " + of->one : fmt::format("no other {} has samples", of->one);
  }
};

Blocks class_table(const Compared& compared, const std::string& leading) {
  using Row = AverageCaseClassesClassRow;
  std::vector<Row> rows;
  for (auto at = compared.comparisons.rbegin(); at != compared.comparisons.rend(); ++at)
    for (const ClassSurvival* one : fragile_first(compared, **at))
      rows.push_back({one, (*at)->sigma, &compared});
  const auto p_value = [&](const Row& row) {
    Cell cell = significant_cell(row.one->of.p_value, 2, row.none());
    if (differs(compared, *row.one)) cell.mark = Mark::strong;
    return cell;
  };
  const auto difference = [](const Row& row) {
    return row.one->of.p_value ? change_cell({row.one->of.difference}) : dash_cell(row.none());
  };
  const std::vector<ColumnOf<Row>> columns = {
      {text_column(compared.column), [](const Row& row) { return text_cell(row.one->name); }},
      {number_column("σ"), [](const Row& row) { return sigma_cell(row.sigma); }},
      {interval_column("Mean p"), [](const Row& row) { return share_cell(mean_of(row.p()), row.none()); }},
      {number_column("5% quantile", fmt::format("5% quantile of p over the samples of the {}", compared.one)),
       [](const Row& row) { return quantile_cell(row.p(), twentieth, row.none()); }},
      {number_column("Median"), [](const Row& row) { return quantile_cell(row.p(), median, row.none()); }},
      {number_column("Difference", "Mean p minus mean p of all other samples, in points"), difference},
      {number_column(
           "p-value",
           fmt::format("Mann-Whitney test against all other samples, adjusted for the number of {} (Holm)",
                       compared.many)),
       p_value},
      {number_column("n"), [](const Row& row) { return count_cell(row.p().n); }}};
  return folded(fmt::format("Every {} at every σ, with intervals and n", compared.one),
                table_of(fmt::format("Every {}, by {}", compared.one, leading), columns, rows).block(2));
}

Blocks test_table(const Compared& compared) {
  Table table(
      fmt::format("Are all {} alike? One test for each σ", compared.many),
      {number_column("σ"),
       number_column("p-value",
                     fmt::format("Kruskal-Wallis test: probability of such differences if all {} are alike",
                                 compared.many)),
       text_column("Different", "Significantly different from all others, adjusted by Holm's method"),
       number_column("n")});
  for (auto at = compared.comparisons.rbegin(); at != compared.comparisons.rend(); ++at) {
    const ClassComparison* comparison = *at;
    std::vector<std::string> names;
    std::size_t n = 0;
    for (const ClassSurvival& one : comparison->classes) {
      n += one.of.distribution.n;
      if (differs(compared, one)) names.push_back(one.name + (one.of.difference < 0 ? " (less)" : " (more)"));
    }
    table.add({sigma_cell(comparison->sigma),
               significant_cell(comparison->p_value, 2,
                                fmt::format("fewer than two {} have samples, or all p tie", compared.many)),
               names.empty() ? dash_cell("none significant") : text_cell(list_of(names)), count_cell(n)});
  }
  return table.block();
}

Blocks comparison_blocks(const Compared& compared, const std::string& leading) {
  const std::size_t classes = compared.comparisons.back()->classes.size();
  return test_table(compared) + spread_key("differs significantly from all others") +
         (classes <= drawn_classes
              ? Blocks()
              : paragraph(fmt::format("The charts show the {} least robust of {} {}; the table shows all.",
                                      drawn_classes, count(classes), compared.many))) +
         class_charts(compared) + class_table(compared, leading);
}

// -- Ranking

using Uris = std::map<std::size_t, std::string>;  // pictures by row

Uris encoded(const Pictures& pictures) {
  Uris out;
  for (const SamplePicture& sample : pictures.samples)
    if (complete(sample.picture)) out.try_emplace(sample.row, png_data_uri(sample.picture));
  return out;
}

bool wrong(const RobustnessView& record, const RankedClass& of, const RankedSample& sample) {
  return record.found.labels && sample.prediction != of.label;
}

// One end of a class; nothing where its pictures are absent or beyond what is left of the budget.
Blocks end_cards(const RobustnessView& record, const RankedClass& of,
                 const std::vector<RankedSample>& samples, const char* words, const Uris& uris,
                 std::size_t& left) {
  Cards cards{words, {}, true};
  for (const RankedSample& sample : samples) {
    const auto found = uris.find(sample.row);
    if (found == uris.end() || found->second.size() > left) continue;
    left -= found->second.size();
    const std::string row = fmt::format("row {}", sample.row);
    cards.cards.push_back(
        {{{found->second, row}},
         row,
         {{"", survival_words(sample.p), ""},
          {"",
           fmt::format("{} ({})", class_name(record.found, sample.prediction), sureness(sample.confidence)),
           "", !wrong(record, of, sample)}}});
  }
  return cards.cards.empty() ? Blocks() : single({std::move(cards)});
}

// At most `drawn_classes`, in the order of the record: those whose least robust samples are the least robust.
std::vector<const RankedClass*> most_fragile_classes(const Ranking& ranking) {
  std::vector<const RankedClass*> classes;
  for (const RankedClass& one : ranking.classes) classes.push_back(&one);
  std::ranges::stable_sort(classes, {},
                           [](const RankedClass* one) { return one->least.empty() ? 2 : one->least[0].p; });
  if (classes.size() > drawn_classes) classes.resize(drawn_classes);
  std::ranges::sort(classes);
  return classes;
}

Blocks ranking_pictures(const RobustnessView& record, const Ranking& ranking, const Uris& uris,
                        std::size_t& left) {
  Blocks out;
  for (const RankedClass* one : most_fragile_classes(ranking)) {
    Blocks ends = end_cards(record, *one, one->least, "least robust", uris, left);
    ends += end_cards(record, *one, one->most, "most robust", uris, left);
    if (!ends.empty())
      out += subheading((record.found.labels ? "Class " : "Predicted ") + one->name) + std::move(ends);
  }
  return out;
}

Blocks ranking_table(const RobustnessView& record, const Ranking& ranking) {
  constexpr std::size_t long_rows = 400;
  const std::size_t classes = std::max<std::size_t>(1, ranking.classes.size());
  const std::size_t each = std::clamp<std::size_t>(long_rows / (2 * classes), 1, most_ranked);
  Table table(
      fmt::format("Up to {} least and most robust samples of every class, σ = {}", each,
                  sigma_words(ranking.sigma)),
      {text_column(record.found.labels ? "Class" : "Predicted class"), text_column("End"),
       number_column("p", "Probability that the prediction survives"),
       number_column("Row", "Row of the data, from 0"), text_column("Prediction"),
       number_column("Confidence", "Largest softmax probability of the clean sample, not calibrated")});
  for (const auto& [end, words] : {std::pair(&RankedClass::least, "least"), {&RankedClass::most, "most"}})
    for (const RankedClass& one : ranking.classes)
      for (std::size_t i = 0; i < std::min(each, (one.*end).size()); ++i) {
        const RankedSample& sample = (one.*end)[i];
        const std::string said = class_name(record.found, sample.prediction);
        table.add({text_cell(one.name), text_cell(words), number_cell(sample.p, survival_words(sample.p)),
                   number_cell(static_cast<double>(sample.row), std::to_string(sample.row)),
                   text_cell(said, wrong(record, one, sample) ? Mark::wrong : Mark::none),
                   number_cell(sample.confidence, sureness(sample.confidence))});
      }
  return table.block();
}

}  // namespace

Section class_bias_section(const RobustnessView& record) {
  const Robustness& found = record.found;
  if (found.class_bias.empty()) {
    if (found.k <= 100) return {};
    return {"classes", "Classes", fmt::format("Classes were not compared: there are {}", count(found.k)),
            paragraph("At most 100 classes are compared and ranked; the per-sample file (`--out`) has p of "
                      "every sample.")};
  }
  const Compared& classes = record.compared.front();
  return {"classes", "Classes", comparison_finding(classes),
          paragraph(fmt::format(
              "Class robustness bias: does noise change predictions more often for some classes than for "
              "others? Classes are {}; p is computed by {}. Classes differ if their p-value is below {}.",
              found.labels ? "the labels" : "the model's predictions, because there are no labels",
              found.leading, significant(classes.threshold, 2))) +
              comparison_blocks(classes, found.leading)};
}

Section group_bias_section(const RobustnessView& record) {
  const Robustness& found = record.found;
  std::vector<const Compared*> columns;
  for (const Compared& one : record.compared)
    if (one.of_groups()) columns.push_back(&one);
  if (columns.empty()) return {};
  Blocks body = paragraph(fmt::format(
      "Does noise change predictions more often for some groups of samples than for others? p is computed by "
      "{}. Groups differ if their p-value is below {}{}.",
      found.leading, significant(columns[0]->threshold, 2),
      columns.size() > 1 ? fmt::format(", because there are {} columns", columns.size()) : ""));
  for (const Compared* one : columns)
    body += subheading(comparison_finding(*one)) + comparison_blocks(*one, found.leading);
  const auto p_of = [](const Compared* one) { return one->comparisons.back()->p_value.value_or(2); };
  return {"groups", "Groups", comparison_finding(**std::ranges::min_element(columns, {}, p_of)), body};
}

Section ranking_section(const RobustnessView& record, const Pictures& pictures, const PageOptions& options) {
  if (record.rankings.empty()) return {};
  const Ranking& strongest = record.rankings.back();
  Section section{"ranking", "Ranking", ranking_finding(record.found), {}};
  if (section.heading.empty()) return {};
  section.body = paragraph(fmt::format(
      "The least and most robust samples, by {}: p, then the prediction and its confidence. Confident "
      "predictions may be fragile.{}{} Among many samples at 100%, the order has no meaning.",
      strongest.method, record.found.labels ? " Predictions that differ from the label are highlighted." : "",
      strongest.classes.size() > drawn_classes && !pictures.samples.empty()
          ? fmt::format(" Images are shown for the {} classes with the least robust samples.", drawn_classes)
          : ""));
  const Uris uris = encoded(pictures);
  std::size_t left = options.picture_bytes;
  for (auto at = record.rankings.rbegin(); at != record.rankings.rend(); ++at) {
    const Ranking& ranking = *at;
    const Blocks shown = ranking_pictures(record, ranking, uris, left);
    const Blocks table = ranking_table(record, ranking);
    section.body +=
        folded(at_sigma(ranking.sigma), shown.empty() ? table : shown + folded("As a table", table),
               &ranking == &strongest);
  }
  return section;
}

}  // namespace leeway::tasks
