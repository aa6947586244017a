// Predictions under noise: the page of leeway average-case, and an assessment's sections, one a model.
#include "leeway/tasks/average_case/view.h"

#include <fmt/format.h>

#include <array>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Blocks result_table(const RobustnessView& record) {
  std::vector<const Survival*> strongest_first;
  for (auto sigma = record.sigmas.rbegin(); sigma != record.sigmas.rend(); ++sigma)
    for (const std::string& method : record.methods)
      if (const Survival* result = record.found.find(method, *sigma)) strongest_first.push_back(result);
  const auto quantile = [](std::size_t which) {
    return [which](const Survival& one) { return quantile_cell(one.p, which, "no sample"); };
  };
  const std::vector<ColumnOf<Survival>> columns = {
      {text_column("Method"), &Survival::method},
      {number_column("σ", "Standard deviation of the noise, of pixels in [0,1] for images"),
       [](const Survival& one) { return sigma_cell(one.sigma); }},
      {interval_column("Mean", "Mean of p, or of a score, over samples"),
       [](const Survival& one) { return share_cell(mean_of(one.p), "no sample"); }},
      {number_column("5% quantile", "Over samples"), quantile(twentieth)},
      {number_column("25% quantile", "Over samples"), quantile(quarter)},
      {number_column("Median", "Over samples"), quantile(median)},
      {text_column("What it is", "A score ranks samples; it is not a probability"),
       [](const Survival& one) { return text_cell(one.probability ? "probability" : "score"); }},
      {number_column("n"), [](const Survival& one) { return count_cell(one.p.n); }}};
  const std::string caption = "Every method at every σ";
  Table table = table_of(caption, columns, strongest_first);
  table.sorted = 1, table.ascending = false;
  constexpr std::size_t long_rows = 30;
  const std::size_t rows = record.found.results.size();
  Blocks block = in_both(table.block());
  return rows <= long_rows ? block : folded(fmt::format("{} ({} rows)", caption, count(rows)), block);
}

Blocks mean_charts(const RobustnessView& record, bool probabilities) {
  std::vector<Line> lines;
  for (const std::string& method : record.of_kind(probabilities)) {
    Line line{method, lines.size() % series, {}};
    for (const double sigma : record.sigmas)
      if (const Survival* result = record.found.find(method, sigma); result != nullptr && result->p.n > 0)
        line.points.push_back({sigma, mean_of(result->p), sigma_words(sigma),
                               fmt::format("{}\nmean {}\nn = {}", at_sigma(sigma),
                                           value_words(mean_of(result->p), true), count(result->p.n))});
    lines.push_back(std::move(line));
  }
  return sigma_charts(probabilities ? "Mean survival probability" : "Mean score",
                      probabilities ? "bands are intervals over samples" : "scores are not probabilities",
                      lines, record.sigmas, 1);
}

Blocks survival_overview(const RobustnessView& record) {
  return mean_charts(record, true) + result_table(record);
}

Section spread_section(const RobustnessView& record) {
  const Survival& worst = record.found.strongest();
  if (record.found.n < 2 || worst.p.n == 0) return {};
  const double low = worst.p.quantiles[twentieth];
  std::vector<Chart> charts;
  for (const double sigma : record.sigmas) {
    std::vector<SpreadRow> rows;
    for (const std::string& method : record.methods)
      if (const Survival* result = record.found.find(method, sigma))
        rows.push_back({method, at_sigma(sigma), result->p, !result->probability});
    charts.push_back(spread_chart(at_sigma(sigma), count(record.found.n) + " samples", "Method", rows));
  }
  const bool scores = !std::ranges::all_of(record.found.results, &Survival::probability);
  return {"samples", "Distribution",
          fmt::format("{}: at {} the median sample has {}, 5% of the samples at most {} ({})",
                      low < harmless ? "The mean hides fragile samples" : "Nearly all samples are alike",
                      at_sigma(worst.sigma), survival_words(worst.p.quantiles[median]), survival_words(low),
                      worst.method),
          spread_key(scores ? "a score" : "") + chart_grid(charts, 6) +
              (scores ? mean_charts(record, false) : Blocks())};
}

