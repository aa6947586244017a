// The class at position j = 0 .. k-1 of the order keeps round(n_class rho^(j/(k-1))) of its rows, at least
// one. The order is Options::classes (all classes of the set), else the class numbers ascending. Every row
// draws a number from Random(seed, stream("imbalance"), row) and the lowest stay, so a smaller rho keeps a
// subset. Row order is kept.
//
// Source: the long-tailed sets of Cui et al., "Class-balanced loss based on effective number of samples",
// CVPR 2019 (their imbalance factor is 1/rho, 10 to 200).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

using RowsOfClass = std::map<std::int64_t, std::vector<std::pair<double, std::size_t>>>;  // (draw, row)

RowsOfClass draw_rows(const std::vector<std::int64_t>& labels, std::uint64_t seed) {
  RowsOfClass rows;
  for (std::size_t row = 0; row < labels.size(); ++row)
    rows[labels[row]].emplace_back(Random(seed, stream("imbalance"), row).uniform(), row);
  for (auto& [label, drawn] : rows) std::sort(drawn.begin(), drawn.end());
  return rows;
}

std::vector<std::size_t> rows_of_imbalance(const Images& images, const Options& options) {
  const RowsOfClass rows = draw_rows(*images.labels, options.seed);
  std::vector<std::int64_t> order = options.classes;
  if (order.empty())
    for (const auto& [label, drawn] : rows) order.push_back(label);
  for (const auto& [label, drawn] : rows)
    if (std::find(order.begin(), order.end(), label) == order.end())
      throw Error(
          fmt::format("{}: shift imbalance: expected an order of all classes, found none for class {}",
                      images.path, label));
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < order.size(); ++j) {
    const auto& drawn = rows.at(order[j]);
    const double place = j == 0 ? 0 : static_cast<double>(j) / static_cast<double>(order.size() - 1);
    const double wanted = std::round(static_cast<double>(drawn.size()) * std::pow(options.strength, place));
    const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
    for (std::size_t i = 0; i < count; ++i) kept.push_back(drawn[i].second);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

Member imbalance() {
  Member member{{"imbalance",
                 "class imbalance: the share of rows kept falls from 1 to the strength",
                 "Cui et al., CVPR 2019",
                 {{"strength", .1, 1e-6, 1, "share of rows kept in the last class"}}}};
  member.select = rows_of_imbalance;
  return member;
}

}  // namespace leeway::shift
