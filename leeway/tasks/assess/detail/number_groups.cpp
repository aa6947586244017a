#include "leeway/tasks/assess/detail/number_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "leeway/core/csv.h"

namespace leeway::assess {
namespace {

// By level, NaN where it is missing; nothing where a level is no number.
std::optional<std::vector<double>> level_numbers(const GroupColumn& column) {
  std::vector<double> numbers;
  for (const std::string& level : column.levels) {
    const auto number =
        level.empty() ? std::optional(std::numeric_limits<double>::quiet_NaN()) : parse_number(level);
    if (!number || std::isinf(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool is_many(const std::vector<double>& numbers) {
  std::size_t known = 0;
  bool fractions = false;
  for (const double number : numbers)
    if (!std::isnan(number)) ++known, fractions |= number != std::floor(number);
  return known > (fractions ? most_fractions : most_categories);
}

std::vector<double> row_numbers(const GroupColumn& column, const std::vector<double>& levels) {
  std::vector<double> rows;
  for (const std::int32_t code : column.codes)
    if (const double number = levels[static_cast<std::size_t>(code)]; !std::isnan(number))
      rows.push_back(number);
  return rows;
}

struct Bins {
  std::vector<double> edges;       // the highest number of each bin but the last
  std::vector<std::string> names;  // the last: of missing numbers
};

Bins bins_of(std::vector<double> rows) {
  std::ranges::sort(rows);
  Bins bins;
  for (std::size_t j = 1; j < number_bins; ++j) {
    const double edge = rows[(j * rows.size() - 1) / number_bins];
    if (edge < rows.back() && (bins.edges.empty() || edge > bins.edges.back())) bins.edges.push_back(edge);
  }
  const std::vector<double>& edges = bins.edges;
  for (std::size_t j = 0; j < edges.size(); ++j)
    bins.names.push_back(j == 0 ? fmt::format("up to {}", edges[0])
                                : fmt::format("above {} to {}", edges[j - 1], edges[j]));
  bins.names.push_back(edges.empty() ? "all" : fmt::format("above {}", edges.back()));
  bins.names.emplace_back("missing");
  return bins;
}

void put_in_bins(GroupColumn& column, const std::vector<double>& levels, const Bins& bins) {
  std::vector<std::int32_t> bin;
  for (const double number : levels)
    bin.push_back(static_cast<std::int32_t>(
        std::isnan(number)
            ? bins.names.size() - 1
            : static_cast<std::size_t>(std::ranges::lower_bound(bins.edges, number) - bins.edges.begin())));
  for (std::int32_t& code : column.codes) code = bin[static_cast<std::size_t>(code)];
  const bool any_missing =
      std::ranges::find(column.codes, static_cast<std::int32_t>(bins.names.size() - 1)) != column.codes.end();
  column.levels.assign(bins.names.begin(), bins.names.end() - (any_missing ? 0 : 1));
}

// A column of one model's source or of one of its targets.
struct ColumnUse {
  GroupColumn* column;
  std::vector<tasks::AssessNumbers>* numbers;
  std::vector<double> levels;
};

// The column's uses, the source's first; none where it is not one of numbers.
std::vector<ColumnUse> uses_of(Task& task, Source& source, const std::string& name) {
  std::vector<ColumnUse> uses;
  bool numbers = true;
  const auto add = [&](std::vector<GroupColumn>& groups, std::vector<tasks::AssessNumbers>& beside) {
    const auto found = std::ranges::find(groups, name, &GroupColumn::name);
    if (found == groups.end()) return;
    auto levels = level_numbers(*found);
    numbers &= levels.has_value();
    if (levels) uses.push_back({&*found, &beside, std::move(*levels)});
  };
  add(source.outputs.groups, source.numbers);
  for (Target& target : task.targets)
    if (target.model == source.model) add(target.outputs.groups, target.numbers);
  if (!numbers || uses.empty() || !is_many(uses.front().levels)) return {};
  return uses;
}

}  // namespace

std::optional<Task> with_bins(const Task& task) {
  std::optional<Task> changed;
  for (std::size_t s = 0; s < task.sources.size(); ++s) {
    std::vector<std::string> names;
    const auto note = [&](const Outputs& outputs) {
      for (const GroupColumn& column : outputs.groups)
        if (column.levels.size() > most_fractions && std::ranges::find(names, column.name) == names.end())
          names.push_back(column.name);
    };
    note(task.sources[s].outputs);
    for (const Target& target : task.targets)
      if (target.model == task.sources[s].model) note(target.outputs);
    for (const std::string& name : names) {
      if (!changed) changed = task;
      const std::vector<ColumnUse> uses = uses_of(*changed, changed->sources[s], name);
      if (uses.empty()) continue;
      const Bins bins = bins_of(row_numbers(*uses.front().column, uses.front().levels));
      for (const ColumnUse& use : uses) {
        use.numbers->push_back({name, row_numbers(*use.column, use.levels)});
        put_in_bins(*use.column, use.levels, bins);
      }
    }
  }
  return changed;
}

}  // namespace leeway::assess
