#include "leeway/tasks/assess/detail/cells.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "leeway/core/random.h"
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

std::uint64_t code(std::int32_t from, std::int32_t to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

constexpr std::size_t dense_cells = 1 << 22;  // beyond that only cells with rows are held

struct Half {
  std::size_t n = 0, right = 0;
};

// Columns (the same twice: one), the values of both, and what either half holds.
struct Found {
  std::array<std::size_t, 2> columns{}, values{};
  Half search, measure;
  double upper = 1;  // of the search half
};

class Search {
 public:
  Search(const std::vector<GroupColumn>& columns, std::span<const std::uint8_t> correct,
         const SubgroupOptions& options)
      : columns_(columns), correct_(correct), options_(options), searches_(correct.size()) {
    for (std::size_t row = 0; row < correct.size(); ++row)
      searches_[row] = Random(options.seed, stream("subgroups"), row).bits() & 1;
  }

  [[nodiscard]] std::vector<Found> cells(std::size_t a, std::size_t b) const {
    const std::size_t second = a == b ? 1 : columns_[b].levels.size();
    const auto key_of = [&](std::size_t row) {
      return static_cast<std::size_t>(columns_[a].codes[row]) * second +
             (a == b ? 0 : static_cast<std::size_t>(columns_[b].codes[row]));
    };
    std::vector<Found> cells;
    const auto add = [&](std::size_t key, const Half& search, const Half& measure) {
      if (search.n < options_.least || measure.n < options_.least) return;
      cells.push_back({{a, b},
                       {key / second, key % second},
                       search,
                       measure,
                       wilson(search.right, search.n, options_.level).high});
    };
    const std::size_t keys = columns_[a].levels.size() * second;
    if (keys <= dense_cells) {
      std::vector<std::array<Half, 2>> halves(keys);
      for (std::size_t row = 0; row < correct_.size(); ++row) count(halves[key_of(row)], row);
      for (std::size_t key = 0; key < keys; ++key) add(key, halves[key][1], halves[key][0]);
      return cells;
    }
    std::map<std::size_t, std::array<Half, 2>> halves;
    for (std::size_t row = 0; row < correct_.size(); ++row) count(halves[key_of(row)], row);
    for (const auto& [key, both] : halves) add(key, both[1], both[0]);
    return cells;
  }

  [[nodiscard]] Half measured() const {
    std::array<Half, 2> halves;
    for (std::size_t row = 0; row < correct_.size(); ++row) count(halves, row);
    return halves[0];
  }

 private:
  void count(std::array<Half, 2>& halves, std::size_t row) const {
    Half& half = halves[searches_[row]];
    ++half.n, half.right += correct_[row];
  }

  const std::vector<GroupColumn>& columns_;
  std::span<const std::uint8_t> correct_;
  const SubgroupOptions& options_;
  std::vector<std::uint8_t> searches_;
};

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

std::vector<tasks::AssessTopFlip> top_flips(std::span<const std::int32_t> clean,
                                            std::span<const std::int32_t> shifted) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < clean.size(); ++i)
    if (clean[i] != shifted[i]) ++counts[code(clean[i], shifted[i])];
  std::vector<tasks::AssessTopFlip> flips;
  for (const auto& [pair, count] : counts) flips.push_back({pair >> 32, pair & 0xffffffff, count});
  std::ranges::sort(flips, {}, [](const tasks::AssessTopFlip& flip) {
    return std::tuple(~flip.count, flip.from, flip.to);  // the largest count first
  });
  if (flips.size() > max_top_flips) flips.resize(max_top_flips);
  return flips;
}

std::vector<std::size_t> choose_flips(const TargetRows& rows, std::size_t count) {
  struct Flip {
    std::uint64_t classes = 0;
    double confidence = 0;
    std::size_t row = 0, round = 0;
  };
  std::vector<Flip> flips;
  for (std::size_t i = 0; count > 0 && i < rows.clean_classes.size(); ++i)
    if (rows.clean_classes[i] != rows.shifted_classes[i])
      flips.push_back({code(rows.clean_classes[i], rows.shifted_classes[i]),
                       rows.clean_confidences[i] * rows.shifted_confidences[i], i});
  std::ranges::sort(flips, {}, [](const Flip& f) { return std::tuple(f.classes, -f.confidence, f.row); });
  for (std::size_t i = 1; i < flips.size(); ++i)
    if (flips[i].classes == flips[i - 1].classes) flips[i].round = flips[i - 1].round + 1;
  std::ranges::sort(flips, {}, [](const Flip& f) { return std::tuple(f.round, -f.confidence, f.row); });
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, flips.size()); ++i) chosen.push_back(flips[i].row);
  return chosen;
}

tasks::AssessSubgroups weakest_subgroups(const std::vector<GroupColumn>& columns,
                                         std::span<const std::uint8_t> correct,
                                         const SubgroupOptions& options) {
  tasks::AssessSubgroups result;
  result.columns = columns.size(), result.least_rows = options.least;
  const Search search(columns, correct, options);
  std::vector<Found> all;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a; b < columns.size(); ++b)
      for (const Found& one : search.cells(a, b)) all.push_back(one);
  result.searched = all.size();
  std::ranges::stable_sort(all, {}, &Found::upper);
  all.resize(std::min(all.size(), options.listed));
  const Half whole = search.measured();
  const double each = 1 - (1 - options.level) / static_cast<double>(std::max<std::size_t>(1, all.size()));
  for (const Found& one : all) {
    tasks::Subgroup& group = result.list.emplace_back();
    for (std::size_t i = 0; i < (one.columns[0] == one.columns[1] ? 1u : 2u); ++i) {
      group.columns.push_back(columns[one.columns[i]].name);
      group.values.push_back(columns[one.columns[i]].levels[one.values[i]]);
    }
    group.n = one.measure.n, group.search_n = one.search.n;
    group.accuracy = share(one.measure.right, one.measure.n, each);
    if (whole.n == one.measure.n) continue;  // no other rows
    group.difference = unpaired_difference(whole.right - one.measure.right, whole.n - one.measure.n,
                                           one.measure.right, one.measure.n, each);
    group.clear = clearly_lower(group.difference);
  }
  return result;
}

}  // namespace leeway::assess
