#include "leeway/tasks/shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/core/option_error.h"
#include "leeway/core/png.h"
#include "leeway/data/picture_sheet.h"
#include "leeway/shift/corruption.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/corruption_choice.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

std::vector<record::RowsOfClass> rows_of_class(const std::vector<std::int64_t>& before,
                                               const std::vector<std::int64_t>& after) {
  std::map<std::int64_t, record::RowsOfClass> counts;
  for (const std::int64_t label : before) ++counts[label].n_source;
  for (const std::int64_t label : after) ++counts[label].n;
  std::vector<record::RowsOfClass> rows;
  for (auto& [label, count] : counts) {
    count.label = label;
    rows.push_back(count);
  }
  return rows;
}

ArrayMap arrays_of(bool selects_rows, const shift::Shifted& shifted) {
  const std::vector<std::size_t> n{shifted.images.n()};
  ArrayMap arrays{{"x", shifted.images.pixels}};
  if (shifted.images.labels) arrays["y"] = make_array(n, *shifted.images.labels);
  if (selects_rows)
    arrays["rows"] = make_array(n, std::vector<std::int64_t>(shifted.rows.begin(), shifted.rows.end()));
  return arrays;
}

template <class Members>
auto found_in(const Members& members, const std::string& name) -> decltype(&*std::begin(members)) {
  for (const auto& member : members)
    if (member.name == name) return &member;
  return nullptr;
}

// What a name means beside these options: one of the two.
struct Chosen {
  const shift::Member* member = nullptr;
  const shift::Corruption* corruption = nullptr;
};

void check_corruption(const std::string& name, bool known, const record::ShiftOptions& options) {
  if (options.strength) throw OptionError("--strength, --severity: expected one of them");
  if (!options.classes.empty())
    throw OptionError(fmt::format("--classes: {} does not look at classes", name));
  if (!known) throw OptionError(fmt::format("--severity: {} has none; it takes --strength", name));
}

void check_member(const shift::Member& member, const record::ShiftOptions& options) {
  const std::string name(member.name);
  if (options.how != record::CorruptionChoice{})
    throw OptionError("--set, --rounding, --glass, --frost-dir: expected --severity beside them");
  if (!member.selects_rows && !options.classes.empty())
    throw OptionError(fmt::format("--classes: {} does not look at classes", name));
  if (member.needs_classes && options.classes.empty())
    throw OptionError(fmt::format("--classes is required: the classes that {} keeps", name));
  const Parameter legal = member.strength();
  const double strength = options.strength.value_or(legal.value);
  if (strength >= legal.low && strength <= legal.high) return;
  throw OptionError(member.parameters.empty() ? fmt::format("--strength: {} has none", name)
                                              : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                            legal.low, legal.high, name, strength));
}

// With a severity the corruption of that name, without one the shift of a strength.
Chosen chosen(const std::string& name, const record::ShiftOptions& options) {
  const shift::Member* const member = found_in(shift::members(), name);
  const shift::Corruption* const corruption = found_in(shift::corruptions(), name);
  if (member == nullptr && corruption == nullptr)
    throw OptionError(fmt::format("NAME: expected one of {}, or with --severity of {}, found {}",
                                  names_of(shift::members()), names_of(shift::corruptions()),
                                  in_quotes(name)));
  if (options.severity) {
    check_corruption(name, corruption != nullptr, options);
    return {nullptr, corruption};
  }
  if (member == nullptr)
    throw OptionError(options.strength ? fmt::format("--strength: {} has none; it takes --severity", name)
                                       : fmt::format("--severity is required for {}: 0 to 5", name));
  check_member(*member, options);
  return {member, nullptr};
}

// Before and after below each other; of a shift that selects rows those that are kept.
void write_sheet(const std::string& path, const Images& before, const Images& after, bool selects_rows,
                 std::uint64_t seed) {
  constexpr std::size_t widest = 10, most = 30;
  const auto rows = data::rows_of_sheet(after.n(), most, seed);
  const std::size_t columns = std::min(widest, rows.size());
  data::PictureSheet sheet(before.channels(), before.height(), before.width(), columns);
  for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
    const std::size_t end = std::min(begin + columns, rows.size());
    if (!selects_rows) {
      for (std::size_t i = begin; i < end; ++i) sheet.add(before, rows[i]);
      for (std::size_t i = end; i < begin + columns; ++i) sheet.leave_empty();
    }
    for (std::size_t i = begin; i < end; ++i) sheet.add(after, rows[i]);
  }
  write_png(path, sheet.bitmap());
}

}  // namespace

record::Shift shift_images(const ShiftTask& task, Progress* progress) {
  const auto [member, corruption] = chosen(task.shift, task.options);
  const bool frost = corruption != nullptr && corruption->takes_frost;
  const shift::CorruptionOptions how = options_of(task.options.how, frost, task.seed);
  const TaskClock clock;
  const Images images = task.open();
  record::Shift record;
  record.options = task.options;
  record::ShiftedSet& set = record.results.emplace_back();
  const bool selects_rows = member != nullptr && member->selects_rows;
  shift::Shifted shifted;
  if (member != nullptr) {
    const double strength = task.options.strength.value_or(member->strength().value);
    const auto& classes = task.options.classes;
    shifted = member->apply(images, {strength, task.seed, {classes.begin(), classes.end()}}, progress);
    set.shift = member->name;
    if (!member->parameters.empty()) {
      set.strength = strength;
      set.strength_means = member->strength().meaning;
    }
  } else {
    shift::CorruptionOptions options = how;
    options.severity = static_cast<int>(*task.options.severity);
    shifted.images = corruption->apply(images, options, progress);
    set.shift = corruption->name;
    set.severity = task.options.severity;
    set.use = use_of(task.options.how, images);
    set.defined = defined_on(*corruption, images);
  }
  if (!task.sheet.empty()) write_sheet(task.sheet, images, shifted.images, selects_rows, task.seed);
  ArrayMap arrays = arrays_of(selects_rows, shifted);
  if (!task.out.empty()) write_npz(task.out, arrays);
  if (task.take) task.take(std::move(arrays));
  set.n = shifted.images.n();
  set.n_source = images.n();
  set.shape = shifted.images.pixels.shape;
  set.out = task.out, set.sheet = task.sheet;
  if (selects_rows)
    set.rows_of_class = rows_of_class(*images.labels, *shifted.images.labels);
  else
    set.mean_change = mean_change(images, shifted.images);
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
