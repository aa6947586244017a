// ATC, average thresholded confidence (Garg et al. 2022), of a score s (confidence, by its log odds, or negative entropy):
//   c = the n_correct-th largest score of the source,
//   accuracy = (#{T: s > c} + w #{T: s = c}) / n_T,   w = (n_correct - #{S: s > c}) / #{S: s = c},
// and 0 where n_correct = 0. A row at the threshold counts by the share w of such source rows that must count
// for the source's accuracy to come out right; without it, equal scores would give 0.
#include <algorithm>
#include <functional>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {
namespace {

struct Split {
  double above, at;
};

Split split(std::span<const double> scores, double threshold) {
  Split counts{0, 0};
  for (const double score : scores) counts.above += score > threshold, counts.at += score == threshold;
  return counts;
}

double error_above_threshold(std::vector<double> source, std::span<const double> target,
                             std::size_t n_correct) {
  if (n_correct == 0) return 1;
  const auto nth = source.begin() + static_cast<std::ptrdiff_t>(n_correct - 1);
  std::nth_element(source.begin(), nth, source.end(), std::greater<>());
  const double threshold = *nth;
  const Split in_source = split(source, threshold), in_target = split(target, threshold);
  const double weight = (static_cast<double>(n_correct) - in_source.above) / in_source.at;
  return 1 - (in_target.above + weight * in_target.at) / static_cast<double>(target.size());
}

template <std::vector<double> Scores::*score>
Estimator atc(std::string_view name, std::string_view summary, std::string_view read_when) {
  return {
      {name, summary, "Garg et al. 2022"},
      "as large a share of the target's rows is right as scores above the threshold that fits the source",
      "the classifier stays sure of rows that the shift makes it get wrong",
      read_when,
      /*transport=*/false,
      [](const Evidence& e) { return error_above_threshold(e.source.*score, e.target.*score, e.n_correct); }};
}

}  // namespace

Estimator atc_conf() {
  return atc<&Scores::log_odds>(
      "atc-conf",
      "thresholded confidence: share of the target below the threshold that fits the source's accuracy",
      "the mix moved and outputs hold little more than the top class");
}

Estimator atc_ne() {
  return atc<&Scores::negative_entropy>(
      "atc-ne", "thresholded negative entropy: the same with the entropy of the softmax", "the mix moved");
}

}  // namespace leeway::error_bound
