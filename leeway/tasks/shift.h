// What leeway shift computes: a shifted copy of a set of images (shift/shift.h), written as x, y and, for shifts that select
// rows, `rows`: where each came from. With a severity it is the common corruption of that name (shift/corruption.h).
//
// Several shifts, strengths or severities make a set each, in one pass over the options: `out` then names each file by
// {shift}, {strength} and {severity}, and each is written when it is done.
//
// OptionError: files of several sets that would have one name; a name that is no shift's, a strength, severity or classes that
// the shift does not take. Errors (Error): those of the headers above, of a contact sheet (data/picture_sheet.h) and of what
// opens the images. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/record/shift.h"
#include "leeway/tasks/file_pattern.h"

namespace leeway::tasks {

struct ShiftTask {
  std::string shift;  // a name, or several separated by commas
  std::function<Images()> open;
  std::string out;  // .npz; empty: none is written; of several sets with {shift}, {strength} or {severity}
  record::ShiftOptions options = {};
  std::uint64_t seed = 0;
  std::string sheet = {};                   // PNG; empty: none; likewise
  std::function<void(ArrayMap)> take = {};  // is given what `out` holds, of a single set
};

// The files that a task will write.
[[nodiscard]] std::vector<NamedFile> files_of(const ShiftTask& task);

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Shift shift_images(const ShiftTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
