// What leeway shift computes: a shifted copy of a set of images (shift/shift.h), written as x, y and, for shifts that select
// rows, `rows`: where each came from.
//
// OptionError: a name that is no shift's, a strength or classes that the shift does not take. Errors (Error): those of
// shift/shift.h and of what opens the images. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/record/shift.h"

namespace leeway::tasks {

struct ShiftTask {
  std::string shift;
  std::function<Images()> open;
  std::string out;  // .npz
  record::ShiftOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Shift shift_images(const ShiftTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
