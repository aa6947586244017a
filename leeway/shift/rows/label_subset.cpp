// Selects the rows whose label is one of Options::classes, in order; labels keep their numbers.
#include <algorithm>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

Shifted shift_by_label_subset(const Images& images, const Options& options, Progress*) {
  if (options.classes.empty()) throw Error("shift label-subset: expected the classes to keep, found none");
  check_classes(images, options.classes, "label-subset");
  const auto& labels = labels_of(images, "label-subset");
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (std::find(options.classes.begin(), options.classes.end(), labels[row]) != options.classes.end())
      kept.push_back(row);
  return keep_rows(images, std::move(kept));
}

}  // namespace

Member label_subset() {
  return {{"label-subset", "keep only the rows of the given classes", "extreme label shift"},
          {},
          shift_by_label_subset,
          /*selects_rows=*/true,
          /*needs_classes=*/true};
}

}  // namespace leeway::shift
