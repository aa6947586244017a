#include "leeway/data/rendered_set.h"

#include <fmt/format.h>

#include "leeway/core/family.h"
#include "leeway/data/dsprites.h"
#include "leeway/data/shapes3d.h"

namespace leeway::data {

std::span<const RenderedSet> rendered_sets() {
  static const std::array<RenderedSet, 2> sets = {dsprites(), shapes3d()};
  return sets;
}

const RenderedSet& rendered_set(std::string_view name) {
  return find_member(rendered_sets(), "rendered data set", name);
}

std::vector<double> evenly(double low, double high, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1);
  return values;
}

std::vector<std::string> texts_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.6g}", value));
  return texts;
}

}  // namespace leeway::data
