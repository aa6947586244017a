#include "leeway/tasks/shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/core/option_error.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

// Mean |x' - x| over all pixels.
double mean_change(const Images& before, const Images& after) {
  std::vector<float> was(before.pixels_per_image()), is(was.size());
  double sum = 0;
  for (std::size_t row = 0; row < before.n(); ++row) {
    before.copy_row(row, was);
    after.copy_row(row, is);
    for (std::size_t i = 0; i < was.size(); ++i) sum += std::abs(static_cast<double>(is[i]) - was[i]);
  }
  return sum / static_cast<double>(before.n() * was.size());
}

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

void write_shifted(const std::string& out, const shift::Member& member, const shift::Shifted& shifted) {
  if (!member.selects_rows) return write_images(out, shifted.images);
  const std::size_t n = shifted.images.n();
  write_npz(out, {{"x", shifted.images.pixels},
                  {"y", make_array(std::vector<std::size_t>{n}, *shifted.images.labels)},
                  {"rows", make_array(std::vector<std::size_t>{n},
                                      std::vector<std::int64_t>(shifted.rows.begin(), shifted.rows.end()))}});
}

// The member of that name, which the options go with.
const shift::Member& chosen(const std::string& name, const record::ShiftOptions& options) {
  const auto member = std::ranges::find(shift::members(), name, &shift::Member::name);
  if (member == std::end(shift::members()))
    throw OptionError(
        fmt::format("NAME: expected one of {}, found {}", names_of(shift::members()), in_quotes(name)));
  if (!member->selects_rows && !options.classes.empty())
    throw OptionError(fmt::format("--classes: {} does not look at classes", name));
  if (member->needs_classes && options.classes.empty())
    throw OptionError(fmt::format("--classes is required: the classes that {} keeps", name));
  const Parameter legal = member->strength();
  const double strength = options.strength.value_or(legal.value);
  if (strength >= legal.low && strength <= legal.high) return *member;
  throw OptionError(member->parameters.empty() ? fmt::format("--strength: {} has none", name)
                                               : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                             legal.low, legal.high, name, strength));
}

}  // namespace

record::Shift shift_images(const ShiftTask& task, Progress* progress) {
  const shift::Member& member = chosen(task.shift, task.options);
  const TaskClock clock;
  const Images images = task.open();
  const double strength = task.options.strength.value_or(member.strength().value);
  const auto& classes = task.options.classes;
  const shift::Shifted shifted =
      member.apply(images, {strength, task.seed, {classes.begin(), classes.end()}}, progress);
  write_shifted(task.out, member, shifted);
  record::Shift record;
  record.options = task.options;
  record::ShiftedSet& set = record.results.emplace_back();
  set.shift = member.name;
  if (!member.parameters.empty()) {
    set.strength = strength;
    set.strength_means = member.strength().meaning;
  }
  set.n = shifted.images.n();
  set.n_source = images.n();
  set.shape = shifted.images.pixels.shape;
  set.out = task.out;
  if (member.selects_rows)
    set.rows_of_class = rows_of_class(*images.labels, *shifted.images.labels);
  else
    set.mean_change = mean_change(images, shifted.images);
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
