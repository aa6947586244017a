// Models of an assessment side by side, means over their seeds, and how sure each of them is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using Comparison = AssessComparison;

constexpr std::size_t longest = 300;  // rows

// "robust CNN is clearly more accurate under noise and blur; CNN under contrast".
std::string comparisons_heading(const Assess& record, const std::vector<Comparison>& comparisons) {
  if (record.models.size() != 2 || record.targets.size() > 8)
    return fmt::format("{} of {} comparisons between models show a clear difference",
                       std::ranges::count_if(comparisons, &Comparison::clear), comparisons.size());
  std::string out;
  for (const std::string& model : record.models) {
    std::vector<std::string> where;
    for (const Comparison& comparison : comparisons)
      if (comparison.clear && comparison.model == model) where.push_back(comparison.target);
    if (where.empty()) continue;
    const char* verb = out.empty() ? " is clearly more accurate under " : " under ";
    out += (out.empty() ? "" : "; ") + model + verb + list_of(where);
  }
  return out.empty() ? "No model is clearly more accurate than another" : out;
}

// Of models and targets that differ by their seed alone.
std::string seeds_heading(const std::vector<SeedsOfOne>& seeds) {
  const SeedsOfOne* least = lowest(seeds, [](const SeedsOfOne& one) { return one.accuracy.value; });
  if (least == nullptr) return "Means over seeds";
  return fmt::format("Over {} seeds, {} under {} is right on {}", least->results.size(), least->model,
                     least->target, value_words(least->accuracy, true));
}

// -- Confidence

double tallest(const Assess& record) {
  double top = 0;
  for (const AssessResult& result : record.results)
    for (const auto& counts : {result.confidence.clean, result.confidence.shifted})
      for (const double value : shares_of(counts)) top = std::max(top, value);
  return std::max(.1, std::ceil(top * 10 - 1e-9) / 10);
}

Chart histogram(const Assess& record, const AssessResult& result, double top) {
  const AssessConfidence& confidence = result.confidence;
  const std::string means =
      fmt::format("{} → {}{}", percent(confidence.clean_mean), percent(confidence.shifted_mean),
                  result.accuracy.value ? ", right " + percent(*result.accuracy.value) : "");
  const std::vector<double> clean = shares_of(confidence.clean), shifted = shares_of(confidence.shifted);
  Json bins = Json::array();
  for (std::size_t b = 0; b < clean.size(); ++b)
    bins.push_back({{"model", result.model},
                    {"from", brief(confidence.edges[b])},
                    {"to", brief(confidence.edges[b + 1])},
                    {"clean", brief(clean[b])},
                    {"shifted", brief(shifted[b])}});
  return {
      "confidence",
      result.target,
      means,
      "Histogram of the confidence of " + subject(record, result) + ", before and after the shift; " + means,
      {{"bins", std::move(bins)}},
      {{"top", brief(top)}, {"slot", record.model_index(result.model) % series}}};
}

// How much surer the model is, on average, than it is right.
double overconfidence(const AssessResult& result) {
  return result.accuracy.value ? result.confidence.shifted_mean - *result.accuracy.value : -1;
}

std::string confidence_heading(const Assess& record) {
  const AssessResult& most = *std::ranges::max_element(record.results, {}, overconfidence);
  if (overconfidence(most) > .05)
    return fmt::format("{} has {} mean confidence and is right on {}", subject(record, most),
                       percent(most.confidence.shifted_mean), percent(*most.accuracy.value));
  if (overconfidence(most) > -1) return "No model is strongly overconfident";
  const AssessResult& first = record.results.front();
  const std::string before = percent(first.confidence.clean_mean),
                    after = percent(first.confidence.shifted_mean);
  return fmt::format("{}: mean confidence {} {}", subject(record, first),
                     before == after ? "stays at" : "changes from " + before + " to", after);
}

}  // namespace

