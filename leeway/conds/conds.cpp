#include "leeway/conds/conds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::conds {
namespace {

constexpr std::size_t most_samples = 1'000'000'000;  // a cell, so that sums cannot overflow

// A random order of the cells that depends on the seed, the case and the cells' numbers alone.
std::uint32_t rank_of(std::size_t cell, const ConDSCase& shifts, std::uint64_t seed) {
  const auto place = [](const std::optional<std::size_t>& attribute) {
    return attribute ? static_cast<std::uint32_t>(*attribute + 1) : 0u;
  };
  const std::uint32_t which = place(shifts.sc) | place(shifts.ldd) << 10 | place(shifts.uds) << 20;
  return philox4x32_10({static_cast<std::uint32_t>(cell), stream("conds counterexamples"), which, 0},
                       {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[0];
}

bool any_twice(const ConDSCase& shifts) {
  const auto same = [](const auto& a, const auto& b) { return a && a == b; };
  return same(shifts.sc, shifts.ldd) || same(shifts.sc, shifts.uds) || same(shifts.ldd, shifts.uds);
}

// What a case asks of a cell.
enum class Role { common, rare, counterexample, absent };

class Roles {
 public:
  Roles(const AttributeTable& table, const Cells& cells, const ConDSCase& shifts)
      : table_(table), cells_(cells), shifts_(shifts) {
    check_attribute("SC", shifts.sc);
    check_attribute("LDD", shifts.ldd);
    check_attribute("UDS", shifts.uds);
    if (any_twice(shifts)) refuse(table.name, "shifts on different attributes", "two shifts on one");
  }

  [[nodiscard]] Role of(std::size_t cell) const {
    const auto codes = cells_.codes(cell);
    const auto last = [&](std::size_t attribute) {
      return codes[attribute + 1] + 1 == cells_.shape()[attribute + 1];
    };
    if (shifts_.uds && last(*shifts_.uds)) return Role::absent;
    if (shifts_.sc && !belongs(codes[0], codes[*shifts_.sc + 1])) return Role::counterexample;
    if (!shifts_.ldd || !last(*shifts_.ldd)) return Role::common;
    return codes[0] + 1 == cells_.shape()[0] ? Role::absent : Role::rare;
  }

 private:
  void check_attribute(std::string_view shift, const std::optional<std::size_t>& attribute) const {
    if (!attribute) return;
    if (*attribute >= table_.attributes.size())
      refuse(table_.name, fmt::format("an attribute below {} for {}", table_.attributes.size(), shift),
             fmt::format("{}", *attribute));
    const Attribute& column = table_.attributes[*attribute];
    if (column.values.size() < 2)
      refuse(table_.name, fmt::format("at least two values of {} for {}", in_quotes(column.name), shift),
             column.values.empty() ? "none" : "one: " + in_quotes(column.values.front()));
  }

  // The i-th value belongs to the i-th label.
  [[nodiscard]] bool belongs(std::size_t label, std::size_t value) const {
    const std::size_t pairs = std::min(cells_.shape()[0], cells_.shape()[*shifts_.sc + 1]);
    return label % pairs == value % pairs;
  }

  const AttributeTable& table_;
  const Cells& cells_;
  const ConDSCase& shifts_;
};

std::size_t rare_count(std::size_t common, double ratio) {
  if (common == 0) return 0;
  return std::max<std::size_t>(1,
                               static_cast<std::size_t>(std::llround(static_cast<double>(common) / ratio)));
}

void check_options(const ConDSOptions& options) {
  if (!(options.ldd_ratio >= 1))
    refuse("plan_conds: ldd_ratio", "a number of at least 1", fmt::format("{}", options.ldd_ratio));
  if (!(options.counterexamples >= 0 && options.counterexamples <= 1))
    refuse("plan_conds: counterexamples", "a share from 0 to 1", fmt::format("{}", options.counterexamples));
  const auto& [train, validation, test] = options.counts;
  for (const std::size_t most : {std::ranges::max(train), std::ranges::max(validation), test})
    if (most > most_samples)
      refuse("plan_conds: counts", fmt::format("at most {} per cell", most_samples), fmt::format("{}", most));
}

void add_counterexamples(ConDSPlan& plan, const std::vector<std::size_t>& cells,
                         const ConDSOptions& options) {
  std::size_t n = 0;
  for (const CellPlan& cell : plan.cells) n += cell.train;
  // The product is lowered by its own rounding, so that 1% of 100 is 1.
  const double share = options.counterexamples * static_cast<double>(n);
  const auto count = static_cast<std::size_t>(std::ceil(share * (1 - 1e-12)));
  std::vector<std::tuple<bool, std::uint32_t, std::size_t>>
      ranked;  // those that have a row to give come first
  for (const std::size_t cell : cells)
    ranked.emplace_back(plan.cells[cell].available <= plan.cells[cell].test,
                        rank_of(cell, plan.shifts, options.seed), cell);
  std::ranges::sort(ranked);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    CellPlan& cell = plan.cells[std::get<2>(ranked[i])];
    cell.train = cell.counterexamples = count / cells.size() + (i < count % cells.size() ? 1 : 0);
  }
}

// The row's identity, then its random number; the row.
using Ranked = std::pair<std::uint64_t, std::uint32_t>;

std::uint64_t number_of(std::uint64_t identity, std::uint32_t occurrence, std::uint64_t seed) {
  const auto words =
      philox4x32_10({occurrence, stream("conds"), static_cast<std::uint32_t>(identity),
                     static_cast<std::uint32_t>(identity >> 32)},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return std::uint64_t{words[0]} << 32 | words[1];
}

// The rows of one cell, ascending, put into the order of their random numbers.
void put_in_order(std::span<std::uint32_t> rows, std::uint32_t cell, const AttributeTable& table,
                  std::uint64_t seed) {
  std::vector<Ranked> ranked;
  ranked.reserve(rows.size());
  const bool known = !table.identities.empty();
  for (const std::uint32_t row : rows) ranked.emplace_back(known ? table.identities[row] : cell, row);
  if (known) std::sort(ranked.begin(), ranked.end());
  std::uint64_t identity = 0;
  std::uint32_t occurrence = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    occurrence = i > 0 && ranked[i].first == identity ? occurrence + 1 : 0;
    identity = ranked[i].first;
    ranked[i].first = number_of(identity, occurrence, seed);
  }
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = ranked[i].second;
}

}  // namespace

std::string kind_name(std::size_t kind) {
  std::string name;
  for (const auto& [bit, shift] : {std::pair(1u, "SC"), {2u, "LDD"}, {4u, "UDS"}})
    if ((kind & bit) != 0) name += (name.empty() ? "" : "+") + std::string(shift);
  return name.empty() ? "UNIFORM" : name;
}

std::vector<ConDSCase> all_cases(std::size_t attributes) {
  std::vector<ConDSCase> cases;
  for (const std::size_t kind : {0u, 1u, 2u, 4u, 3u, 5u, 6u, 7u}) {
    // Every assignment of different attributes to the shifts of this kind, in lexicographic order.
    const auto choices = [&](std::size_t bit) {
      std::vector<std::optional<std::size_t>> all;
      if ((kind & bit) == 0) return std::vector<std::optional<std::size_t>>{std::nullopt};
      for (std::size_t i = 0; i < attributes; ++i) all.emplace_back(i);
      return all;
    };
    for (const auto& sc : choices(1))
      for (const auto& ldd : choices(2))
        for (const auto& uds : choices(4)) {
          if (!any_twice({sc, ldd, uds})) cases.push_back({sc, ldd, uds});
        }
  }
  return cases;
}

std::vector<std::size_t> ConDSPlan::lacking() const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].lacks() > 0) result.push_back(i);
  return result;
}

