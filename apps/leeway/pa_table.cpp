#include "apps/leeway/pa_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

constexpr std::size_t widest_name = 36;

// A name without the control characters that a file's or a model's may hold.
std::string shown(const std::string& name) { return printable(name, std::string::npos); }

// PA [interval] beta AFR(P) AFR(T), as results and sweeps show them.
std::string cells_of(const agreement::Agreement& a) {
  return fmt::format("{:>8.4f}  {:<16} {:>9} {:>7.4f} {:>7}\n", a.pa, interval_text(a.pa_interval),
                     (a.fitted ? "" : "=") + beta_text(a.beta), a.afr_pred,
                     a.afr_true ? fmt::format("{:.4f}", *a.afr_true) : "-");
}

std::string cells_header(const std::string& interval) {
  return fmt::format("{:>8}  {:<16} {:>9} {:>7} {:>7}\n", "PA", interval, "beta", "AFR(P)", "AFR(T)");
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

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 7;
  for (const auto& name : names) width = std::max(width, name.size());
  return width;
}

std::string agreement_table(const record::Pa& record, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format("{:<{}} {:>9} {:>5} {}", "shifted", width, "n", "k",
                                 cells_header(fmt::format("[{:g}% interval]", 100 * record.options.level)));
  bool one_k = true, shared = false;
  const std::size_t k = record.results.front().agreement.k;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& a = record.results[i].agreement;
    text += fmt::format("{:<{}} {:>9} {:>5} {}", names[i], width, a.n, a.k, cells_of(a));
    one_k &= a.k == k;
    shared |= !a.fitted;
  }
  text +=
      fmt::format("PA: posterior agreement, 0 to log k{}; AFR(P), AFR(T): predictions unchanged, right.\n",
                  one_k ? fmt::format(" = {:.4f}", std::log(static_cast<double>(k))) : "");
  if (shared) text += "=: the beta of the first shifted set, not the best for this one.\n";
  return text;
}

std::string sweep_table(const std::string& name, const std::vector<agreement::RatioPoint>& sweep) {
  std::string text = fmt::format(
      "\n{}: the share of its samples that are shifted; smallest norms first, if known\n{:>7} {:>9} {}", name,
      "ratio", "shifted", cells_header("[interval]"));
  for (const auto& [ratio, shifted, a] : sweep)
    text += fmt::format("{:>7.4g} {:>9} {}", ratio, shifted, cells_of(a));
  return text;
}

std::string entropy_table(const record::Pa& record, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format(
      "\nentropy of the posteriors in bits: rows sorted, then averaged over the samples right before the "
      "shift,\nor over all where there are no labels\n"
      "{:<{}} {:>9} {:>6} {:>9} {:>8} {:>8}\n",
      "shifted", width, "samples", "over", "beta", "clean", "shifted");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& entropy = record.results[i].entropy;
    for (const auto& at : entropy->at)
      text += fmt::format("{:<{}} {:>9} {:>6} {:>9} {:>8.4f} {:>8.4f}\n", names[i], width, entropy->samples,
                          entropy->right_only ? "right" : "all", beta_text(at.beta), at.clean, at.shifted);
  }
  return text;
}

std::string mean_text(const agreement::ConfidenceAt& at) {
  if (std::isnan(at.mean)) return "-";
  return std::isnan(at.standard_error) ? fmt::format("{:.4f}", at.mean)
                                       : fmt::format("{:.4f} +- {:.4f}", at.mean, at.standard_error);
}

std::string confidence_table(const record::Pa& record, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format(
      "\nmean confidence +- standard error: clean where right; shifted where the prediction moved\n"
      "{:<{}} {:>9} {:>9} {:<16} {:>9} {}\n",
      "shifted", width, "beta", "n", "clean, right", "n", "shifted, moved");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [right, moved] = *record.results[i].confidence;
    for (std::size_t b = 0; b < moved.at.size(); ++b)
      text += fmt::format("{:<{}} {:>9} {:>9} {:<16} {:>9} {}\n", names[i], width,
                          beta_text(moved.at[b].beta), right ? fmt::format("{}", right->n) : "-",
                          right ? mean_text(right->at[b]) : "-", moved.n, mean_text(moved.at[b]));
  }
  return text;
}

}  // namespace

std::string interval_text(const Interval& interval) {
  return fmt::format("[{:.4f}, {:.4f}]", interval.low, interval.high);
}

std::string beta_text(double beta) { return std::isinf(beta) ? "inf" : fmt::format("{:.4g}", beta); }

std::string cut_at_front(const std::string& name, std::size_t room) {
  return name.size() > room ? "..." + name.substr(name.size() - room + 3) : name;
}

std::string pa_text(const record::Pa& record) {
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

}  // namespace leeway::app
