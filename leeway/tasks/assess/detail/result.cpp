#include "leeway/tasks/assess/detail/result.h"

#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {
namespace {

template <class Quantity>  // a Share, or a Difference
Measured measured(const Quantity& quantity) {
  return {quantity.value, quantity.interval.low, quantity.interval.high};
}

template <class Quantity>
Measured measured(const std::optional<Quantity>& quantity) {
  return quantity ? measured(*quantity) : Measured{};
}

std::vector<record::AssessCell> cells_of(const std::vector<Cell>& cells) {
  std::vector<record::AssessCell> list;
  for (const Cell& cell : cells) {
    record::AssessCell& one = list.emplace_back();
    if (cell.group.empty()) one.index = cell.index;
    one.group = cell.group, one.name = cell.name;
    one.n = cell.n, one.source_n = cell.source_n;
    one.accuracy = measured(cell.accuracy), one.source_accuracy = measured(cell.source_accuracy);
    one.afr_pred = measured(cell.afr_pred);
  }
  return list;
}

void add_agreement(record::AssessResult& result, const agreement::Agreement& found) {
  result.pa = {found.pa, found.pa_interval.low, found.pa_interval.high};
  result.pa_normalized = found.pa_normalized;
  result.log_pa_mean = found.value;
  result.beta = found.beta, result.gap = found.gap;
  result.curve = found.curve, result.local_maxima = found.local_maxima;
}

record::AssessConfidence confidence_of(const Summary& summary) {
  record::AssessConfidence confidence{{},
                                      summary.clean_histogram,
                                      summary.shifted_histogram,
                                      summary.clean_confidence,
                                      summary.shifted_confidence};
  for (std::size_t j = 0; j <= confidence_bins; ++j)
    confidence.edges.push_back(static_cast<double>(j) / static_cast<double>(confidence_bins));
  return confidence;
}

void add_flips(record::AssessResult& result, const Summary& summary) {
  const auto begin = summary.confusion.begin();
  for (std::size_t i = 0; !summary.confusion.empty() && i < summary.k; ++i)
    result.confusion.emplace_back(begin + i * summary.k, begin + (i + 1) * summary.k);
  const auto place = [](std::int32_t predicted) { return static_cast<std::size_t>(predicted); };
  for (const TopFlip& flip : summary.top_flips)
    result.top_flips.push_back({place(flip.from), place(flip.to), flip.count});
  for (const FlipSample& flip : summary.flips)
    result.flips.push_back({flip.row,
                            flip.label ? std::optional(static_cast<std::size_t>(*flip.label)) : std::nullopt,
                            place(flip.clean_class), place(flip.shifted_class), flip.clean_confidence,
                            flip.shifted_confidence, flip.agreement});
}

}  // namespace

record::AssessResult result_of(const Summary& s) {
  record::AssessResult result;
  result.model = s.model, result.target = s.target;
  result.n = s.n, result.source_n = s.source_n, result.k = s.k;
  result.paired = s.paired, result.labelled = s.labelled;
  result.pairing = s.pairing.evidence;
  if (!s.paired) result.pairing.reason = s.pairing.reason;
  result.accuracy = measured(s.accuracy), result.source_accuracy = measured(s.source_accuracy);
  result.accuracy_change = measured(s.change);
  result.afr_pred = measured(s.afr_pred);
  if (s.paired) result.afr_true = result.accuracy.value;
  if (s.agreement) add_agreement(result, *s.agreement);
  if (s.bounds.dis2) result.error_bound = s.bounds.dis2->bound, result.error_bound_terms = s.bounds.dis2;
  if (s.bounds.estimates) result.estimates = s.bounds.estimates->estimates;
  result.likely_error = s.likely_error, result.drift = s.drift;
  result.source_quality = s.source_quality, result.quality = s.quality;
  result.quality_change = s.quality_change, result.subgroups = s.subgroups;
  result.confidence = confidence_of(s);
  result.classes = cells_of(s.classes), result.groups = cells_of(s.groups);
  add_flips(result, s);
  result.clean_shares = s.clean_shares, result.shifted_shares = s.shifted_shares;
  result.warnings = s.warnings;
  result.not_computed = s.not_computed;
  return result;
}

record::AssessComparison comparison_of(const Comparison& c) {
  return {c.target, c.model, c.other, c.n, measured(c.difference), c.mcnemar_p, c.difference.clear()};
}

}  // namespace leeway::assess
