#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "leeway/conds/conds.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::conds {
namespace {

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

ConDSSampler::ConDSSampler(const AttributeTable& table, const Cells& cells, std::uint64_t seed)
    : name_(table.name), cells_(cells), starts_(cells.size() + 1) {
  check(table);
  require_label(table);
  if (table.n() > std::numeric_limits<std::uint32_t>::max())
    refuse(table.name, "fewer than 2^32 rows", fmt::format("{}", table.n()));
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
    refuse("ConDSSampler::draw: plan", fmt::format("{} cells", cells_.size()),
           fmt::format("{}", plan.cells.size()));
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