ConDSPlan plan_conds(const AttributeTable& table, const Cells& cells,
                     const std::vector<std::size_t>& available, const ConDSCase& shifts,
                     const ConDSOptions& options) {
  check_options(options);
  require_label(table);
  if (available.size() != cells.size())
    refuse("plan_conds: available", fmt::format("{} cells", cells.size()), available.size());
  const Roles roles(table, cells, shifts);
  const std::size_t train = options.counts.train[shifts.kind()],
                    validation = options.counts.validation[shifts.kind()];
  ConDSPlan plan{shifts, std::vector<CellPlan>(cells.size()), {}};
  std::vector<std::size_t> off_diagonal;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CellPlan& cell = plan.cells[i];
    cell.available = available[i];
    cell.test = options.counts.test;
    const Role role = roles.of(i);
    if (role == Role::common) {
      cell.train = train;
      cell.validation = validation;
    } else if (role == Role::rare) {
      cell.train = rare_count(train, options.ldd_ratio);
      cell.validation = rare_count(validation, options.ldd_ratio);
    } else if (role == Role::counterexample) {
      off_diagonal.push_back(i);
    }
  }
  add_counterexamples(plan, off_diagonal, options);
  for (const CellPlan& cell : plan.cells) {
    plan.total.available += cell.available;
    plan.total.train += cell.train;
    plan.total.validation += cell.validation;
    plan.total.test += cell.test;
    plan.total.counterexamples += cell.counterexamples;
  }
  return plan;
}

void require_rows(const ConDSPlan& plan, const Cells& cells, const std::string& table) {
  const auto lacking = plan.lacking();
  if (lacking.empty()) return;
  const CellPlan& first = plan.cells[lacking.front()];
  refuse(table,
         fmt::format("{} rows of {} ({} train, {} validation, {} test)", first.wanted(),
                     cells.text(lacking.front()), first.train, first.validation, first.test),
         fmt::format("{}{}", first.available,
                     lacking.size() == 1 ? ""
                                         : fmt::format("; {} of {} cells have too few rows", lacking.size(),
                                                       plan.cells.size())));
}