std::vector<double> shares_of(const std::vector<std::size_t>& counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  std::vector<double> shares;
  for (const std::size_t value : counts) shares.push_back(total > 0 ? static_cast<double>(value) / total : 0);
  return shares;
}

Section comparisons_section(const Assess& record) {
  std::vector<Comparison> order;
  for (const Comparison& comparison : record.comparisons)
    if (const auto& difference = comparison.difference.value)
      order.push_back(*difference < 0 ? comparison.turned() : comparison);
  if (order.empty()) return {};
  const std::string heading = comparisons_heading(record, order);
  std::ranges::stable_sort(order, std::greater(), [](const Comparison& c) { return *c.difference.value; });
  std::string caption = "Difference of accuracy, largest first";
  cut_rows(order, longest, caption);
  const std::vector<ColumnOf<Comparison>> columns = {
      {text_column("Target"), &Comparison::target},
      {text_column("Better", "The model with the higher accuracy"), &Comparison::model},
      {text_column("Worse"), &Comparison::other},
      {interval_column("Ahead by, points", "Accuracy of the better model minus accuracy of the worse model"),
       [](const Comparison& c) { return change_cell(c.difference); }},
      {number_column("p", "McNemar's exact test, two-sided"),
       [](const Comparison& c) { return number_cell(c.mcnemar_p, p_words(c.mcnemar_p)); }},
      {number_column("n"), &Comparison::n}};
  return {"models", "Models", heading,
          paragraph("Both models were evaluated on the same samples, so their difference is more precise "
                    "than either accuracy. A difference is clear if its interval excludes 0; p is the "
                    "probability of a difference this large or larger between equally good models.") +
              in_both(table_of(caption, columns, order).block())};
}

Section seeds_section(const Assess& record) {
  if (!record.seeds) return {};
  const std::vector<ColumnOf<SeedsOfOne>> columns = {
      {text_column("Target"), &SeedsOfOne::target},
      {text_column("Model"), &SeedsOfOne::model},
      {interval_column("Accuracy"), &SeedsOfOne::accuracy, "not every seed has labels"},
      {interval_column("Change, points"),
       [](const SeedsOfOne& one) { return change_cell(one.accuracy_change, "not every seed has labels"); }},
      {interval_column("Prediction unchanged"), &SeedsOfOne::afr_pred, "not every seed is paired"},
      {pa_column(), [](const SeedsOfOne& one) { return pa_cell(one.pa, "not every seed is paired"); }},
      {number_column("Seeds"), [](const SeedsOfOne& one) { return count_cell(one.results.size()); }}};
  return {
      "seeds", "Seeds", seeds_heading(record.seeds->sets),
      paragraph(
          "Names that end in # and a number are seeds of one model or shift. The Student's t intervals of "
          "the mean over seeds assume that results on these samples are normally distributed over seeds.") +
          in_both(table_of("Means over seeds", columns, record.seeds->sets).block(2))};
}

Section confidence_section(const Assess& record) {
  const double top = tallest(record);
  Blocks figures;
  for (const std::string& model : record.models) {
    std::vector<Chart> charts;
    for (const AssessResult& result : record.results)
      if (result.model == model && !result.confidence.clean.empty())
        charts.push_back(histogram(record, result, top));
    if (!charts.empty() && record.models.size() > 1) figures += subheading(model);
    figures += chart_grid(charts);
  }
  if (figures.empty()) return {};
  return {"confidence", "Confidence", confidence_heading(record),
          paragraph("Confidence is the largest probability that the model gives to any class. A "
                    "well-calibrated model loses confidence as it loses accuracy; a model that stays "
                    "confident while it is wrong gives no warning. Above each chart: mean confidence before "
                    "and after, and accuracy; height: share of samples.") +
              chart_legend({{"swatch", "on the source"}, {"swatch shifted", "under the shift"}}) + figures};
}

}  // namespace leeway::tasks
