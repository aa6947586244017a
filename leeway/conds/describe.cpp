#include "leeway/conds/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "leeway/core/contingency.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::conds {
namespace {

// Replicates of a number, in parallel; replicate b uses Random(seed, stream, b).
std::vector<double> replicates(const DescribeOptions& options, std::uint32_t stream,
                               const std::function<double(Random&)>& number) {
  std::vector<double> values(options.bootstrap);
  parallel_for(values.size(), [&](std::size_t b) {
    Random random(options.seed, stream, b);
    values[b] = number(random);
  });
  std::ranges::sort(values);
  return values;
}

Interval ends(const std::vector<double>& sorted, double level) {
  if (sorted.empty()) return {std::nan(""), std::nan("")};
  return {quantile(sorted, (1 - level) / 2), quantile(sorted, (1 + level) / 2)};
}

// An interval that holds the value, which percentiles of a corrected number may miss by a hair.
Estimate measure(double value, Interval interval) {
  return {value, {std::min(interval.low, value), std::max(interval.high, value)}};
}

// Streams of one column: its name, not its position, so that other columns change nothing.
std::uint32_t stream_of(std::string_view purpose, std::string_view column) {
  return stream(fmt::format("describe {} {}", purpose, column));
}

// Of a statistic under tables of the same margins.
double permutation_p(const Contingency& table, const Statistic& statistic, const DescribeOptions& options,
                     std::uint32_t key) {
  return chance_p(
      table, statistic, [&](Random& random) { return permuted(random, table); }, options.permutations,
      options.seed, key);
}

std::vector<std::size_t> count_values(const Attribute& column) {
  std::vector<std::size_t> counts(column.values.size());
  for (const std::uint16_t code : column.codes) ++counts[code];
  return counts;
}

std::size_t occurring(const std::vector<std::size_t>& counts) {
  return counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0u));
}

Contingency pairs_of(const AttributeTable& table, const Attribute& attribute) {
  return count_pairs(table.label.codes, table.label.values.size(), attribute.codes, attribute.values.size());
}

std::optional<Correlation> correlation(const AttributeTable& table, const Attribute& attribute,
                                       std::string_view set, const DescribeOptions& options) {
  const Contingency pairs = pairs_of(table, attribute);
  if (occurring(count_values(table.label)) < 2 || occurring(count_values(attribute)) < 2) return std::nullopt;
  const auto interval = [&](std::string_view purpose, double (*number)(const Contingency&, int)) {
    return ends(replicates(options, stream_of(fmt::format("{} {}", set, purpose), attribute.name),
                           [&](Random& random) { return number(resampled(random, pairs), 2); }),
                options.level);
  };
  Correlation result;
  result.v = measure(corrected_v(pairs), interval("correlation", corrected_v));
  result.information = measure(corrected_information(pairs), interval("correlation", corrected_information));
  result.p = permutation_p(pairs, phi_squared, options,
                           stream_of(fmt::format("{} independence", set), attribute.name));
  return result;
}

// With the test that it is 0.
std::pair<Estimate, Test> change_of_v(const AttributeTable& source, const AttributeTable& target,
                                      std::size_t attribute, const DescribeOptions& options) {
  const Contingency before = pairs_of(source, source.attributes[attribute]),
                    after = pairs_of(target, target.attributes[attribute]);
  const auto drawn =
      replicates(options, stream_of("change", source.attributes[attribute].name), [&](Random& random) {
        const double v = corrected_v(resampled(random, before), 2);
        return v - corrected_v(resampled(random, after), 2);
      });
  const auto not_above = std::ranges::upper_bound(drawn, 0.) - drawn.begin();
  const auto not_below = drawn.end() - std::ranges::lower_bound(drawn, 0.);
  const auto share_of = [&](std::ptrdiff_t replicates) {
    return static_cast<double>(1 + replicates) / static_cast<double>(1 + drawn.size());
  };
  return {measure(corrected_v(before) - corrected_v(after), ends(drawn, options.level)),
          Test{std::min(1., 2 * std::min(share_of(not_above), share_of(not_below)))}};
}

