// One call of a corruption on floats, before they are cut to levels.
#pragma once

#include <string_view>
#include <vector>

#include "leeway/shift/corruption.h"

namespace leeway::shift {

struct Case {
  std::size_t channels = 1, height = 32, width = 32;
  int severity = 1;
  Scale scale = {};
  GlassExchange glass = GlassExchange::by_channels;
  std::size_t row = 0;
  Slips slips = Slips::mended;

  [[nodiscard]] CorruptionSetting setting() const { return {severity, scale, glass, nullptr, slips}; }
};

// Values before they are cut to levels.
inline std::vector<float> changed(std::string_view name, std::vector<float> values, const Case& of) {
  Random random(7, stream(name), of.row);
  corruption(name).change({values, of.channels, of.height, of.width}, of.setting(), random);
  return values;
}

inline std::vector<float> flat(float value, const Case& of) {
  return std::vector<float>(of.channels * of.height * of.width, value);
}

}  // namespace leeway::shift
