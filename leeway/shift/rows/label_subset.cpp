// Selects the rows whose label is one of Options::classes, in order; labels keep their numbers.
#include <algorithm>

#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

std::vector<std::size_t> rows_of_label_subset(const Images& images, const Options& options) {
  const auto& labels = *images.labels;
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < labels.size(); ++row)
    if (std::find(options.classes.begin(), options.classes.end(), labels[row]) != options.classes.end())
      kept.push_back(row);
  return kept;
}

}  // namespace

Member label_subset() {
  Member member{{"label-subset", "keep only the rows of the given classes", "extreme label shift"}};
  member.select = rows_of_label_subset, member.needs_classes = true;
  return member;
}

}  // namespace leeway::shift
