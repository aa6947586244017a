#include "leeway/shift/shift.h"

#include <fmt/format.h>

#include <cmath>

namespace leeway::shift {

// Each is defined in pixels/ or rows/, in a file of its name.
Member gaussian_noise();
Member gaussian_blur();
Member contrast();
Member brightness();
Member rotation();
Member pixelation();
Member jpeg();
Member imbalance();
Member label_subset();

std::span<const Member> members() {
  static const Member list[] = {
      gaussian_noise(), gaussian_blur(), contrast(),  brightness(),   rotation(),
      pixelation(),     jpeg(),          imbalance(), label_subset(),
  };
  return list;
}

const Member& member(std::string_view name) { return find_member(members(), "shift", name); }

Parameter Member::strength() const {
  return parameters.empty() ? Parameter{"strength", 0, 0, 0, "none"} : parameters.front();
}

Shifted Member::apply(const Images& images, const Options& options, Progress* progress) const {
  const Parameter legal = strength();
  const double wanted = options.strength;
  if (!(wanted >= legal.low && wanted <= legal.high))
    refuse(fmt::format("shift {}", name),
           parameters.empty()
               ? "no strength"
               : fmt::format("a strength ({}) from {} to {}", legal.meaning, legal.low, legal.high),
           fmt::format("{}", wanted));
  if (legal.integer && wanted != std::floor(wanted))
    refuse(fmt::format("shift {}", name), fmt::format("a whole number from {} to {}", legal.low, legal.high),
           fmt::format("{}", wanted));
  return change(images, options, progress);
}

}  // namespace leeway::shift
