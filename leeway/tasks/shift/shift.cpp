#include "leeway/tasks/shift/shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/data/picture_file.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/npy.h"
#include "leeway/io/png.h"
#include "leeway/shift/corruption.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/corrupted_sets.h"
#include "leeway/tasks/corruption_choice.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t highest_severity = 5;

std::vector<RowsOfClass> rows_of_class(const std::vector<std::int64_t>& before,
                                       const std::vector<std::int64_t>& after) {
  std::map<std::int64_t, RowsOfClass> counts;
  for (const std::int64_t label : before) ++counts[label].n_source;
  for (const std::int64_t label : after) ++counts[label].n;
  std::vector<RowsOfClass> rows;
  for (auto& [label, count] : counts) {
    count.label = label;
    rows.push_back(count);
  }
  return rows;
}

template <class Members>
auto found_in(const Members& members, const std::string& name) -> decltype(&*std::begin(members)) {
  for (const auto& member : members)
    if (member.name == name) return &member;
  return nullptr;
}

// One set: a member with its strength, or a corruption with its severity.
struct ChosenShift {
  const shift::Member* member = nullptr;
  const shift::Corruption* corruption = nullptr;
  std::optional<double> strength = {};  // none: the member's own
  std::size_t severity = 0;
};

void check_corruption(const std::string& name, bool known, const ShiftOptions& options) {
  if (!options.strength.empty()) throw OptionError("--strength cannot be combined with --severity");
  if (!options.classes.empty()) throw OptionError(fmt::format("--classes: {} does not use classes", name));
  if (!known) throw OptionError(fmt::format("--severity: {} has no severities; use --strength", name));
}

void check_strength(const shift::Member& member, const std::optional<double>& given) {
  const Parameter legal = member.strength();
  const double strength = given.value_or(legal.value);
  if (strength >= legal.low && strength <= legal.high) return;
  throw OptionError(member.parameters.empty() ? fmt::format("--strength: {} has no strength", member.name)
                                              : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                            legal.low, legal.high, member.name, strength));
}

void check_member(const shift::Member& member, const ShiftOptions& options) {
  const std::string name(member.name);
  if (options.how != CorruptionChoice{})
    throw OptionError("--set, --variant and --frost-dir require --severity");
  if (!member.selects_rows && !options.classes.empty())
    throw OptionError(fmt::format("--classes: {} does not use classes", name));
  if (member.needs_classes && options.classes.empty())
    throw OptionError(fmt::format("--classes is required: the classes that {} keeps", name));
}

// With severities the corruption of that name, without them the shift of its strengths.
void add_chosen(const std::string& name, const ShiftOptions& options, std::vector<ChosenShift>& all) {
  const shift::Member* const member = found_in(shift::members(), name);
  const shift::Corruption* const corruption = found_in(shift::corruptions(), name);
  if (member == nullptr && corruption == nullptr)
    throw OptionError(fmt::format("NAME: expected one of {}, or with --severity of {}, found {}",
                                  names_of(shift::members()), names_of(shift::corruptions()),
                                  in_quotes(name)));
  if (!options.severity.empty()) {
    check_corruption(name, corruption != nullptr, options);
    for (const std::size_t severity : options.severity) {
      if (severity > highest_severity)
        throw OptionError(fmt::format("--severity: expected 0 to {}, found {}", highest_severity, severity));
      all.push_back({nullptr, corruption, {}, severity});
    }
    return;
  }
  if (member == nullptr)
    throw OptionError(!options.strength.empty()
                          ? fmt::format("--strength: {} has no strength; use --severity", name)
                          : fmt::format("--severity is required for {}: 0 to 5", name));
  check_member(*member, options);
  if (options.strength.empty()) all.push_back({member});
  for (const double strength : options.strength) all.push_back({member, nullptr, strength});
  for (const ChosenShift& one : all)
    if (one.member != nullptr) check_strength(*one.member, one.strength);
}

std::vector<ChosenShift> chosen(const ShiftTask& task) {
  std::vector<ChosenShift> all;
  for (const std::string& name : split(task.shift, ',')) add_chosen(name, task.options, all);
  return all;
}

PatternValues values_of(const ChosenShift& one) {
  const bool is_member = one.member != nullptr;
  return {
      {"shift", std::string(is_member ? one.member->name : one.corruption->name)},
      {"strength", is_member ? fmt::format("{:g}", one.strength.value_or(one.member->strength().value)) : ""},
      {"severity", is_member ? "" : std::to_string(one.severity)}};
}

std::vector<NamedFile> files_of(const ShiftTask& task, const std::vector<ChosenShift>& sets) {
  std::vector<PatternValues> values;
  for (const ChosenShift& one : sets) values.push_back(values_of(one));
  std::vector<NamedFile> files;
  for (const auto& [option, pattern] : {std::pair("--out", &task.out), {"--sheet", &task.sheet}}) {
    if (pattern->empty()) continue;
    const auto own =
        files_of_sets(option, *pattern, values,
                      task.options.severity.empty() ? "{shift}-{strength}" : "{shift}-{severity}");
    files.insert(files.end(), own.begin(), own.end());
  }
  return files;
}

