#include <fmt/format.h>

#include <algorithm>

#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

constexpr std::size_t longest = 300;  // rows

bool clear(const record::AssessComparison& comparison) {
  const Measured& difference = comparison.difference;
  return difference.low && difference.high && (*difference.low > 0 || *difference.high < 0);
}

// "robust CNN is clearly more accurate under noise and blur; CNN under contrast".
std::string heading(const Record& record) {
  std::vector<std::string> parts;
  for (const std::string& model : record.models) {
    std::vector<std::string> where;
    for (const record::AssessComparison& comparison : record.comparisons)
      if (clear(comparison) &&
          (*comparison.difference.value > 0 ? comparison.model : comparison.other) == model)
        where.push_back(escape(comparison.target));
    if (where.empty()) continue;
    const char* verb = parts.empty() ? " is clearly more accurate under " : " under ";
    parts.push_back(escape(model) + verb + list_of(where));
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out.empty() ? std::string("No model is clearly more accurate than another") : out;
}

}  // namespace

Section comparisons_section(const Record& record) {
  Section section{"models", "Models", "", ""};
  std::vector<const record::AssessComparison*> order;
  for (const record::AssessComparison& comparison : record.comparisons)
    if (comparison.difference.value) order.push_back(&comparison);
  if (order.empty()) return section;
  const auto size = [](const record::AssessComparison* c) { return std::abs(*c->difference.value); };
  std::stable_sort(order.begin(), order.end(),
                   [&](const record::AssessComparison* a, const record::AssessComparison* b) {
                     return size(a) > size(b);
                   });
  const auto clearly = static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [](const record::AssessComparison* c) { return clear(*c); }));
  section.heading =
      record.models.size() == 2 && record.targets.size() <= 8
          ? heading(record)
          : fmt::format("{} of {} comparisons between models show a clear difference", clearly, order.size());
  Table table(order.size() > longest ? fmt::format("The {} largest differences of {}", longest, order.size())
                                     : "Difference of accuracy, largest first",
              {{"Target", "", false},
               {"Better", "The model with the higher accuracy", false},
               {"Worse", "", false},
               {"Ahead by, points", "Accuracy of the better minus the worse", true, true},
               {"p", "McNemar's exact test, two-sided"},
               {"n", ""}});
  for (std::size_t i = 0; i < std::min(longest, order.size()); ++i) {
    const record::AssessComparison& comparison = *order[i];
    const bool first = *comparison.difference.value >= 0;
    Measured ahead = comparison.difference;
    if (!first) {
      ahead.value = -*ahead.value;
      if (ahead.low && ahead.high)
        ahead = {ahead.value, -*comparison.difference.high, -*comparison.difference.low};
    }
    table.add({text_cell(comparison.target), text_cell(first ? comparison.model : comparison.other),
               text_cell(first ? comparison.other : comparison.model), change_cell(ahead, ""),
               number_cell(comparison.mcnemar_p,
                           comparison.mcnemar_p < 1e-4
                               ? "&lt;0.0001"
                               : fixed(comparison.mcnemar_p, comparison.mcnemar_p < .01 ? 4 : 2)),
               count_cell(comparison.n)});
  }
  section.body = paragraph(
                     "Both models saw the same samples, so their difference is known more exactly than "
                     "either accuracy. It is clear where "
                     "its interval leaves out 0; p is the chance of a difference at least this large between "
                     "equally good models.") +
                 table.html();
  return section;
}

}  // namespace leeway::report
