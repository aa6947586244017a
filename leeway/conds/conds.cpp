#include "leeway/conds/conds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "leeway/core/message.h"
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
    refuse("plan_conds: available", fmt::format("{} cells", cells.size()),
           fmt::format("{}", available.size()));
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

}  // namespace leeway::conds
