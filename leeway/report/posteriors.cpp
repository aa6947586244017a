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

std::vector<double> betas(const PaResult& result) {
  std::vector<double> out;
  const auto add = [&](double beta) {
    if (std::find(out.begin(), out.end(), beta) == out.end()) out.push_back(beta);
  };
  for (const PaEntropy& at : result.entropy) add(at.beta);
  for (const PaConfidence& at : result.clean_right) add(at.beta);
  for (const PaConfidence& at : result.moved) add(at.beta);
  return out;
}

Cell bits_cell(const std::optional<double>& bits) {
  return bits ? number_cell(*bits, fixed(*bits, 2)) : dash_cell("not computed");
}

Cell confidence_cell(const PaConfidence* at, std::size_t n, const char* none) {
  if (at == nullptr || !at->mean) return dash_cell(n == 0 ? none : "not computed");
  if (!at->error || !std::isfinite(*at->error)) return number_cell(*at->mean, percent(*at->mean, 1));
  const int decimals = decimals_for(100 * *at->error, 1);
  Cell cell =
      number_cell(*at->mean, fmt::format("{} <span class=\"se\">± {}</span>", percent(*at->mean, decimals),
                                         fixed(100 * *at->error, decimals)));
  cell.title = "mean and standard error of " + count(n) + " samples";
  return cell;
}

std::string table_of(const PaRecord& record) {
  Table table = result_table(
      record, "Entropy and confidence",
      {{"β", "How sharply the scores are read: 1 is as the model gives them, the other is where PA is"},
       {"Entropy, clean", "Bits, of rows sorted before they are averaged"},
       {"shifted", "Bits, of rows sorted before they are averaged"},
       {"Unsorted, clean", "Bits of the plain mean: the balance of classes"},
       {"shifted", "Bits of the plain mean: the balance of classes"},
       {"Sure where right", "Mean confidence of clean samples predicted right, ± its standard error"},
       {"Sure where changed", "Mean confidence, after the shift, of samples whose prediction changes"}});
  for (const PaResult& result : record.results)
    for (const double beta : betas(result)) {
      const PaEntropy* entropy = at_beta(result.entropy, beta);
      const PaEntropy bits = entropy == nullptr ? PaEntropy{} : *entropy;
      table.add(result_cells(
          record, result,
          {number_cell(beta, significant(beta, 3)), bits_cell(bits.clean), bits_cell(bits.shifted),
           bits_cell(bits.clean_plain), bits_cell(bits.shifted_plain),
           confidence_cell(at_beta(result.clean_right, beta), result.clean_right_n, "no sample is right"),
           confidence_cell(at_beta(result.moved, beta), result.moved_n, "no prediction changes")}));
    }
  return table.empty() ? "" : table.html(record.models.size() > 1 ? 2 : 1);
}

// Confidence where it matters: as the model gives it, or at the first beta there is.
const PaConfidence* as_given(const std::vector<PaConfidence>& list) {
  const PaConfidence* at = at_beta(list, 1);
  return at != nullptr || list.empty() ? at : &list.front();
}

std::string heading(const PaRecord& record) {
  const PaResult* surest = nullptr;
  double most = -1;
  for (const PaResult& result : record.results)
    if (const PaConfidence* moved = as_given(result.moved);
        moved != nullptr && moved->mean && *moved->mean > most) {
      surest = &result;
      most = *moved->mean;
    }
  if (surest == nullptr) return "Entropy of the answers, clean and shifted";
  const PaConfidence* right = as_given(surest->clean_right);
  return fmt::format("{}: where the prediction changes the model is {} sure{}",
                     escape(subject(record, *surest)), percent(most),
                     right == nullptr || !right->mean
                         ? ""
                         : fmt::format("; it was {} sure where it was right", percent(*right->mean)));
}

}  // namespace

Section posteriors_section(const PaRecord& record) {
  Section section{"posteriors", "Confidence", "", table_of(record)};
  if (section.body.empty()) return section;
  const bool of_right = std::any_of(record.results.begin(), record.results.end(),
                                    [](const PaResult& result) { return result.entropy_of_right; });
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