std::span<const ConDSDataSet> conds_data_sets() {
  constexpr std::string_view protocol = "ConDS, Tables 2 and 6";
  // Counts by kind: UNIFORM, SC, LDD, SC+LDD, UDS, SC+UDS, LDD+UDS, SC+LDD+UDS.
  static const ConDSDataSet list[] = {
      {{"dsprites", "shapes in front of colors", protocol},
       {"shape", {"square", "ellipse", "heart"}},
       {{{"obj_color", {"red", "yellow", "blue"}},
         {"bg_color", {"orange", "green", "purple"}},
         {"scale", {"small", "middle", "big"}}}},
       default_counts},
      {{"shapes3d", "solids in a room", protocol},
       {"shape", {"cube", "cylinder", "sphere", "capsule"}},
       {{{"obj_color", {"red", "orange", "yellow", "green"}},
         {"bg_color", {"red", "orange", "yellow", "green"}},
         {"scale", {"tiny", "small", "middle", "big"}}}},
       {{1, 1, 3, 3, 1, 1, 3, 3}, {1, 1, 3, 3, 1, 1, 3, 3}, 5}},
      {{"smallnorb", "toys from many sides", protocol},
       {"object", {"animal", "human", "car", "truck", "airplane"}},
       {{{"azimuth", {"0", "80", "160", "240", "320"}},
         {"lighting", {"0", "1", "2", "3", "4"}},
         {"elevation", {"30", "40", "50", "60", "70"}}}},
       {{1, 1, 3, 3, 1, 1, 3, 3}, {1, 1, 3, 3, 1, 1, 3, 3}, 5}},
      {{"celeba", "faces", protocol},
       {"gender", {"male", "female"}},
       {{{"black_hair", {"black", "others"}},
         {"smiling", {"smiling", "no smiling"}},
         {"straight_hair", {"straight hair", "others"}}}},
       {{14, 28, 24, 48, 28, 56, 48, 96}, {14, 28, 24, 48, 28, 56, 48, 96}, 50}},
      {{"deepfashion", "clothes", protocol},
       {"dress", {"skirt", "others"}},
       {{{"pattern", {"floral", "solid"}},
         {"sleeve", {"long sleeve", "sleeveless"}},
         {"fabric", {"chiffon", "cotton"}}}},
       {{6, 12, 12, 21, 12, 25, 21, 39}, {6, 12, 12, 21, 12, 25, 21, 39}, 5}},
  };
  return list;
}

const ConDSDataSet& conds_data_set(std::string_view name) {
  return find_member(conds_data_sets(), "data set", name);
}

TableColumns columns_of(const ConDSDataSet& set) {
  TableColumns columns;
  const auto order = [&](const NamedColumn& column) {
    columns.orders[std::string(column.name)] = {column.values.begin(), column.values.end()};
    return std::string(column.name);
  };
  columns.label = order(set.label);
  for (const NamedColumn& attribute : set.attributes) columns.attributes.push_back(order(attribute));
  return columns;
}

ConDSSampler::ConDSSampler(const AttributeTable& table, const Cells& cells, std::uint64_t seed)
    : name_(table.name), cells_(cells), starts_(cells.size() + 1) {
  check(table);
  require_label(table);
  if (table.n() > std::numeric_limits<std::uint32_t>::max())
    refuse(table.name, "fewer than 2^32 rows", table.n());
  const auto cell_of = cells.of_rows(table);
  for (const std::uint32_t cell : cell_of) ++starts_[cell + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  rows_.resize(table.n());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t row = 0; row < cell_of.size(); ++row)
    rows_[next[cell_of[row]]++] = static_cast<std::uint32_t>(row);
  parallel_for(cells.size(), [&](std::size_t cell) {
    put_in_order(std::span(rows_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]),
                 static_cast<std::uint32_t>(cell), table, seed);
  });
}

ConDSSplit ConDSSampler::draw(const ConDSPlan& plan) const {
  if (plan.cells.size() != cells_.size())
    refuse("ConDSSampler::draw: plan", fmt::format("{} cells", cells_.size()), plan.cells.size());
  require_rows(plan, cells_, name_);
  ConDSSplit split;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const CellPlan& cell = plan.cells[i];
    const auto rows = std::span(rows_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
    const auto add = [](std::vector<std::size_t>& set, std::span<const std::uint32_t> some) {
      set.insert(set.end(), some.begin(), some.end());
    };
    add(split.test, rows.first(cell.test));
    add(split.validation, rows.subspan(cell.test, cell.validation));
    add(split.train, rows.last(cell.train));
  }
  for (auto* set : {&split.train, &split.validation, &split.test}) std::ranges::sort(*set);
  return split;
}

}  // namespace leeway::conds
