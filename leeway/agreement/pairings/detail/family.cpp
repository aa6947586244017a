#include "leeway/agreement/pairings/detail/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

std::map<std::int64_t, RowNumbers> rows_of_labels(const Sample& sample) {
  if (!sample.labels) refuse(sample.name, "labels, to pair rows by", "none");
  if (sample.labels->size() != rows_of(sample))
    refuse(sample.name, fmt::format("{} labels", rows_of(sample)), sample.labels->size());
  std::map<std::int64_t, RowNumbers> rows;
  for (std::size_t i = 0; i < sample.labels->size(); ++i)
    if ((*sample.labels)[i] >= 0) rows[(*sample.labels)[i]].push_back(i);
  return rows;
}

}  // namespace

std::size_t rows_of(const Sample& sample) {
  if (sample.logits && !sample.logits->shape.empty()) return sample.logits->shape[0];
  if (sample.features && !sample.features->shape.empty()) return sample.features->shape[0];
  return sample.labels ? sample.labels->size() : 0;
}

Matrix features_of(const Sample& sample) {
  if (!sample.features) refuse(sample.name, "features, to pair rows by", "none");
  Matrix features(*sample.features, sample.name, "features");
  if (features.rows() != rows_of(sample))
    refuse(sample.name, fmt::format("features of {} rows", rows_of(sample)), features.rows());
  return features;
}

std::vector<RowPair> pairs_by_label(
    const Sample& clean, const Sample& shifted,
    const std::function<std::vector<RowPair>(const RowNumbers&, const RowNumbers&)>& pairs_of) {
  const auto clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows)
    if (const auto found = clean_rows.find(label); found != clean_rows.end()) {
      const std::vector<RowPair> some = pairs_of(found->second, rows);
      pairs.insert(pairs.end(), some.begin(), some.end());
    }
  if (pairs.empty())
    refuse(shifted.name, fmt::format("rows with a label of {}", clean.name), "none in common");
  std::ranges::sort(pairs, {}, &RowPair::shifted);
  return pairs;
}

// Products find the rows that may be nearest; distances column by column, which round less, decide. The first of equals wins.
std::vector<RowPair> nearest_of(const Matrix& x, const RowNumbers& candidates, const Matrix& y,
                                const RowNumbers& queries) {
  constexpr double rounding = 1e-11;  // of a product, relative to the squares
  const std::size_t block = RowBlock::rows_of_block(x.columns()),
                    chunk = std::clamp<std::size_t>(2 * x.columns(), 256, 4096);
  std::vector<RowPair> pairs(queries.size());
  parallel_chunks(queries.size(), chunk, [&](std::size_t begin, std::size_t end) {
    const RowBlock rows(y, std::span(queries).subspan(begin, end - begin));
    std::vector<double> best(rows.size(), std::numeric_limits<double>::infinity());
    for (std::size_t r = 0; r < rows.size(); ++r) pairs[begin + r] = {candidates.front(), queries[begin + r]};
    for (std::size_t from = 0; from < candidates.size(); from += block) {
      const auto members = std::span(candidates).subspan(from, std::min(block, candidates.size() - from));
      const RowBlock others(x, members);
      const std::vector<double> products = rows.products(others);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t m = 0; m < members.size(); ++m) {
          const double squares = rows.squares(r, others, m);
          if (squares - 2 * products[r * members.size() + m] > best[r] + rounding * squares) continue;
          const double distance = rows.squared_distance(r, others, m);
          if (distance < best[r]) best[r] = distance, pairs[begin + r].clean = members[m];
        }
    }
  });
  return pairs;
}

}  // namespace leeway::agreement
