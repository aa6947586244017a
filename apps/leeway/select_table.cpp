#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

std::string marks(std::size_t i, const record::Selected& selected) {
  const auto is = [i](const std::optional<record::Chosen>& chosen) { return chosen && chosen->index == i; };
  std::vector<std::string> chosen_by;
  if (is(selected.pa)) chosen_by.emplace_back("PA");
  if (is(selected.accuracy)) chosen_by.emplace_back("accuracy");
  if (is(selected.accuracy_shifted)) chosen_by.emplace_back("shifted accuracy");
  return chosen_by.empty() ? "" : fmt::format("<- {}", fmt::join(chosen_by, ", "));
}

std::string table(const record::Select& record) {
  TextTable table({left("checkpoint", 10), right("PA", 8), left("[95% interval]", 16), right("beta", 9),
                   right("accuracy %", 8), right("shifted %", 8), right("AFR(P) %", 7), left("")});
  const auto share = [](const std::optional<agreement::Estimate>& estimate) {
    return estimate ? percents(std::optional(estimate->value)) : "-";
  };
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const auto& [a, accuracy, accuracy_shifted] = record.results[i].measured;
    table.add(cut_at_front(shown(record.results[i].checkpoint), 36), four(a.pa), interval_text(a.pa_interval),
              beta_text(a.beta), share(accuracy), share(accuracy_shifted), percents(a.afr_pred),
              marks(i, record.selected));
  }
  return table.text();
}

}  // namespace

std::string table_of(const record::Select& record) {
  std::string doubts;
  for (const record::SelectCheckpoint& result : record.results)
    if (!result.doubt.empty()) doubts += result.doubt + "\n";
  const std::string difference = difference_words(record);
  return doubts + wrapped(record.envelope.headline) + "\n" + table(record) +
         (difference.empty() ? "" : "\n" + wrapped(difference));
}

}  // namespace leeway::app