double imbalance(std::span<const std::uint64_t> counts) {
  const auto n = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double entropy = 0;
  for (const std::uint64_t count : counts)
    if (count > 0) entropy -= static_cast<double>(count) / n * std::log(static_cast<double>(count) / n);
  return std::clamp(1 - entropy / std::log(static_cast<double>(counts.size())), 0., 1.);
}

double total_variation(const Contingency& table) {
  const auto sums = table.row_sums();
  double sum = 0;
  for (std::size_t j = 0; j < table.columns; ++j) {
    const double second = table.rows == 2 ? static_cast<double>(table.at(1, j)) / static_cast<double>(sums[1])
                                          : 1 / static_cast<double>(table.columns);
    sum += std::abs(static_cast<double>(table.at(0, j)) / static_cast<double>(sums[0]) - second);
  }
  return sum / 2;
}

double chi_square_of_uniform(const Contingency& table) {
  const double expected = static_cast<double>(table.n()) / static_cast<double>(table.columns);
  double sum = 0;
  for (const std::uint64_t count : table.counts)
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) / expected;
  return sum;
}

// Counts of the values that the source has: of the source, and of the target where there is one.
std::optional<Drift> drift_of(const ColumnShift& column, bool with_target, const DescribeOptions& options) {
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < column.values.size(); ++i)
    if (column.source_counts[i] > 0) seen.push_back(i);
  if (seen.size() < 2) return std::nullopt;
  Contingency table{1, seen.size(), {}};
  for (const std::size_t i : seen) table.counts.push_back(column.source_counts[i]);
  if (with_target) {
    table.rows = 2;
    for (const std::size_t i : seen) table.counts.push_back(column.target_counts[i]);
    if (table.row_sums()[1] == 0) return std::nullopt;
  }
  const auto row = [&](std::size_t i) {
    return std::span(table.counts).subspan(i * seen.size(), seen.size());
  };

  Drift drift;
  drift.source_imbalance = imbalance(row(0));
  if (with_target) drift.target_imbalance = imbalance(row(1));
  const auto sums = table.row_sums();
  double largest = -1;
  for (std::size_t j = 0; j < seen.size(); ++j) {
    const double source = static_cast<double>(table.at(0, j)) / static_cast<double>(sums[0]);
    const double target = with_target ? static_cast<double>(table.at(1, j)) / static_cast<double>(sums[1])
                                      : 1 / static_cast<double>(seen.size());
    const double gap = std::abs(source - target);
    const bool equal = std::abs(gap - largest) < 1e-12;
    if (equal ? source >= drift.source_share : gap < largest) continue;
    largest = gap;
    drift.value = column.values[seen[j]];
    drift.source_share = source;
    drift.target_share = target;
  }
  const double distance = total_variation(table);
  const Interval drawn =
      ends(replicates(options, stream_of("distance", column.name),
                      [&](Random& random) {
                        Contingency copy{table.rows, table.columns, {}};
                        for (std::size_t i = 0; i < table.rows; ++i) {
                          const Contingency one{1, table.columns, {row(i).begin(), row(i).end()}};
                          const Contingency again = resampled(random, one);
                          copy.counts.insert(copy.counts.end(), again.counts.begin(), again.counts.end());
                        }
                        return total_variation(copy);
                      }),
           options.level);
  // As far below as the replicates reach above: a distance cannot be negative, so those of samples are too
  // large, and percentiles would leave 0 out where there is no difference.
  const double reach = std::max(0., drawn.high - distance);
  drift.distance = {distance, {std::max(0., distance - reach), std::min(1., distance + reach)}};
  const std::uint32_t key = stream_of("shares", column.name);
  if (with_target) {
    drift.test.p = permutation_p(table, phi_squared, options, key);
  } else {
    const std::vector<std::uint64_t> uniform(seen.size(), 1);
    drift.test.p = chance_p(
        table, chi_square_of_uniform, [&](Random& random) { return drawn_from(random, table, uniform); },
        options.permutations, options.seed, key);
  }
  return drift;
}

// Rows of the second row of a table whose column the first row lacks.
double unseen_rows(const Contingency& table) {
  std::uint64_t count = 0;
  for (std::size_t j = 0; j < table.columns; ++j)
    if (table.at(0, j) == 0) count += table.at(1, j);
  return static_cast<double>(count);
}

