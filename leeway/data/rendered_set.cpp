#include "leeway/data/rendered_set.h"

#include <fmt/format.h>

namespace leeway::data {

// Each is defined in a file of its name.
RenderedSet dsprites();
RenderedSet shapes3d();

std::span<const RenderedSet> rendered_sets() {
  static const RenderedSet list[] = {dsprites(), shapes3d()};
  return list;
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
