#include "leeway/tasks/average_case/robustness.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <string_view>

#include "leeway/core/rows.h"

namespace leeway::tasks {
namespace {

using average_case::Column;

constexpr std::size_t ranked = 6;  // samples at each end of a class

Survival survival_of(const Column& column, double level) {
  Survival result;
  result.method = column.estimator->name, result.sigma = column.sigma;
  result.probability = column.estimator->probability;
  result.p = average_case::distribution(column.p, level);
  if (!column.error.empty()) {
    result.error = *std::ranges::max_element(column.error);
    result.not_converged = column.not_converged;
  }
  if (column.estimator->gradients) {
    result.left_out = column.left_out;
    result.zero_gradient = static_cast<double>(column.zero_gradients) /
                           static_cast<double>(std::max<std::size_t>(column.p.size(), 1));
  }
  if (!column.draws.empty())
    result.draws = std::accumulate(column.draws.begin(), column.draws.end(), std::size_t{0});
  result.seconds = column.seconds, result.model_seconds = column.model_seconds;
  result.flops = column.flops, result.peak_bytes = column.peak_bytes;
  return result;
}

// What the methods that were computed are, each once.
std::vector<MethodWords> methods_of(const std::vector<Column>& columns, bool copies_as_published) {
  std::vector<MethodWords> methods;
  for (const Column& column : columns) {
    const average_case::Estimator& one = *column.estimator;
    if (std::ranges::find(methods, one.name, &MethodWords::method) != methods.end()) continue;
    const bool published = copies_as_published && one.name.starts_with("mmse");
    methods.push_back(
        {std::string(one.name),
         std::string(one.summary) + (published ? "; copies drawn independently, as published" : ""),
         std::string(one.source), one.probability});
  }
  return methods;
}

// The method to rank and compare classes by: the most accurate one computed; Monte Carlo if gradients are 0.
std::string leading_of(const Robustness& found) {
  const bool blind = !gradient_warnings(found).empty();
  for (const std::string_view name :
       {blind ? "mc" : "mmse", "mmse", "taylor", "mc", "mmse-mvs", "taylor-mvs", "softmax"})
    if (std::ranges::find(found.methods, name, &MethodWords::method) != found.methods.end())
      return std::string(name);
  return "";
}

struct Classes {
  std::span<const std::int64_t> of;  // of every row
  std::size_t k;
  const std::vector<std::string>& names;

  [[nodiscard]] std::string name(std::size_t c) const {
    return names.empty() ? fmt::format("{}", c) : names[c];
  }
};

ClassComparison comparison_of(const Column& column, const Classes& classes, double level) {
  const average_case::ClassBias bias = average_case::class_bias(column.p, classes.of, classes.k, level);
  ClassComparison comparison{std::string(column.estimator->name), column.sigma, bias.p_value, {}};
  for (const average_case::ClassDistribution& one : bias.classes)
    comparison.classes.push_back({classes.name(static_cast<std::size_t>(one.label)), one});
  return comparison;
}

// The least and the most robust samples of every class; by row where tied.
Ranking ranking_of(const Column& column, const Classes& classes, const average_case::AverageCase& cases) {
  std::vector<std::size_t> order = all_rows(column.p.size());
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return column.p[row]; });
  const auto sample = [&](std::size_t row) {
    return RankedSample{row, column.p[row], static_cast<std::size_t>(cases.targets[row]),
                        cases.confidence[row]};
  };
  Ranking ranking{std::string(column.estimator->name), column.sigma, {}};
  for (std::size_t c = 0; c < classes.k; ++c) {
    std::vector<std::size_t> rows;
    for (const std::size_t row : order)
      if (classes.of[row] == static_cast<std::int64_t>(c)) rows.push_back(row);
    if (rows.empty()) continue;
    RankedClass one{c, classes.name(c), {}, {}};
    for (std::size_t i = 0; i < std::min(ranked, rows.size()); ++i) {
      one.least.push_back(sample(rows[i]));
      one.most.push_back(sample(rows[rows.size() - 1 - i]));
    }
    ranking.classes.push_back(std::move(one));
  }
  return ranking;
}

}  // namespace

Robustness robustness_of(const average_case::AverageCase& cases, std::size_t k,
                         const std::optional<std::vector<std::int64_t>>& labels,
                         const std::vector<std::string>& class_names, const AverageCaseOptions& options,
                         std::uint64_t seed) {
  Robustness found;
  found.options = options;
  found.n = cases.targets.size(), found.k = k, found.labels = labels.has_value();
  found.methods = methods_of(cases.columns, options.copies_as_published);
  for (const Column& column : cases.columns) found.results.push_back(survival_of(column, options.level));
  found.leading = leading_of(found);
  found.seconds_in_all = cases.seconds, found.model_seconds_in_all = cases.model_seconds;
  const std::vector<std::int64_t> grouped =
      labels ? *labels : std::vector<std::int64_t>(cases.targets.begin(), cases.targets.end());
  const Classes classes{grouped, k, class_names};
  for (const Column& column : cases.columns) {
    const auto truth = std::ranges::find_if(cases.columns, [&](const Column& other) {
      return other.estimator->name == "mc" && other.sigma == column.sigma;
    });
    if (truth != cases.columns.end() && &*truth != &column)
      found.against_monte_carlo.push_back(
          {std::string(column.estimator->name), column.sigma,
           average_case::against_monte_carlo(column, *truth, options.level, seed)});
    if (column.estimator->name != found.leading || k > most_compared) continue;
    found.class_bias.push_back(comparison_of(column, classes, options.level));
    found.ranking.push_back(ranking_of(column, classes, cases));
  }
  return found;
}

std::vector<GroupComparison> groups_of(const average_case::AverageCase& cases, const Robustness& found,
                                       const std::vector<GroupColumn>& groups) {
  std::vector<GroupComparison> comparisons;
  for (const GroupColumn& group : groups) {
    const std::size_t levels = group.levels.size();
    if (levels < 2 || levels > most_compared) continue;
    const std::vector<std::int64_t> codes(group.codes.begin(),
                                          group.codes.begin() + static_cast<std::ptrdiff_t>(found.n));
    const Classes values{codes, levels, group.levels};
    for (const Column& column : cases.columns)
      if (column.estimator->name == found.leading)
        comparisons.push_back({group.name, comparison_of(column, values, found.options.level)});
  }
  return comparisons;
}

}  // namespace leeway::tasks
