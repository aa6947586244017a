// ATC, average thresholded confidence (Garg et al. 2022), of a score s (confidence, by its log odds, or negative entropy):
//   c = the n_correct-th largest score of the source,
//   accuracy = (#{T: s > c} + w #{T: s = c}) / n_T,   w = (n_correct - #{S: s > c}) / #{S: s = c},
// and 0 where n_correct = 0. A row at the threshold counts by the share w of such source rows that must count
// for the source's accuracy to come out right; without it, equal scores would give 0.
#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {
namespace {

double error_below(const Threshold& threshold, std::span<const double> target, std::size_t n_correct) {
  if (n_correct == 0) return 1;
  double above = 0, at = 0;
  for (const double score : target) above += score > threshold.score, at += score == threshold.score;
  return 1 - (above + threshold.weight * at) / static_cast<double>(target.size());
}

template <std::vector<double> Scores::*score, Threshold Evidence::*threshold>
Estimator atc(std::string_view name, std::string_view summary) {
  return {{name, summary, "Garg et al. 2022"},
          "accuracy on the target equals the share of its rows that score above the threshold of the source",
          "the classifier stays confident in predictions that the shift makes wrong",
          /*transport=*/false,
          /*movement=*/false,
          [](const Evidence& e) { return error_below(e.*threshold, e.target.*score, e.n_correct); }};
}

}  // namespace

Estimator atc_conf() {
  return atc<&Scores::log_odds, &Evidence::by_log_odds>(
      "atc-conf",
      "thresholded confidence: share of the target below the threshold that fits the source's accuracy");
}

Estimator atc_ne() {
  return atc<&Scores::negative_entropy, &Evidence::by_negative_entropy>(
      "atc-ne", "thresholded negative entropy: as atc-conf, with the negative entropy of the softmax");
}

}  // namespace leeway::error_bound