// What p assumes, and the methods' words.
Blocks survival_assumptions(const RobustnessView& record) {
  const Robustness& found = record.found;
  const double level = found.options.level;
  std::vector<std::string> items = {
      std::string("p describes whether the model keeps its own prediction, right or wrong, under random "
                  "noise. It does not cover attackers, who search for the worst change, or other shifts."),
      fmt::format("The noise is {}. Inputs are not clipped: values outside the range of the data are passed "
                  "to the model.",
                  found.options.noise),
      std::string("taylor and mmse treat the model as linear in its input, at the clean sample or averaged "
                  "over noisy copies. They are exact for linear models with gaussian noise; for other models "
                  "the comparison with Monte Carlo shows their error."),
      std::string("Scores (taylor-mvs, mmse-mvs, softmax) rank samples. They are not probabilities: their "
                  "means cannot be read as shares."),
      fmt::format("Intervals have level {} and assume that samples are drawn independently.",
                  percent(level, level > .99 ? 1 : 0))};
  std::size_t unsettled = 0;
  double left_out = 0, zero_gradient = 0;
  for (const Survival& result : found.results) {
    zero_gradient = std::max(zero_gradient, result.zero_gradient.value_or(0));
    unsettled = std::max(unsettled, result.not_converged.value_or(0));
    left_out = std::max(left_out, result.left_out.value_or(0));
  }
  if (unsettled > 0)
    items.push_back(
        fmt::format("At one or more σ, the error of p exceeds the tolerance of the normal distribution "
                    "function for up to {} of {} samples.",
                    count(unsettled), count(found.n)));
  if (zero_gradient > 0)
    items.push_back(
        fmt::format("Up to {} of the samples have gradients of exactly 0: methods that use gradients treat "
                    "them as surviving any noise.",
                    percent(zero_gradient, 1)));
  if (left_out > 0)
    items.push_back(fmt::format("Gradients were computed for some classes only: this changes p by up to {}.",
                                significant(left_out, 2)));
  std::vector<std::pair<std::string, std::string>> words;
  for (const auto& [method, summary, source, probability] : found.methods)
    words.emplace_back(method, summary + (source.empty() ? "." : " (" + source + ")."));
  return bullets(items) + term_list(words);
}

Blocks warnings_of(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) warning = "Warning: " + warning;
  return paragraphs(std::move(warnings));
}

Blocks noise_section_body(const ModelUnderNoise& one, const Pictures& pictures, const PageOptions& options) {
  const RobustnessView view(one.found);
  const std::size_t taken = one.found.n;
  const std::string rows =
      one.source_n > taken
          ? fmt::format("the first {} of the source's {} samples", count(taken), count(one.source_n))
          : fmt::format("the source's {} sample{}", count(taken), taken == 1 ? "" : "s");
  return in_both(paragraph(survival_details(one.found)) + warnings_of(one.warnings)) +
         paragraph(
             "p is the probability that the prediction for the clean sample is unchanged when noise of "
             "standard deviation σ is added to the input: 100% means that noise never changes the "
             "prediction, 50% is a coin toss. " +
             fmt::format("Evaluated on {}, under {} noise.", rows, one.found.options.noise)) +
         survival_overview(view) + subsection(spread_section(view)) + subsection(class_bias_section(view)) +
         subsection(group_bias_section(view)) + subsection(ranking_section(view, pictures, options)) +
         folded("What these probabilities assume", survival_assumptions(view));
}

}  // namespace

RobustnessView::RobustnessView(const Robustness& robustness)
    : found(robustness),
      sigmas(robustness.sigmas()),
      compared(compared_in(robustness)),
      rankings(robustness.ranking) {
  for (const Survival& result : found.results) append_new(methods, result.method);
  std::ranges::stable_sort(rankings, {}, &Ranking::sigma);
}

std::vector<std::string> RobustnessView::of_kind(bool probabilities) const {
  std::vector<std::string> out;
  for (const std::string& method : methods)
    if (is_probability(found, method) == probabilities) out.push_back(method);
  return out;
}

std::string sigma_words(double sigma) { return fmt::format("{:g}", sigma); }

Cell sigma_cell(double sigma) { return number_cell(sigma, sigma_words(sigma)); }

Cell quantile_cell(const average_case::Distribution& p, std::size_t quantile, std::string_view none) {
  return p.n > 0 ? number_cell(p.quantiles[quantile], survival_words(p.quantiles[quantile]))
                 : dash_cell(none);
}

