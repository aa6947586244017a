#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

constexpr std::size_t widest_name = 36;

// `first`, then PA [interval] beta AFR(P) AFR(T) in percent, as results and sweeps show them.
TextTable agreement_columns(std::vector<Column> first, const std::string& interval) {
  for (Column& column : std::vector{right("PA", 8), left(interval, 16), right("beta", 9),
                                    right("AFR(P) %", 8), right("AFR(T) %", 8)})
    first.push_back(std::move(column));
  return TextTable(std::move(first));
}

template <class... First>
void add(TextTable& table, const agreement::Agreement& a, const First&... first) {
  table.add(first..., four(a.pa), interval_text(a.pa_interval), (a.fitted ? "" : "=") + beta_text(a.beta),
            percents(a.afr_pred), percents(a.afr_true));
}

// Every set's file, after its model where there are several; a long path is cut at its beginning.
std::vector<std::string> names_of(const record::Pa& record) {
  std::vector<std::string> names;
  for (const record::PaSet& set : record.results) {
    const std::string model = set.model.empty() ? "" : shown(set.model) + ": ";
    const std::size_t room = std::max<std::size_t>(16, widest_name - std::min(widest_name, model.size()));
    names.push_back(model + cut_at_front(shown(set.shifted), room));
  }
  return names;
}

std::string agreement_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table =
      agreement_columns({left("shifted"), right("n", 9), right("k", 5)}, level_text(record.options.level));
  bool one_k = true, shared = false;
  const std::size_t k = record.results.front().agreement.k;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& a = record.results[i].agreement;
    add(table, a, names[i], a.n, a.k);
    one_k &= a.k == k;
    shared |= !a.fitted;
  }
  return table.text() +
         fmt::format(
             "PA: posterior agreement, 0 to log k{}; AFR(P): predictions unchanged; AFR(T): correct.\n",
             one_k ? fmt::format(" = {:.4f}", std::log(static_cast<double>(k))) : "") +
         (shared ? "=: beta of the first shifted set, not the best beta of this set.\n" : "");
}

std::string sweep_table(const std::string& name, const std::vector<agreement::RatioPoint>& sweep) {
  TextTable table = agreement_columns({right("ratio", 7), right("shifted", 9)}, "[interval]");
  for (const auto& [ratio, shifted, a] : sweep) add(table, a, fmt::format("{:.4g}", ratio), shifted);
  return fmt::format("\n{}: share of its samples that are shifted, smallest norms first, if known\n", name) +
         table.text();
}

std::string entropy_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table({left("shifted"), right("samples", 9), right("over", 6), right("beta", 9),
                   right("clean", 8), right("shifted", 8)});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& entropy = record.results[i].entropy;
    for (const auto& at : entropy->at)
      table.add(names[i], entropy->samples, entropy->right_only ? "right" : "all", beta_text(at.beta),
                four(at.clean), four(at.shifted));
  }
  return "\nentropy of the posteriors in bits: rows sorted, then averaged over samples that are right before "
         "the shift\n"
         "(without labels: over all samples)\n" +
         table.text();
}

std::string mean_text(const agreement::ConfidenceAt& at) {
  if (std::isnan(at.mean)) return "-";
  return std::isnan(at.standard_error)
             ? fmt::format("{:.2f}", 100 * at.mean)
             : fmt::format("{:.2f} +- {:.2f}", 100 * at.mean, 100 * at.standard_error);
}

std::string confidence_table(const record::Pa& record, const std::vector<std::string>& names) {
  TextTable table({left("shifted"), right("beta", 9), right("n", 9), left("clean, right", 16), right("n", 9),
                   left("shifted, changed")});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [right, moved] = *record.results[i].confidence;
    for (std::size_t b = 0; b < moved.at.size(); ++b)
      table.add(names[i], beta_text(moved.at[b].beta), right ? std::to_string(right->n) : "-",
                right ? mean_text(right->at[b]) : "-", moved.n, mean_text(moved.at[b]));
  }
  return "\nmean confidence in % +- standard error: clean where right; shifted where predictions change\n" +
         table.text();
}

std::string marks(std::size_t i, const record::Selected& selected) {
  const auto is = [i](const std::optional<record::Chosen>& chosen) { return chosen && chosen->index == i; };
  std::vector<std::string> chosen_by;
  if (is(selected.pa)) chosen_by.emplace_back("PA");
  if (is(selected.accuracy)) chosen_by.emplace_back("accuracy");
  if (is(selected.accuracy_shifted)) chosen_by.emplace_back("shifted accuracy");
  return chosen_by.empty() ? "" : fmt::format("<- {}", fmt::join(chosen_by, ", "));
}

std::string checkpoints_table(const record::Select& record) {
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

std::string table_of(const record::Pa& record) {
  const std::vector<std::string> names = names_of(record);
  std::string doubts, others;
  for (const std::string& finding : record.envelope.findings) {
    const bool doubt =
        std::ranges::find(record.results, finding, &record::PaSet::doubt) != record.results.end();
    (doubt ? doubts : others) += shown(finding) + "\n";
  }
  std::string text =
      doubts + wrapped(shown(record.envelope.headline)) + "\n" + agreement_table(record, names);
  if (!others.empty()) text += '\n' + others;
  for (const record::PaSet& set : record.results)
    if (!set.ratios.empty())
      text +=
          sweep_table(shown(set.model.empty() ? set.shifted : set.model + ": " + set.shifted), set.ratios);
  if (record.options.summaries) text += entropy_table(record, names) + confidence_table(record, names);
  return text;
}

std::string table_of(const record::Select& record) {
  std::string doubts;
  for (const record::SelectCheckpoint& result : record.results)
    if (!result.doubt.empty()) doubts += result.doubt + "\n";
  const std::string difference = difference_words(record);
  return doubts + wrapped(record.envelope.headline) + "\n" + checkpoints_table(record) +
         (difference.empty() ? "" : "\n" + wrapped(difference));
}

}  // namespace leeway::app