Estimate share(std::size_t count, std::size_t n, double level) {
  return {static_cast<double>(count) / static_cast<double>(n), clopper_pearson(count, n, level)};
}

Unseen unseen_of(const ColumnShift& column, const DescribeOptions& options) {
  Contingency table{2, column.values.size(), {}};
  for (const auto* counts : {&column.source_counts, &column.target_counts})
    table.counts.insert(table.counts.end(), counts->begin(), counts->end());
  Unseen unseen;
  for (std::size_t j = 0; j < table.columns; ++j)
    if (table.at(0, j) == 0 && table.at(1, j) > 0) unseen.values.push_back(column.values[j]);
  unseen.mass = share(static_cast<std::size_t>(unseen_rows(table)), table.row_sums()[1], options.level);
  if (!unseen.values.empty())
    unseen.test.p = permutation_p(table, unseen_rows, options, stream_of("unseen", column.name));
  return unseen;
}

// Every test of a description, in order.
std::vector<Test*> tests_of(Description& description) {
  std::vector<Test*> tests;
  for (ColumnShift& column : description.columns) {
    if (column.sc) tests.push_back(&column.sc->test);
    if (column.drift) tests.push_back(&column.drift->test);
    if (column.unseen) tests.push_back(&column.unseen->test);
  }
  return tests;
}

void adjust(const std::vector<Test*>& tests) {
  std::vector<double> p;
  for (const Test* test : tests) p.push_back(test->p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i]->adjusted = adjusted[i];
}

std::string shown(const Estimate& measure) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", measure.value, measure.interval.low, measure.interval.high);
}

std::string list_of(const std::vector<std::string>& values) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i) names.push_back(printable(values[i]));
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return values.size() <= most ? text : fmt::format("{} and {} more", text, values.size() - most);
}

// "40% (33–47)"
std::string in_percent(const Estimate& share) {
  return value_words({share.value, share.interval.low, share.interval.high}, true);
}

void add_findings(Description& description, const DescribeOptions& options) {
  const double alpha = 1 - options.level;
  const bool paired = description.n_target.has_value();
  const std::string label = printable(description.columns.front().name);  // where there are correlations
  for (const ColumnShift& column : description.columns) {
    const std::string name = printable(column.name);
    const auto& sc = column.sc;
    if (sc && sc->test.adjusted <= alpha &&
        (!sc->change_test || (sc->change_test->adjusted <= alpha && sc->change->value > 0)))
      description.findings.push_back(
          {ShiftKind::sc, column.name, sc->change ? sc->change->value : sc->source.v.value,
           fmt::format("spurious correlation: {} and {} are correlated{} (Cramer's V {}{})", label, name,
                       paired ? " in the source" : "", shown(sc->source.v),
                       sc->target ? fmt::format(", target {:.2f}", sc->target->v.value) : "")});
    if (column.drift && column.drift->test.adjusted <= alpha)
      description.findings.push_back(
          {ShiftKind::ldd, column.name, column.drift->distance.value,
           fmt::format("low data drift: {} = {} is {} of the {}, {} {} (distance between the shares {})",
                       name, printable(column.drift->value), percent(column.drift->source_share, 1),
                       paired ? "source" : "rows", percent(column.drift->target_share, 1),
                       !paired                         ? "if all values were equally frequent"
                       : column.unseen->values.empty() ? "of the target"
                                                       : "of the target, among values that the source has",
                       in_percent(column.drift->distance))});
    if (column.unseen && column.unseen->test.adjusted <= alpha)
      description.findings.push_back(
          {ShiftKind::uds, column.name, column.unseen->mass.value,
           fmt::format("unseen data: {} of the target has {} = {}, which the source never has",
                       in_percent(column.unseen->mass), name, list_of(column.unseen->values))});
  }
  std::ranges::stable_sort(description.findings, std::greater(), &Finding::strength);
}

void check_describe_options(const DescribeOptions& options) {
  if (!(options.level > 0 && options.level < 1))
    refuse("describe: level", "a number between 0 and 1", fmt::format("{}", options.level));
}

Estimate unseen_cell_mass(const AttributeTable& source, const AttributeTable& target, double level) {
  const Cells cells(source);
  const auto before = cells.counts(source), after = cells.counts(target);
  std::size_t count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (before[i] == 0) count += after[i];
  return share(count, target.n(), level);
}

}  // namespace