Chart spread_chart(const std::string& title, const std::string& note, const std::string& what,
                   const std::vector<SpreadRow>& rows) {
  Chart chart{"spread", title, note, title + ". "};
  Json list = Json::array();
  std::size_t longest = 0;
  for (const auto& [name, group, p, set_off] : rows) {
    const Measured mean = mean_of(p);
    Json item = {{"group", group},
                 {"name", name},
                 {"slot", set_off ? 1 : 0},
                 {"n", p.n},
                 {"mean", brief(mean.value)},
                 {"low", brief(mean.low)},
                 {"high", brief(mean.high)}};
    constexpr std::array keys = {"q01", "q05", "q25", "q50", "q75", "q95", "q99"};
    for (std::size_t q = 0; q < keys.size(); ++q) item[keys[q]] = p.n > 0 ? brief(p.quantiles[q]) : Json();
    const auto at = [&of = p](std::size_t q) { return survival_words(of.quantiles[q]); };
    item["words"] =
        p.n == 0 ? name + "\nno sample"
                 : fmt::format("{}\nmean {}\nmedian {}\nmiddle half {} to {}\nnine in ten {} to {}\nn = {}",
                               name, value_words(mean, true), at(median), at(quarter), at(three_quarters),
                               at(twentieth), at(nineteen_twentieths), count(p.n));
    if (mean.value) chart.description += fmt::format("{}: mean {}. ", name, percent(mean));
    list.push_back(std::move(item));
    longest = std::max(longest, name.size());
  }
  chart.data = {{"rows", std::move(list)}};
  chart.signals = {{"what", what}, {"margin", std::min(120., 14 + 7. * static_cast<double>(longest))}};
  return chart;
}

Blocks spread_key(const std::string& set_off) {
  std::vector<LegendItem> items = {{"swatch nine-in-ten", "nine in ten samples"},
                                   {"swatch half", "the middle half"},
                                   {"m0", "median", 0},
                                   {"swatch mean", "mean"}};
  if (!set_off.empty()) items.push_back({"m1", set_off, 1});
  return chart_legend(items);
}

View view(const AverageCase& average_case, const Pictures& pictures, const PageOptions& options) {
  const Robustness& found = average_case.found;
  const RobustnessView record(found);
  std::string scope = fmt::format("{} sample{}, {} classes, {} noise", count(found.n),
                                  found.n == 1 ? "" : "s", count(found.k), found.options.noise);
  const std::string& model = average_case.model;
  if (!model.empty()) scope += ", " + model.substr(model.rfind('/') + 1);
  Blocks lead =
      warnings_of(average_case.envelope.warnings) +
      paragraph(
          "Imagine taking the same photograph with a noisier camera: p is the probability that the model "
          "makes the same prediction as for the clean image. 100% means that noise of this strength never "
          "changes the prediction; 50% is a coin toss. σ is the strength of the noise.") +
      paragraph(
          "Note: taylor and mmse treat the model as linear; scores are not probabilities; inputs are not "
          "clipped. See all assumptions below.") +
      survival_overview(record);
  return view_of(
      "predictions under noise", average_case.envelope, std::move(lead),
      {spread_section(record),
       error_section(record),
       class_bias_section(record),
       group_bias_section(record),
       ranking_section(record, pictures, options),
       certified_section(record),
       convergence_section(record),
       runtime_section(record),
       {"assumptions", "Assumptions", "What these probabilities assume", survival_assumptions(record)}},
      std::move(scope));
}

std::vector<Section> noise_sections(const Assess& record, const Pictures& pictures,
                                    const PageOptions& options) {
  std::vector<Section> sections;
  PageOptions share = options;  // pictures of flips and of each model take equal parts
  share.picture_bytes /= record.average_case.size() + 1;
  for (const ModelUnderNoise& one : record.average_case) {
    const bool named = record.average_case.size() > 1;
    const std::string finding = survival_finding(one.found);
    sections.push_back({fmt::format("noise-{}", sections.size() + 1), named ? "Noise: " + one.model : "Noise",
                        (named ? one.model + ": " + finding : finding),
                        noise_section_body(one, pictures, share)});
  }
  return sections;
}

}  // namespace leeway::tasks
