#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/numbers.h"
#include "leeway/tasks/assess/detail/summary.h"
#include "leeway/tasks/assess/detail/words.h"

namespace leeway::assess {
namespace {

constexpr std::size_t few_samples = 100;  // of a target
constexpr std::size_t few_in_cell = 20;   // of a class or group
constexpr double much_saturated = .1;     // share of rows with a confidence above 1 - 1e-6
constexpr double many_repeated = .05;     // share of rows that repeat another
constexpr double one_class = .95;         // share of predictions in a single class

using Lines = std::vector<std::string>;

void warn_about_file(Lines& lines, const Outputs& outputs, const Predictions& said, const std::string& side) {
  for (const std::string& warning : outputs.warnings) lines.push_back(warning);
  if (said.constant)
    lines.push_back(fmt::format("All {} rows of the {} have the same outputs: the model ignores its input.",
                                leeway::count(outputs.n()), side));
  else if (said.repeated_share >= many_repeated && !said.few_patterns)
    lines.push_back(
        fmt::format("{} of the {}'s rows have exactly the same outputs as another row: duplicates in the "
                    "data, confidences rounded to 0 and 1, or rows in the same leaves of a tree model.",
                    whole_percent(said.repeated_share), side));
  if (said.saturated_share >= much_saturated)
    lines.push_back(
        fmt::format("More than {} of the {}'s rows have a confidence above 0.999999: the model is saturated, "
                    "and its confidence is not informative.",
                    whole_percent(much_saturated), side));
}

void warn_about_features(Lines& lines, const Outputs& outputs, const std::string& side) {
  if (!outputs.features) return;
  const Array& features = *outputs.features;
  const std::size_t n = features.shape[0], bytes = features.size() / n * size_of(features.type);
  const auto* first = static_cast<const char*>(features.storage.get());
  if (n > 1 && std::equal(first, first + (n - 1) * bytes, first + bytes))
    lines.push_back(fmt::format("All rows of the {} have the same features.", side));
}

void warn_about_collapse(Lines& lines, const Summary& summary) {
  const auto& [clean, shifted] = summary.shares;
  const auto most = std::ranges::max_element(shifted);
  const auto j = static_cast<std::size_t>(most - shifted.begin());
  if (*most >= one_class && clean[j] < one_class)
    lines.push_back(
        fmt::format("{} of the target's predictions are class {}, compared with {} of the source's.",
                    whole_percent(*most), j, whole_percent(clean[j])));
}

void warn_about_cells(Lines& lines, const std::vector<tasks::AssessCell>& cells, const std::string& one,
                      const std::string& many) {
  std::vector<const tasks::AssessCell*> small;
  for (const tasks::AssessCell& cell : cells)
    if (cell.n > 0 && cell.n < few_in_cell) small.push_back(&cell);
  if (small.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, small.size()); ++i)
    names += fmt::format("{}{}{} ({})", i ? ", " : "", small[i]->group.empty() ? "" : small[i]->group + " = ",
                         small[i]->name, small[i]->n);
  lines.push_back(fmt::format("{} {} fewer than {} samples, too few to assess {}: {}{}.", small.size(),
                              small.size() == 1 ? one + " has" : many + " have", few_in_cell,
                              small.size() == 1 ? "it" : "them", names,
                              small.size() > 3 ? fmt::format(" and {} more", small.size() - 3) : ""));
}

void warn_about_pairs(Lines& lines, const Evidence& evidence) {
  const Summary& summary = evidence.summary;
  const Pairing& pairing = summary.pairs;
  const agreement::PairEvidence& found = pairing.evidence;
  if (pairing.paired && found.differing_labels > 0)
    lines.push_back(fmt::format("Source and target were declared paired, but {} of {} labels differ.",
                                leeway::count(found.differing_labels), leeway::count(summary.n)));
  else if (pairing.paired && !found.pairs())
    lines.push_back(
        fmt::format("Source and target were declared paired, but nothing confirms it: {}.", found.reason));
  if (pairing.doubted)
    lines.push_back(
        fmt::format("Rows are treated as unpaired: {}. --paired yes overrides this.", pairing.reason));
  if (same_logits(evidence.source.logits, evidence.target.logits))
    lines.push_back("Source and target have identical outputs: are these the right files?");
  if (pairing.paired && !pairing.asserted)
    lines.push_back(fmt::format(
        "Rows are treated as paired because {}; use --paired no if source and target are different samples.",
        found.reason));
}

// A source accuracy below that of always naming the most frequent class hints at labels of another order.
void warn_about_labels(Lines& lines, const Evidence& evidence) {
  const auto& accuracy = evidence.summary.source_accuracy;
  const auto labels = labels_of(evidence.source, evidence.target, evidence.summary.pairs);
  if (!accuracy.value || labels.empty()) return;
  std::vector<std::size_t> counts(evidence.summary.k);
  for (const std::int64_t label : labels)
    if (label != no_label) ++counts[static_cast<std::size_t>(label)];
  const auto most = *std::max_element(counts.begin(), counts.end());
  const double guess = static_cast<double>(most) / static_cast<double>(count_labels(labels));
  if (*accuracy.high < guess)
    lines.push_back(
        fmt::format("On the source, the model is right on {}, less often than if it always predicted the "
                    "most frequent class ({}): do the labels belong to these rows?",
                    whole_percent(*accuracy.value), whole_percent(guess)));
}

}  // namespace

std::vector<std::string> find_warnings(const Evidence& evidence) {
  Lines lines;
  const Summary& summary = evidence.summary;
  const auto few = [&](const char* side, std::size_t n) {
    if (n < few_samples)
      lines.push_back(
          fmt::format("The {} has only {} {}: intervals are wide.", side, n, n == 1 ? "row" : "rows"));
  };
  few("target", summary.n);
  if (!summary.paired) few("source", summary.source_n);
  warn_about_pairs(lines, evidence);
  warn_about_labels(lines, evidence);
  warn_about_file(lines, evidence.source, evidence.before, "source");
  warn_about_file(lines, evidence.target, evidence.after, "target");
  warn_about_collapse(lines, summary);
  warn_about_features(lines, evidence.source, "source");
  warn_about_features(lines, evidence.target, "target");
  if (summary.labelled) warn_about_cells(lines, summary.classes, "class", "classes");
  warn_about_cells(lines, summary.groups, "group", "groups");
  if (summary.error_bound_terms)
    if (std::string warning = error_bound::critic_warning(*summary.error_bound_terms); !warning.empty())
      lines.push_back(std::move(warning));
  if (summary.error_bound && summary.likely_error)
    if (std::string warning = tasks::bound_warning(
            *summary.error_bound, {summary.likely_error->low, summary.likely_error->high},
            summary.likely_error->margins_moved.value_or(false), /*kernel=*/false);
        !warning.empty())
      lines.push_back(std::move(warning));
  if (!summary.converged)
    lines.push_back(
        fmt::format("The maximum of posterior agreement is certified only to {:.1e}.", *summary.gap));
  return lines;
}

}  // namespace leeway::assess
