#include "leeway/record/align.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/record/agreement.h"
#include "leeway/record/json.h"

namespace leeway::record {

void fields(AlignOptions& options, Fields& f) {
  f("standardise", options.standardise,
    "standardize each feature by its mean and standard deviation in each set");
  f("sample", options.sample, from_to(2, 1e9),
    "number of random pairs, by --seed (default: all; the paper uses 128)");
  f("replicates", options.replicates, from_to(1, 1e6), "of the bootstrap");
  fields(static_cast<OutputsReading&>(options), f);
}

static void fields(AlignSet& set, Fields& f) {
  f("shifted", set.shifted, "the path as it was given");
  f("n", set.n, at_least(2), "pairs");
  f("d", set.d, at_least(1), "features");
  f.measured("cross_domain_error", set.cross_domain_error, set.cross_domain_error_interval, from_to(0, 4),
             "mean squared difference of a pair's projections, each set's scaled to [-1,1]");
  f("correlation", set.correlation, share,
    "of the projections over pairs; the direction's sign makes it positive");
  f("angle", set.angle, from_to(0, 180), "between the two directions, in degrees");
  f("explained_variance_clean", set.explained_variance_clean, share, "along the direction, of all variance");
  f("explained_variance_shifted", set.explained_variance_shifted, share, "likewise");
  f.measured("class_variance_clean", set.class_variance_clean, set.class_variance_clean_interval, share,
             "variance of the projections within classes over all of it; null without labels");
  f.measured("class_variance_shifted", set.class_variance_shifted, set.class_variance_shifted_interval, share,
             "likewise");
  f("projections_clean", set.projections_clean, from_to(-1, 1), "of at most 1000 pairs, evenly");
  f("projections_shifted", set.projections_shifted, from_to(-1, 1), "of the same pairs");
  f("projection_labels", set.projection_labels, "their classes; []: no labels");
  f.lengths({.alike = {"projections_clean", "projections_shifted"}, .or_empty = {"projection_labels"}});
  f("pairing", set.pairing, "what shows that row i of one set is row i of the other");
  f.unless_empty("doubt", set.doubt, "why the rows need not be pairs; null where nothing speaks against it");
}

void fields(Align& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one for each shifted set, in the order given");
}

std::string headline_of(const Align& record) {
  const auto apart = [](const AlignSet& set) {  // without rounding
    return std::pair(set.cross_domain_error < 1e-12 ? 0 : set.cross_domain_error, set.angle);
  };
  const auto most = std::ranges::max_element(record.results, {}, apart);
  const std::string shifted = printable(most->shifted, std::string::npos);
  std::string text =
      fmt::format("{} {}: {} degrees between the strongest directions, cross-domain error {}",
                  record.results.size() == 1 ? "Features of the clean set and" : "Least aligned is", shifted,
                  significant(most->angle < 1e-6 ? 0 : most->angle, 3), significant(apart(*most).first, 2));
  if (most->class_variance_clean && most->class_variance_shifted)
    text += fmt::format(
        "; within classes lie {:.0f}% of the clean and {:.0f}% of the shifted variance along them",
        100 * *most->class_variance_clean, 100 * *most->class_variance_shifted);
  return text + ".";
}

std::vector<std::string> findings_of(const Align& record) {
  std::vector<std::string> findings;
  for (const AlignSet& set : record.results)
    if (!set.doubt.empty()) findings.push_back(set.doubt);
  return findings;
}

}  // namespace leeway::record