std::string_view name_of(ShiftKind kind) {
  return kind == ShiftKind::sc ? "SC" : kind == ShiftKind::ldd ? "LDD" : "UDS";
}

Description describe(const AttributeTable& source, const AttributeTable* target,
                     const DescribeOptions& options) {
  check_describe_options(options);
  check(source);
  Description description;
  description.n_source = source.n();
  if (target) {
    check(*target);
    description.n_target = target->n();
    if (target->has_label() != source.has_label())
      refuse(target->name, fmt::format("{} label, as in {}", source.has_label() ? "a" : "no", source.name),
             target->has_label() ? "one" : "none");
    if (target->attributes.size() != source.attributes.size())
      refuse(target->name, fmt::format("{} attributes, as in {}", source.attributes.size(), source.name),
             target->attributes.size());
    description.unseen_cells = unseen_cell_mass(source, *target, options.level);
  }
  const auto add = [&](const Attribute& column, const Attribute* other, bool is_label) {
    if (other && (other->name != column.name || other->values != column.values))
      refuse(target->name, fmt::format("the values of {} in {}", in_quotes(column.name), source.name),
             "others");
    ColumnShift result;
    result.name = column.name;
    result.is_label = is_label;
    result.values = column.values;
    result.source_counts = count_values(column);
    if (other) result.target_counts = count_values(*other);
    result.drift = drift_of(result, other != nullptr, options);
    if (other) result.unseen = unseen_of(result, options);
    description.columns.push_back(std::move(result));
  };
  if (source.has_label()) add(source.label, target ? &target->label : nullptr, true);
  for (std::size_t i = 0; i < source.attributes.size(); ++i) {
    add(source.attributes[i], target ? &target->attributes[i] : nullptr, false);
    if (!source.has_label()) continue;
    const auto before = correlation(source, source.attributes[i], "source", options);
    if (!before) continue;
    SpuriousCorrelation& sc = description.columns.back().sc.emplace();
    sc.source = *before;
    sc.test.p = before->p;
    if (target) sc.target = correlation(*target, target->attributes[i], "target", options);
    // A target with one label or value has no correlation to compare with.
    if (!sc.target) continue;
    std::tie(sc.change, sc.change_test) = change_of_v(source, *target, i, options);
  }
  const auto tests = tests_of(description);
  adjust(tests);
  std::vector<Test*> changes;
  for (ColumnShift& column : description.columns)
    if (column.sc && column.sc->change_test) changes.push_back(&*column.sc->change_test);
  adjust(changes);
  description.tests = tests.size();
  add_findings(description, options);
  return description;
}

AccuracyOfCells accuracy_of_cells(const AttributeTable& table, const Cells& cells,
                                  std::span<const std::uint8_t> correct, const DescribeOptions& options) {
  check_describe_options(options);
  if (correct.size() != table.n())
    refuse(table.name, fmt::format("{} predictions, one for each row", table.n()), correct.size());
  Contingency counts{2, cells.size(), std::vector<std::uint64_t>(2 * cells.size())};
  const auto cell_of = cells.of_rows(table);
  for (std::size_t i = 0; i < cell_of.size(); ++i)
    ++counts.counts[(correct[i] ? 0 : cells.size()) + cell_of[i]];
  AccuracyOfCells result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t right = counts.at(0, i), n = right + counts.at(1, i);
    if (n == 0) continue;
    const Estimate accuracy = share(right, n, options.level);
    result.cells.push_back({i, n, right, accuracy.value, accuracy.interval});
  }
  std::ranges::sort(result.cells, [](const CellAccuracy& a, const CellAccuracy& b) {
    return std::tuple(a.accuracy, b.n, a.cell) < std::tuple(b.accuracy, a.n, b.cell);
  });
  // Cells without rows left out: they cost and change nothing.
  Contingency occupied{2, result.cells.size(), {}};
  for (const std::size_t row : {0, 1})
    for (const CellAccuracy& cell : result.cells) occupied.counts.push_back(counts.at(row, cell.cell));
  result.p = permutation_p(occupied, phi_squared, options, stream("describe accuracy"));
  return result;
}

}  // namespace leeway::conds