// Images before and after, in rows; for a shift that selects rows, the selected ones. `add_after` adds
// shifted row i.
void write_sheet(const std::string& path, const Images& before, std::size_t n, bool selects_rows,
                 std::uint64_t seed,
                 const std::function<void(data::PictureSheet& sheet, std::size_t row)>& add_after) {
  constexpr std::size_t widest = 10, most = 30;
  const auto rows = data::rows_of_sheet(n, most, seed);
  const std::size_t columns = std::min(widest, rows.size());
  data::PictureSheet sheet(before.channels(), before.height(), before.width(), columns);
  for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
    const std::size_t end = std::min(begin + columns, rows.size());
    if (!selects_rows) {
      for (std::size_t i = begin; i < end; ++i) sheet.add(before, rows[i]);
      for (std::size_t i = end; i < begin + columns; ++i) sheet.leave_empty();
    }
    for (std::size_t i = begin; i < end; ++i) add_after(sheet, rows[i]);
  }
  write_png(path, sheet.bitmap());
}

void add_member(ShiftedSet& set, const ShiftTask& task, const ChosenShift& one, Progress* progress) {
  const Images& images = task.images;
  const shift::Member& member = *one.member;
  const double strength = one.strength.value_or(member.strength().value);
  const auto& classes = task.options.classes;
  const shift::Shifted shifted =
      member.apply(images, {strength, task.seed, {classes.begin(), classes.end()}}, progress);
  set.shift = member.name;
  if (!member.parameters.empty()) {
    set.strength = strength;
    set.strength_means = member.strength().meaning;
  }
  if (!set.sheet.empty())
    write_sheet(set.sheet, images, shifted.images.n(), member.selects_rows, task.seed,
                [&](data::PictureSheet& sheet, std::size_t row) { sheet.add(shifted.images, row); });
  ArrayMap arrays{{"x", shifted.images.pixels}};
  arrays.merge(label_arrays(shifted.images));
  if (member.selects_rows)
    arrays["rows"] = make_array({shifted.rows.size()},
                                std::vector<std::int64_t>(shifted.rows.begin(), shifted.rows.end()));
  if (!set.out.empty()) write_npz(set.out, arrays);
  if (task.take) task.take(std::move(arrays));
  set.n = shifted.images.n();
  set.shape = shifted.images.pixels.shape;
  if (member.selects_rows)
    set.rows_of_class = rows_of_class(*images.labels, *shifted.images.labels);
  else
    set.mean_change = mean_change(images, shifted.images);
}

// A block of images at a time, which is gone when it is written: the corrupted set is never whole in memory, unless it is taken.
void add_corruption(ShiftedSet& set, const ShiftTask& task, const ChosenShift& one,
                    const shift::CorruptionOptions& how, Progress* progress) {
  const Images& images = task.images;
  set.shift = one.corruption->name;
  set.severity = one.severity;
  set.use = use_of(task.options.how, images);
  set.defined = defined_on(*one.corruption, images);
  set.n = images.n();
  set.shape = images.pixels.shape;
  const CorruptedImages after = corrupted(images, {one.corruption, one.severity}, how);
  if (!set.sheet.empty())
    write_sheet(set.sheet, images, set.n, false, task.seed,
                [&](data::PictureSheet& sheet, std::size_t row) { sheet.add(after.block(row, row + 1), 0); });
  std::optional<NpzWriter> file;
  if (!set.out.empty()) file.emplace(set.out).begin("x", ElementType::u8, set.shape);
  std::vector<std::uint8_t> taken;
  double change = 0;
  for_blocks(after, {progress, "", 0, set.n, set.shift},
             [&](std::size_t begin, const Images& block, Progress*) {
               const auto levels = block.pixels.view<std::uint8_t>();
               if (file) file->append(block.pixels.bytes());
               if (task.take) taken.insert(taken.end(), levels.begin(), levels.end());
               change += mean_change(images, block, begin) * static_cast<double>(block.n());
             });
  set.mean_change = change / static_cast<double>(set.n);
  if (file) {
    file->end();
    for (const auto& [name, array] : label_arrays(images)) file->add(name, array);
    file->commit();
  }
  if (!task.take) return;
  ArrayMap arrays{{"x", make_array(set.shape, std::move(taken))}};
  arrays.merge(label_arrays(images));
  task.take(std::move(arrays));
}

ShiftedSet shifted_set(const ShiftTask& task, const ChosenShift& one, const shift::CorruptionOptions& how,
                       Progress* progress) {
  ShiftedSet set;
  set.out = filled_pattern(task.out, values_of(one));
  set.sheet = filled_pattern(task.sheet, values_of(one));
  set.n_source = task.images.n();
  if (one.member != nullptr)
    add_member(set, task, one, progress);
  else
    add_corruption(set, task, one, how, progress);
  return set;
}

}  // namespace

std::vector<NamedFile> files_of(const ShiftTask& task) { return files_of(task, chosen(task)); }

Shift shift_images(const ShiftTask& task, Progress* progress) {
  const std::vector<ChosenShift> sets = chosen(task);
  (void)files_of(task, sets);
  if (task.take && sets.size() > 1)
    throw OptionError(fmt::format("shift: expected one set, found {} shifts and strengths", sets.size()));
  const bool frost = std::ranges::any_of(
      sets, [](const ChosenShift& one) { return one.corruption && one.corruption->takes_frost; });
  const shift::CorruptionOptions how = options_of(task.options.how, frost, task.seed);
  const TaskClock clock;
  Shift record;
  record.options = task.options;
  for (const ChosenShift& one : sets) {
    if (progress != nullptr && sets.size() > 1)
      progress->update("sets", record.results.size(), sets.size(), "");
    record.results.push_back(shifted_set(task, one, how, progress));
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
