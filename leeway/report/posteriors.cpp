#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

template <class At>
const At* at_beta(const std::vector<At>& list, double beta) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const At& at) { return at.beta == beta; });
  return found == list.end() ? nullptr : &*found;
}

// Of no samples where it was not asked for, or there are no labels.
agreement::ConfidenceSummary clean_right(const record::PaSet& result) {
  return result.confidence ? result.confidence->clean_right.value_or(agreement::ConfidenceSummary{})
                           : agreement::ConfidenceSummary{};
}

agreement::ConfidenceSummary moved(const record::PaSet& result) {
  return result.confidence ? result.confidence->moved : agreement::ConfidenceSummary{};
}

std::vector<double> betas(const record::PaSet& result) {
  std::vector<double> out;
  const auto add = [&](double beta) {
    if (std::find(out.begin(), out.end(), beta) == out.end()) out.push_back(beta);
  };
  if (result.entropy)
    for (const agreement::EntropyAt& at : result.entropy->at) add(at.beta);
  for (const agreement::ConfidenceAt& at : clean_right(result).at) add(at.beta);
  for (const agreement::ConfidenceAt& at : moved(result).at) add(at.beta);
  return out;
}

Cell bits_cell(double bits) {
  return std::isnan(bits) ? dash_cell("not computed") : number_cell(bits, fixed(bits, 2));
}

Cell confidence_cell(const agreement::ConfidenceSummary& summary, double beta, const char* none) {
  const agreement::ConfidenceAt* at = at_beta(summary.at, beta);
  if (at == nullptr || std::isnan(at->mean)) return dash_cell(summary.n == 0 ? none : "not computed");
  if (!std::isfinite(at->standard_error)) return number_cell(at->mean, percent(at->mean, 1));
  const int decimals = decimals_for(100 * at->standard_error, 1);
  Cell cell =
      number_cell(at->mean, fmt::format("{} <span class=\"se\">± {}</span>", percent(at->mean, decimals),
                                        fixed(100 * at->standard_error, decimals)));
  cell.title = "mean and standard error of " + count(summary.n) + " samples";
  return cell;
}

std::string table_of(const PaView& record) {
  Table table = result_table(
      record, "Entropy and confidence",
      {{"β", "How sharply the scores are read: 1 is as the model gives them, the other is where PA is"},
       {"Entropy, clean", "Bits, of rows sorted before they are averaged"},
       {"shifted", "Bits, of rows sorted before they are averaged"},
       {"Unsorted, clean", "Bits of the plain mean: the balance of classes"},
       {"shifted", "Bits of the plain mean: the balance of classes"},
       {"Sure where right", "Mean confidence of clean samples predicted right, ± its standard error"},
       {"Sure where changed", "Mean confidence, after the shift, of samples whose prediction changes"}});
  for (const record::PaSet& result : record.results)
    for (const double beta : betas(result)) {
      const agreement::EntropyAt* entropy = result.entropy ? at_beta(result.entropy->at, beta) : nullptr;
      const agreement::EntropyAt bits =
          entropy == nullptr ? agreement::EntropyAt{beta, NAN, NAN, NAN, NAN} : *entropy;
      table.add(
          result_cells(record, result,
                       {number_cell(beta, significant(beta, 3)), bits_cell(bits.clean),
                        bits_cell(bits.shifted), bits_cell(bits.clean_plain), bits_cell(bits.shifted_plain),
                        confidence_cell(clean_right(result), beta, "no sample is right"),
                        confidence_cell(moved(result), beta, "no prediction changes")}));
    }
  return table.empty() ? "" : table.html(record.models.size() > 1 ? 2 : 1);
}

// Mean confidence where it matters: as the model gives it, or at the first beta there is; NaN where there is none.
double as_given(const agreement::ConfidenceSummary& summary) {
  const agreement::ConfidenceAt* at = at_beta(summary.at, 1);
  if (at != nullptr) return at->mean;
  return summary.at.empty() ? NAN : summary.at.front().mean;
}

std::string heading(const PaView& record) {
  const record::PaSet* surest = nullptr;
  double most = -1;
  for (const record::PaSet& result : record.results)
    if (const double mean = as_given(moved(result)); mean > most) {
      surest = &result;
      most = mean;
    }
  if (surest == nullptr) return "Entropy of the answers, clean and shifted";
  const double right = as_given(clean_right(*surest));
  return fmt::format(
      "{}: where the prediction changes the model is {} sure{}", escape(subject(record, *surest)),
      percent(most),
      std::isnan(right) ? "" : fmt::format("; it was {} sure where it was right", percent(right)));
}

}  // namespace

Section posteriors_section(const PaView& record) {
  Section section{"posteriors", "Confidence", "", table_of(record)};
  if (section.body.empty()) return section;
  const bool of_right =
      std::any_of(record.results.begin(), record.results.end(),
                  [](const record::PaSet& result) { return result.entropy && result.entropy->right_only; });
  section.heading = heading(record);
  section.body =
      paragraph(fmt::format(
          "Entropy is how many classes the answers leave open: 0 bits is one class, 1 bit two equal ones. It "
          "is "
          "taken over {}. A model that knows its limits is less sure where its prediction changes.",
          of_right ? "the samples predicted right on the clean set" : "all samples")) +
      section.body;
  return section;
}

}  // namespace leeway::report
