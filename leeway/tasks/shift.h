// A shifted copy of a set of images (shift/shift.h), written as x, y and, for shifts that select rows, `rows`
// (source rows). With a severity, the common corruption of that name (shift/corruption.h). Several shifts,
// strengths or severities give a set each; `out` then names files by {shift}, {strength} and {severity},
// written one by one.
// OptionError: sets with equal file names; an unknown shift; a strength, severity or classes that the shift
// does not take. Errors (Error): those of the headers above, of a contact sheet (data/picture_file.h) and of
// opening the images. Cost and determinism: as there.
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

[[nodiscard]] record::Shift shift_images(const ShiftTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
