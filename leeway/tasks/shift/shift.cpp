#include "leeway/tasks/shift/shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "leeway/core/message.h"
#include "leeway/data/picture_file.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/io/png.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

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

void check_strength(const shift::Member& member, double strength) {
  const Parameter legal = member.strength();
  if (strength >= legal.low && strength <= legal.high) return;
  throw OptionError(member.parameters.empty() ? fmt::format("--strength: {} has no strength", member.name)
                                              : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                            legal.low, legal.high, member.name, strength));
}

void check_shift(const shift::Member& member, const ShiftOptions& options) {
  const bool by_severity = !options.severity.empty(), by_strength = !options.strength.empty();
  const std::string_view name = member.name;
  if (by_severity && by_strength) throw OptionError("--strength cannot be combined with --severity");
  if (!options.classes.empty() && (by_severity || !member.keeps_pixels()))
    throw OptionError(fmt::format("--classes: {} does not use classes", name));
  if (options.groups || !options.group_rates.empty()) {
    if (member.relabel == nullptr) throw OptionError(fmt::format("--groups: {} does not use groups", name));
    if (!options.groups || options.group_rates.empty())
      throw OptionError("--groups and --group-rates require each other");
    if (by_strength) throw OptionError("--strength cannot be combined with --group-rates");
  }
  if (by_severity && !member.has_severities())
    throw OptionError(fmt::format("--severity: {} has no severities; use --strength", name));
  for (const std::size_t severity : options.severity)
    if (severity > 5) throw OptionError(fmt::format("--severity: expected 0 to 5, found {}", severity));
  if (by_severity) return;
  if (!member.has_strengths())
    throw OptionError(by_strength ? fmt::format("--strength: {} has no strength; use --severity", name)
                                  : fmt::format("--severity is required for {}: 0 to 5", name));
  if (options.how != CorruptionChoice{})
    throw OptionError("--set, --variant and --frost-dir require --severity");
  if (member.needs_classes && options.classes.empty())
    throw OptionError(fmt::format("--classes is required: the classes that {} keeps", name));
  for (const double strength : options.strength) check_strength(member, strength);
}

std::vector<ShiftUnit> chosen(const ShiftTask& task) {
  const ShiftOptions& options = task.options;
  std::vector<ShiftUnit> all;
  for (const std::string& name : split(task.shift, ',')) {
    const auto member = std::ranges::find(shift::members(), name, &shift::Member::name);
    if (member == shift::members().end())
      throw OptionError(
          fmt::format("NAME: expected one of {}, found {}", names_of(shift::members()), in_quotes(name)));
    check_shift(*member, options);
    for (const std::size_t severity : options.severity) all.push_back({&*member, severity});
    for (const double strength : options.strength) all.push_back({&*member, {}, strength});
    if (options.severity.empty() && options.strength.empty())
      all.push_back({&*member, {}, member->strength().value});
  }
  return all;
}

PatternValues values_of(const ShiftUnit& one) {
  return {{"shift", std::string(one.member->name)},
          {"strength", one.severity ? "" : fmt::format("{:g}", one.strength)},
          {"severity", one.severity ? std::to_string(*one.severity) : ""}};
}

std::vector<NamedFile> files_of(const ShiftTask& task, const std::vector<ShiftUnit>& sets) {
  std::vector<PatternValues> values;
  for (const ShiftUnit& one : sets) values.push_back(values_of(one));
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

// Images before and after, in rows; for a shift that selects rows, the selected ones.
void write_sheet(const std::string& path, const Images& before, const ShiftedImages& after, bool selects_rows,
                 std::uint64_t seed) {
  constexpr std::size_t widest = 10, most = 30;
  const auto rows = data::rows_of_sheet(after.shape[0], most, seed);
  const std::size_t columns = std::min(widest, rows.size());
  data::PictureSheet sheet(before.channels(), before.height(), before.width(), columns);
  for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
    const std::size_t end = std::min(begin + columns, rows.size());
    if (!selects_rows) {
      for (std::size_t i = begin; i < end; ++i) sheet.add(before, rows[i]);
      for (std::size_t i = end; i < begin + columns; ++i) sheet.leave_empty();
    }
    for (std::size_t i = begin; i < end; ++i) sheet.add(after.block(rows[i], rows[i] + 1), 0);
  }
  write_png(path, sheet.bitmap());
}

void say_how(ShiftedSet& set, const ShiftTask& task, const ShiftUnit& one) {
  const shift::Member& member = *one.member;
  set.shift = member.name;
  if (one.severity) {
    set.severity = one.severity;
    set.use = use_of(task.options.how, task.images);
    set.defined = defined_on(member, task.images);
  } else if (!member.parameters.empty() && !task.options.groups) {
    set.strength = one.strength;
    set.strength_means = member.strength().meaning;
  }
}

// The group of every row under label noise, and the groups with their rates, nothing counted as changed yet.
struct PlannedNoise {
  std::vector<std::int32_t> codes;
  LabelNoise noise;
};

