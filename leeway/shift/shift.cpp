#include "leeway/shift/shift.h"

#include "leeway/core/family.h"
#include "leeway/shift/family.h"

namespace leeway::shift {

std::span<const Member> members() {
  static const Member all[] = {
      gaussian_noise(), gaussian_blur(), contrast(),  brightness(),   rotation(),
      pixelation(),     jpeg(),          imbalance(), label_subset(),
  };
  return all;
}

const Member& member(std::string_view name) { return find_member(members(), "shift", name); }

}  // namespace leeway::shift
