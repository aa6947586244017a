#include "leeway/tasks/assess/detail/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::assess {
namespace {

constexpr std::size_t chunk = 4096;
constexpr double hash_sample = 65536;

struct Part {
  double confidence = 0;
  std::size_t saturated = 0;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(), highest = 0;
  std::vector<std::uint64_t> hashes;
};

Part join(Part left, const Part& right) {
  left.confidence += right.confidence;
  left.saturated += right.saturated;
  left.lowest = std::min(left.lowest, right.lowest);
  left.highest = std::max(left.highest, right.highest);
  left.hashes.insert(left.hashes.end(), right.hashes.begin(), right.hashes.end());
  return left;
}

template <class T>
std::uint64_t hash_row(std::span<const T> row) {
  std::uint64_t h = row.size();
  for (const T value : row)
    h = std::rotl(h ^ std::bit_cast<std::uint64_t>(double{value} + 0.), 23) * 0x9e3779b97f4a7c15u;
  return mixed_bits(h);
}

struct Row {
  std::int32_t best = 0;
  double confidence = 0;
};

template <class T>
Row predict_row(std::span<const T> row, std::string_view name, std::size_t index) {
  std::size_t best = 0;
  bool finite = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    finite &= std::isfinite(row[j]);
    if (row[j] > row[best]) best = j;
  }
  if (!finite) {
    std::size_t j = 0;
    while (std::isfinite(row[j])) ++j;
    throw Error(
        fmt::format("{}: expected finite logits, found {} at row {}, class {}", name, row[j], index, j));
  }
  const double top = row[best];
  double sum = 0;
  for (const T value : row) {
    const double below = value - top;
    if (below > -45)
      sum += std::exp(below);  // the rest, below 3e-20 each, cannot change a sum that is at least 1
  }
  return {static_cast<std::int32_t>(best), 1 / sum};
}

template <class T>
Predictions predict_as(const Array& logits, std::string_view name) {
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  const std::span<const T> values = logits.view<T>();
  const double kept_share = std::min(1., hash_sample / static_cast<double>(n));
  const auto keep_below = kept_share >= 1 ? std::numeric_limits<std::uint64_t>::max()
                                          : static_cast<std::uint64_t>(std::ldexp(kept_share, 64));
  Predictions result;
  result.classes.resize(n);
  result.confidences.resize(n);
  const auto map = [&](std::size_t begin, std::size_t end) {
    Part part;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = values.subspan(i * k, k);
      const Row said = predict_row(row, name, i);
      result.classes[i] = said.best;
      result.confidences[i] = said.confidence;
      part.confidence += said.confidence;
      part.saturated += said.confidence > 1 - 1e-6;
      const std::uint64_t hash = hash_row(row);
      part.lowest = std::min(part.lowest, hash);
      part.highest = std::max(part.highest, hash);
      // Samples rows by their hash: copies stay together, and the order of rows does not matter.
      if (hash <= keep_below) part.hashes.push_back(hash);
    }
    return part;
  };
  Part all = reduce_chunks<Part>(n, chunk, map, join);
  std::sort(all.hashes.begin(), all.hashes.end());
  std::size_t distinct = 0, repeated = 0, rows_of_repeated = 0;
  for (std::size_t i = 0, end = 0; i < all.hashes.size(); i = end) {
    while (end < all.hashes.size() && all.hashes[end] == all.hashes[i]) ++end;
    ++distinct;
    if (end - i > 1) ++repeated, rows_of_repeated += end - i;
  }
  result.few_patterns =
      repeated > 0 && static_cast<double>(rows_of_repeated) >= leaf_rows * static_cast<double>(repeated);
  const auto rows = static_cast<double>(n);
  result.mean_confidence = all.confidence / rows;
  result.saturated_share = static_cast<double>(all.saturated) / rows;
  if (!all.hashes.empty())
    result.repeated_share = 1 - static_cast<double>(distinct) / static_cast<double>(all.hashes.size());
  result.constant = n > 1 && all.lowest == all.highest;
  return result;
}

}  // namespace

Predictions predict(const Array& logits, std::string_view name) {
  return logits.type == ElementType::f32 ? predict_as<float>(logits, name) : predict_as<double>(logits, name);
}

std::vector<double> confidence_edges() {
  std::vector<double> edges;
  for (std::size_t j = 0; j <= confidence_bins; ++j)
    edges.push_back(static_cast<double>(j) / static_cast<double>(confidence_bins));
  return edges;
}

std::vector<std::size_t> confidence_histogram(std::span<const double> confidences) {
  std::vector<std::size_t> counts(confidence_bins);
  for (const double confidence : confidences) {
    const auto bin = static_cast<std::size_t>(confidence * static_cast<double>(confidence_bins));
    ++counts[std::min(bin, confidence_bins - 1)];
  }
  return counts;
}

std::vector<std::size_t> code_counts(std::span<const std::int32_t> codes, std::size_t k) {
  std::vector<std::size_t> counts(k);
  for (const std::int32_t code : codes) ++counts[static_cast<std::size_t>(code)];
  return counts;
}

std::vector<double> class_shares(std::span<const std::int32_t> classes, std::size_t k) {
  std::vector<double> shares;
  for (const std::size_t count : code_counts(classes, k))
    shares.push_back(static_cast<double>(count) / static_cast<double>(classes.size()));
  return shares;
}

}  // namespace leeway::assess
