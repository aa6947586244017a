// leeway shift: a shifted copy of a set of images (shift/shift.h), written as x, y and, for shifts that
// select rows, `rows` (source rows); for label noise, `y_source` (labels before). Several shifts, strengths
// or severities give a set each; `out` then names files by {shift}, {strength} and {severity}, written one by
// one. Keys: leeway schema shift. OptionError: sets with equal file names; an unknown shift; a strength,
// severity or classes that the shift does not take. Errors (Error): those of the headers above, of a contact
// sheet (data/picture_file.h) and of opening the images. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/data/picture_folder.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/shifted_sets.h"

namespace leeway::tasks {

inline constexpr std::string_view shift_schema = "leeway.shift/3";
inline constexpr std::string_view shift_results = "results by shift, then by strength or severity";

struct ShiftOptions {
  std::vector<double> strength = {};       // a set each; none: the shift's own
  std::vector<std::size_t> classes = {};   // of shifts that select rows or change labels
  std::vector<std::size_t> severity = {};  // of a common corruption, a set each
  CorruptionChoice how = {};               // likewise
  data::PictureOptions pictures = {};      // of a folder
  std::optional<std::string> groups = {};  // label noise: file with one column of groups
  std::vector<double> group_rates = {};    // of each, in place of the strength
};

struct RowsOfClass {
  std::int64_t label = 0;
  std::size_t n_source = 0, n = 0;
};

// Rows of one group, or all rows, under label noise.
struct NoisyGroup {
  std::string group;  // empty: all rows
  double rate = 0;
  std::size_t n = 0, changed = 0;
};

struct LabelNoise {
  std::size_t changed = 0;
  std::vector<NoisyGroup> groups;
};

struct ShiftedSet {
  std::string shift;
  std::optional<double> strength;       // none where the shift has none
  std::string strength_means;           // empty: likewise
  std::optional<std::size_t> severity;  // of a common corruption
  std::optional<CorruptionUse> use;     // likewise
  std::optional<bool> defined;          // likewise: false where it leaves such pictures alone
  std::size_t n = 0, n_source = 0;
  std::vector<std::size_t> shape;          // n, channels, height, width
  std::string out, sheet;                  // empty: none
  std::optional<double> mean_change;       // of a shift of pixels
  std::vector<RowsOfClass> rows_of_class;  // of a shift that selects rows or changes labels
  std::optional<LabelNoise> label_noise;   // of a shift that changes labels
};

using Shift = RecordOf<shift_schema, ShiftOptions, ShiftedSet, shift_results>;

void fields(ShiftOptions& options, Fields& f);
void flag_fields(ShiftOptions& options, Fields& f);  // without those of pictures
void fields(ShiftedSet& set, Fields& f);

// What was written; that corruptions is not defined on such pictures.
[[nodiscard]] std::string headline_of(const Shift& record);
[[nodiscard]] std::vector<std::string> findings_of(const Shift& record);

struct ShiftTask {
  std::string shift;  // a name, or several separated by commas
  Images images;
  std::string out;  // .npz; empty: none is written; of several sets with {shift}, {strength} or {severity}
  ShiftOptions options = {};
  std::uint64_t seed = 0;
  std::string sheet = {};                   // PNG; empty: none; likewise
  std::function<void(ArrayMap)> take = {};  // is given what `out` holds, of a single set
};

// The files that a task will write.
[[nodiscard]] std::vector<NamedFile> files_of(const ShiftTask& task);

[[nodiscard]] Shift shift_images(const ShiftTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Shift& record);

}  // namespace leeway::tasks