PlannedNoise planned_noise(const ShiftTask& task, double strength) {
  const std::size_t n = task.images.n();
  const std::optional<std::string>& file = task.options.groups;
  const std::vector<double>& rates = task.options.group_rates;
  if (!file) return {std::vector<std::int32_t>(n), {0, {{"", strength, n, 0}}}};
  const std::vector<GroupColumn> columns = read_groups(*file, {n, {}, task.images.path});
  if (columns.size() != 1) refuse(*file, "one column of groups", columns.size());
  const GroupColumn& column = columns.front();
  if (column.levels.size() != rates.size())
    refuse(*file, fmt::format("{} groups, one for each of --group-rates", rates.size()),
           fmt::format("{}: {}", column.levels.size(), fmt::join(column.levels, ", ")));
  PlannedNoise plan{column.codes, {}};
  for (std::size_t g = 0; g < rates.size(); ++g)
    plan.noise.groups.push_back({column.levels[g], rates[g], 0, 0});
  for (const std::int32_t code : plan.codes) ++plan.noise.groups[static_cast<std::size_t>(code)].n;
  return plan;
}

// Of a set whose pixels are kept.
struct KeptImages {
  Images images;
  ArrayMap arrays;  // beside them
};

KeptImages kept_images(const ShiftTask& task, const ShiftUnit& one, const shift::Options& how,
                       Progress* progress, ShiftedSet& set) {
  shift::Options options{one.strength, how.seed, how.classes};
  PlannedNoise plan;
  if (one.member->relabel != nullptr) plan = planned_noise(task, one.strength);
  for (const std::int32_t code : plan.codes)
    options.rates.push_back(plan.noise.groups[static_cast<std::size_t>(code)].rate);
  shift::Shifted kept = one.member->apply(task.images, options, progress);
  ArrayMap arrays = label_arrays(kept.images);
  const std::vector<std::int64_t>&before = *task.images.labels, &after = *kept.images.labels;
  set.rows_of_class = rows_of_class(before, after);
  if (one.member->relabel == nullptr) {
    arrays["rows"] =
        make_array({kept.rows.size()}, std::vector<std::int64_t>(kept.rows.begin(), kept.rows.end()));
    return {std::move(kept.images), std::move(arrays)};
  }
  arrays["y_source"] = make_array({before.size()}, before);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i])
      ++plan.noise.changed, ++plan.noise.groups[static_cast<std::size_t>(plan.codes[i])].changed;
  set.label_noise = std::move(plan.noise);
  return {std::move(kept.images), std::move(arrays)};
}

// A block of images at a time, which is gone when it is written: shifted pixels are never whole in memory, unless they are taken.
ShiftedSet shifted_set(const ShiftTask& task, const ShiftUnit& one, const shift::Options& how,
                       Progress* progress) {
  const Images& images = task.images;
  const bool selects_rows = one.member->select != nullptr, keeps_pixels = one.member->keeps_pixels();
  ShiftedSet set;
  set.out = filled_pattern(task.out, values_of(one));
  set.sheet = filled_pattern(task.sheet, values_of(one));
  set.n_source = images.n();
  say_how(set, task, one);
  KeptImages kept;
  if (keeps_pixels) kept = kept_images(task, one, how, progress, set);
  ArrayMap arrays = keeps_pixels ? std::move(kept.arrays) : label_arrays(images);
  const ShiftedImages after = keeps_pixels ? as_they_are(kept.images) : shifted(images, one, how);
  set.n = after.shape[0], set.shape = after.shape;
  if (!set.sheet.empty()) write_sheet(set.sheet, images, after, selects_rows, task.seed);
  Array x{after.type, after.shape, {}, {}};
  std::optional<NpzWriter> file;
  if (!set.out.empty()) file.emplace(set.out).begin("x", x.type, x.shape);
  const std::size_t image_bytes = images.pixels_per_image() * size_of(x.type);
  const auto taken = task.take ? allocate_bytes(set.n * image_bytes) : nullptr;
  double change = 0;
  for_blocks(after, {progress, "", 0, set.n, set.shift},
             [&](std::size_t begin, const Images& block, Progress*) {
               const std::span<const std::byte> bytes = block.pixels.bytes();
               if (file) file->append(bytes);
               if (taken) std::ranges::copy(bytes, taken.get() + begin * image_bytes);
               if (!keeps_pixels) change += sum_of_changes(images, block, begin);
             });
  if (!keeps_pixels) set.mean_change = change / static_cast<double>(x.size());
  if (file) {
    file->end();
    for (const auto& [name, array] : arrays) file->add(name, array);
    file->commit();
  }
  if (!task.take) return set;
  x.storage = taken;
  arrays["x"] = std::move(x);
  task.take(std::move(arrays));
  return set;
}

}  // namespace

std::vector<NamedFile> files_of(const ShiftTask& task) { return files_of(task, chosen(task)); }

Shift shift_images(const ShiftTask& task, Progress* progress) {
  const std::vector<ShiftUnit> sets = chosen(task);
  (void)files_of(task, sets);
  if (task.take && sets.size() > 1)
    throw OptionError(fmt::format("shift: expected one set, found {} shifts and strengths", sets.size()));
  const bool frost = std::ranges::any_of(sets, [](const ShiftUnit& one) { return one.member->takes_frost; });
  shift::Options how = options_of(task.options.how, frost, task.seed);
  how.classes = {task.options.classes.begin(), task.options.classes.end()};
  const TaskClock clock;
  Shift record;
  record.options = task.options;
  for (const ShiftUnit& one : sets) {
    if (progress != nullptr && sets.size() > 1)
      progress->update("sets", record.results.size(), sets.size(), "");
    record.results.push_back(shifted_set(task, one, how, progress));
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
