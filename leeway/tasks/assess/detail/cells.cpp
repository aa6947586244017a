#include "leeway/tasks/assess/detail/cells.h"

#include <algorithm>

#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {
namespace {

using tasks::AssessCell;

struct Count {
  std::size_t n = 0, correct = 0, same = 0, source_n = 0, source_correct = 0;
};

// Counts rows by a key of each target row and each source row, leaving out keys >= counts.size().
template <class TargetKey, class SourceKey>
std::vector<Count> count_rows(const Side& source, const Side& target, std::size_t keys,
                              const TargetKey& target_key, const SourceKey& source_key, bool paired) {
  std::vector<Count> counts(keys);
  for (std::size_t i = 0; i < target.predicted.size(); ++i) {
    const std::size_t key = target_key(i);
    if (key >= keys) continue;
    Count& count = counts[key];
    ++count.n;
    if (!target.labels.empty()) count.correct += target.predicted[i] == target.labels[i];
    if (paired) count.same += target.predicted[i] == source.predicted[i];
  }
  for (std::size_t i = 0; i < source.labels.size(); ++i) {
    const std::size_t key = source_key(i);
    if (key >= keys) continue;
    ++counts[key].source_n;
    counts[key].source_correct += source.predicted[i] == source.labels[i];
  }
  return counts;
}

AssessCell make_cell(const Count& count, bool labelled, const CellOptions& options) {
  AssessCell cell;
  cell.n = count.n;
  cell.source_n = count.source_n;
  if (labelled && count.n > 0) cell.accuracy = share(count.correct, count.n, options.level);
  if (options.paired && count.n > 0) cell.afr_pred = share(count.same, count.n, options.level);
  if (count.source_n > 0) cell.source_accuracy = share(count.source_correct, count.source_n, options.level);
  return cell;
}

// What cells are sorted by; those without rows come last.
double badness(const AssessCell& cell) {
  if (cell.accuracy.value) return *cell.accuracy.value;
  return cell.afr_pred.value.value_or(infinity);
}

void sort_worst_first(std::vector<AssessCell>& cells) { std::ranges::stable_sort(cells, {}, badness); }

constexpr std::size_t max_crossed =
    200000;  // counters for class x level; beyond that the attribute is not crossed

std::vector<AssessCell> attribute_cells(const Side& source, const Side& target, const GroupColumn& column,
                                        const CellOptions& options) {
  const std::size_t levels = column.levels.size(), k = options.class_names.size();
  const bool labelled = !target.labels.empty();
  // For each level of the source's column of the same name, its place in `column`; `levels` if `column` lacks it.
  const auto other = std::ranges::find(*source.groups, column.name, &GroupColumn::name);
  std::vector<std::size_t> places;
  if (other != source.groups->end())
    for (const std::string& level : other->levels)
      places.push_back(
          static_cast<std::size_t>(std::ranges::find(column.levels, level) - column.levels.begin()));
  // With labels, rows without one are in no cell.
  const auto target_level = [&](std::size_t i) {
    return labelled && target.labels[i] == no_label ? levels : static_cast<std::size_t>(column.codes[i]);
  };
  const auto source_level = [&](std::size_t i) {
    return places.empty() || source.labels[i] == no_label ? levels
                                                          : places[static_cast<std::size_t>(other->codes[i])];
  };
  std::vector<AssessCell> cells;
  const auto add = [&](const Count& count, const std::string& group, std::string name) {
    AssessCell& cell = cells.emplace_back(make_cell(count, labelled, options));
    cell.group = group;
    cell.name = std::move(name);
  };
  const auto alone = count_rows(source, target, levels, target_level, source_level, options.paired);
  for (std::size_t level = 0; level < levels; ++level) add(alone[level], column.name, column.levels[level]);
  if (labelled && levels <= max_crossed / k) {
    const auto cross = [&](const Side& side, const auto& level_of) {
      return [&side, &level_of, levels, k](std::size_t i) {
        const std::size_t level = level_of(i);
        return level < levels ? static_cast<std::size_t>(side.labels[i]) * levels + level : k * levels;
      };
    };
    const auto crossed = count_rows(source, target, k * levels, cross(target, target_level),
                                    cross(source, source_level), options.paired);
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t level = 0; level < levels; ++level)
        if (crossed[j * levels + level].n > 0)
          add(crossed[j * levels + level], "class / " + column.name,
              options.class_names[j] + " / " + column.levels[level]);
  }
  sort_worst_first(cells);
  if (cells.size() > max_cells_per_attribute) cells.resize(max_cells_per_attribute);
  return cells;
}

}  // namespace

std::vector<AssessCell> class_cells(const Side& source, const Side& target, const CellOptions& options) {
  const bool labelled = !target.labels.empty();
  if (!labelled && !options.paired) return {};
  const std::size_t k = options.class_names.size();
  const auto key = [&](std::size_t i) {
    return static_cast<std::size_t>(labelled ? target.labels[i] : source.predicted[i]);
  };
  const auto source_key = [&](std::size_t i) {
    return labelled ? static_cast<std::size_t>(source.labels[i]) : k;
  };
  const auto counts = count_rows(source, target, k, key, source_key, options.paired);
  std::vector<AssessCell> cells;
  for (std::size_t j = 0; j < k; ++j) {
    cells.push_back(make_cell(counts[j], labelled, options));
    cells.back().name = options.class_names[j];
    cells.back().index = j;
  }
  sort_worst_first(cells);
  return cells;
}

std::vector<AssessCell> group_cells(const Side& source, const Side& target, const CellOptions& options) {
  std::vector<AssessCell> cells;
  if (!target.groups || (target.labels.empty() && !options.paired)) return cells;
  for (const GroupColumn& column : *target.groups)
    for (AssessCell& cell : attribute_cells(source, target, column, options))
      cells.push_back(std::move(cell));
  sort_worst_first(cells);
  return cells;
}

}  // namespace leeway::assess
