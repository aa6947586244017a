#include "leeway/shift/shift.h"

#include <fmt/format.h>

#include "leeway/core/error.h"
#include "leeway/shift/family.h"

namespace leeway::shift {

std::span<const Member> members() {
  static const Member all[] = {
      gaussian_noise(), gaussian_blur(), contrast(),  brightness(),
      rotation(),       pixelation(),    imbalance(), label_subset(),
  };
  return all;
}

const Member& member(std::string_view name) {
  std::string names;
  for (const auto& candidate : members()) {
    if (candidate.name == name) return candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate.name);
  }
  throw Error(fmt::format("shift: expected one of {}, found {}", names, name));
}

}  // namespace leeway::shift
