#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/align/align.h"
#include "leeway/tasks/paired_rows.h"

namespace leeway::tasks {

void fields(AlignOptions& options, Fields& f) {
  f("standardise", options.standardise,
    "standardize each feature by its mean and standard deviation in each set");
  f("sample", options.sample, from_to(2, 1e9),
    "number of pairs to draw at random with --seed (default: all; the paper uses 128)");
  f("replicates", options.replicates, from_to(1, 1e6), "bootstrap replicates");
  fields(static_cast<OutputsReading&>(options), f);
}

void fields(AlignSet& set, Fields& f) {
  agreement::Alignment& found = set.found;
  f("shifted", set.shifted, "path of the shifted outputs, as given");
  f("n", set.n, at_least(2), "number of pairs");
  f("d", set.d, at_least(1), "number of features");
  f.measured("cross_domain_error", found.cross_domain_error, found.cross_domain_error_interval, from_to(0, 4),
             "mean squared difference between the projections of a pair, scaled to [-1,1] in each set");
  f("correlation", found.correlation, a_share,
    "correlation of the projections over pairs; the directions are signed to make it positive");
  f("angle", found.angle, from_to(0, 180), "angle between the two directions, in degrees");
  f("explained_variance_clean", found.clean.explained, a_share,
    "share of the clean variance that the direction explains");
  f("explained_variance_shifted", found.shifted.explained, a_share,
    "share of the shifted variance that the direction explains");
  f.measured("class_variance_clean", found.clean.class_variance, a_share,
             "within-class share of the projections' variance; null without labels");
  f.measured("class_variance_shifted", found.shifted.class_variance, a_share,
             "within-class share in the shifted set");
  f("projections_clean", found.clean.projections, from_to(-1, 1),
    "projections of at most 1000 evenly spaced pairs");
  f("projections_shifted", found.shifted.projections, from_to(-1, 1), "projections of the same pairs");
  f("projection_labels", set.projection_labels, "classes of these pairs; []: no labels");
  f.lengths({.alike = {"projections_clean", "projections_shifted"}, .or_empty = {"projection_labels"}});
  f("pairing", set.pairing, "evidence that row i is the same sample in both sets");
  f.unless_empty("doubt", set.doubt, "why the rows may not be pairs; null if there is no doubt");
}

std::string headline_of(const Align& record) {
  const auto apart = [](const AlignSet& set) {  // without rounding
    return std::pair(set.found.cross_domain_error < 1e-12 ? 0 : set.found.cross_domain_error,
                     set.found.angle);
  };
  const auto most = std::ranges::max_element(record.results, {}, apart);
  const std::string shifted = display_name(most->shifted);
  std::string text = fmt::format(
      "{} {}: the first principal directions are {} degrees apart, with a cross-domain error of {}",
      record.results.size() == 1 ? "Clean set and" : "Least aligned is", shifted,
      significant(most->found.angle < 1e-6 ? 0 : most->found.angle, 3), significant(apart(*most).first, 2));
  const auto &clean = most->found.clean.class_variance,
             &shifted_variance = most->found.shifted.class_variance;
  if (clean && shifted_variance)
    text +=
        fmt::format("; {:.0f}% of the clean and {:.0f}% of the shifted variance along them is within classes",
                    100 * clean->value, 100 * shifted_variance->value);
  return text + ".";
}

std::vector<std::string> findings_of(const Align& record) { return doubts_of(record.results); }

}  // namespace leeway::tasks
