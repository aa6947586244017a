#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/align/align.h"

namespace leeway::tasks {

void fields(AlignOptions& options, Fields& f) {
  f("standardise", options.standardise,
    "standardize each feature by its mean and standard deviation in each set");
  f("sample", options.sample, from_to(2, 1e9),
    "number of random pairs, by --seed (default: all; the paper uses 128)");
  f("replicates", options.replicates, from_to(1, 1e6), "bootstrap replicates");
  fields(static_cast<OutputsReading&>(options), f);
}

void fields(AlignSet& set, Fields& f) {
  f("shifted", set.shifted, "path of the shifted outputs, as given");
  f("n", set.n, at_least(2), "number of pairs");
  f("d", set.d, at_least(1), "number of features");
  f.measured("cross_domain_error", set.cross_domain_error, set.cross_domain_error_interval, from_to(0, 4),
             "mean squared difference of a pair's projections, scaled to [-1,1] in each set");
  f("correlation", set.correlation, a_share,
    "correlation of the projections over pairs; the sign of the directions makes it positive");
  f("angle", set.angle, from_to(0, 180), "angle between the two directions, in degrees");
  f("explained_variance_clean", set.explained_variance_clean, a_share, "share of clean variance explained");
  f("explained_variance_shifted", set.explained_variance_shifted, a_share,
    "share of shifted variance explained");
  f.measured("class_variance_clean", set.class_variance_clean, set.class_variance_clean_interval, a_share,
             "share of the variance of the projections within classes; null without labels");
  f.measured("class_variance_shifted", set.class_variance_shifted, set.class_variance_shifted_interval,
             a_share, "the same in the shifted set");
  f("projections_clean", set.projections_clean, from_to(-1, 1),
    "projections of at most 1000 evenly spaced pairs");
  f("projections_shifted", set.projections_shifted, from_to(-1, 1), "projections of the same pairs");
  f("projection_labels", set.projection_labels, "classes of these pairs; []: no labels");
  f.lengths({.alike = {"projections_clean", "projections_shifted"}, .or_empty = {"projection_labels"}});
  f("pairing", set.pairing, "evidence that row i of one set is row i of the other");
  f.unless_empty("doubt", set.doubt, "why the rows may not be pairs; null if there is no doubt");
}

std::string headline_of(const Align& record) {
  const auto apart = [](const AlignSet& set) {  // without rounding
    return std::pair(set.cross_domain_error < 1e-12 ? 0 : set.cross_domain_error, set.angle);
  };
  const auto most = std::ranges::max_element(record.results, {}, apart);
  const std::string shifted = printable(most->shifted, std::string::npos);
  std::string text =
      fmt::format("{} {}: {} degrees between the first principal directions, cross-domain error {}",
                  record.results.size() == 1 ? "Features of the clean set and" : "Least aligned is", shifted,
                  significant(most->angle < 1e-6 ? 0 : most->angle, 3), significant(apart(*most).first, 2));
  if (most->class_variance_clean && most->class_variance_shifted)
    text +=
        fmt::format("; {:.0f}% of the clean and {:.0f}% of the shifted variance along them is within classes",
                    100 * *most->class_variance_clean, 100 * *most->class_variance_shifted);
  return text + ".";
}

std::vector<std::string> findings_of(const Align& record) {
  std::vector<std::string> findings;
  for (const AlignSet& set : record.results)
    if (!set.doubt.empty()) findings.push_back(set.doubt);
  return findings;
}

}  // namespace leeway::tasks
