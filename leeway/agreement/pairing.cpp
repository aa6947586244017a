#include "leeway/agreement/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <type_traits>

#include "leeway/agreement/cca.h"
#include "leeway/agreement/matrix.h"
#include "leeway/core/csv.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::agreement {
namespace {

constexpr double uncorrelated = 1e-6;

using Rows = std::vector<std::size_t>;
using RowsOfLabel = std::map<std::int64_t, Rows>;

Rows all_rows(std::size_t n) {
  Rows rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::size_t rows_of(const Sample& sample) {
  if (sample.logits && !sample.logits->shape.empty()) return sample.logits->shape[0];
  if (sample.features && !sample.features->shape.empty()) return sample.features->shape[0];
  return sample.labels ? sample.labels->size() : 0;
}

Matrix features_of(const Sample& sample) {
  if (!sample.features) refuse(sample.name, "features, to pair rows by", "none");
  Matrix features(*sample.features, sample.name, "features");
  if (features.rows() != rows_of(sample))
    refuse(sample.name, fmt::format("features of {} rows", rows_of(sample)),
           fmt::format("{}", features.rows()));
  return features;
}

RowsOfLabel rows_of_labels(const Sample& sample) {
  if (!sample.labels) refuse(sample.name, "labels, to pair rows by", "none");
  if (sample.labels->size() != rows_of(sample))
    refuse(sample.name, fmt::format("{} labels", rows_of(sample)), fmt::format("{}", sample.labels->size()));
  RowsOfLabel rows;
  for (std::size_t i = 0; i < sample.labels->size(); ++i) rows[(*sample.labels)[i]].push_back(i);
  return rows;
}

// Pairs by shifted row; Error where there are none.
std::vector<RowPair> sorted(std::vector<RowPair> pairs, const Sample& clean, const Sample& shifted) {
  if (pairs.empty())
    refuse(shifted.name, fmt::format("rows with a label of {}", clean.name), "none in common");
  std::ranges::sort(pairs, {}, &RowPair::shifted);
  return pairs;
}

// For each of `queries`, rows of y, the nearest of `candidates`, rows of x in rising order.
std::vector<RowPair> nearest_of(const Matrix& x, const Rows& candidates, const Matrix& y,
                                const Rows& queries) {
  constexpr std::size_t lanes = RowTile::lanes, chunk = 32;
  std::vector<RowPair> pairs(queries.size());
  parallel_for((queries.size() + chunk - 1) / chunk, [&](std::size_t part) {
    const std::size_t begin = part * chunk, end = std::min(queries.size(), begin + chunk);
    std::vector<std::vector<double>> rows;
    for (std::size_t q = begin; q < end; ++q) rows.push_back(y.row(queries[q]));
    std::vector<double> best(rows.size(), std::numeric_limits<double>::infinity());
    for (std::size_t r = 0; r < rows.size(); ++r) pairs[begin + r] = {candidates.front(), queries[begin + r]};
    for (std::size_t tile = 0; tile < candidates.size(); tile += lanes) {
      const auto members = std::span(candidates).subspan(tile, std::min(lanes, candidates.size() - tile));
      const RowTile block(x, members);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto squares = block.squared_distances(rows[r]);
        for (std::size_t lane = 0; lane < members.size(); ++lane)
          if (squares[lane] < best[r]) best[r] = squares[lane], pairs[begin + r].clean = members[lane];
      }
    }
  });
  return pairs;
}

std::vector<RowPair> given(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const std::size_t n = rows_of(clean);
  if (rows_of(shifted) != n)
    refuse(shifted.name, fmt::format("{} rows, as in {}, for rows paired as given", n, clean.name),
           fmt::format("{}", rows_of(shifted)));
  std::vector<RowPair> pairs;
  for (std::size_t i = 0; i < n; ++i) pairs.push_back({i, i});
  return pairs;
}

std::vector<RowPair> by_label(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    for (std::size_t t = 0; t < std::min(rows.size(), found->second.size()); ++t)
      pairs.push_back({found->second[t], rows[t]});
  }
  return sorted(std::move(pairs), clean, shifted);
}

std::vector<RowPair> label_resample(const Sample& clean, const Sample& shifted, std::uint64_t seed) {
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    for (const std::size_t row : rows)
      pairs.push_back(
          {found->second[Random(seed, stream("label-resample"), row).below(found->second.size())], row});
  }
  return sorted(std::move(pairs), clean, shifted);
}

std::vector<RowPair> nearest(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  require_equal_columns(x, y);
  return nearest_of(x, all_rows(x.rows()), y, all_rows(y.rows()));
}

std::vector<RowPair> label_nearest(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  require_equal_columns(x, y);
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    const auto some = nearest_of(x, found->second, y, rows);
    pairs.insert(pairs.end(), some.begin(), some.end());
  }
  return sorted(std::move(pairs), clean, shifted);
}

// The canonical side with its first `kept` directions alone.
CanonicalSide first_directions(CanonicalSide side, std::size_t kept) {
  const std::size_t directions = side.coefficients.size() / side.columns.size();
  std::vector<double> coefficients;
  for (std::size_t c = 0; c < side.columns.size(); ++c)
    for (std::size_t j = 0; j < kept; ++j) coefficients.push_back(side.coefficients[c * directions + j]);
  side.coefficients = std::move(coefficients);
  return side;
}

std::vector<RowPair> canonical(const Sample& clean, const Sample& shifted, std::uint64_t seed) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  const bool labelled = clean.labels && shifted.labels;
  if (!labelled && x.rows() != y.rows())
    refuse(
        shifted.name,
        fmt::format("labels in both sets or {} rows, as in {}, to correlate features", x.rows(), clean.name),
        fmt::format("{} rows", y.rows()));
  Rows x_rows, y_rows;
  for (const RowPair& pair : labelled ? by_label(clean, shifted, seed) : given(clean, shifted, seed))
    x_rows.push_back(pair.clean), y_rows.push_back(pair.shifted);
  const CanonicalCorrelations found = canonical_correlations(x, x_rows, y, y_rows);
  const auto kept = static_cast<std::size_t>(
      std::ranges::count_if(found.correlations, [](double r) { return r > uncorrelated; }));
  if (kept == 0)
    refuse(shifted.name, fmt::format("features that correlate with those of {}", clean.name), "none that do");
  const Array u = first_directions(found.x, kept).project(x), v = first_directions(found.y, kept).project(y);
  return nearest_of({u, clean.name, "canonical variates"}, all_rows(x.rows()),
                    {v, shifted.name, "canonical variates"}, all_rows(y.rows()));
}

std::optional<std::size_t> whole_number_below(std::string_view field, std::size_t limit) {
  const auto value = parse_number(field);
  if (!value || !(*value >= 0) || *value >= static_cast<double>(limit)) return std::nullopt;
  const auto index = static_cast<std::size_t>(*value);
  return static_cast<double>(index) == *value ? std::optional(index) : std::nullopt;
}

}  // namespace

std::span<const Pairing> pairings() {
  static const Pairing all[] = {
      {"given", "row i of one set to row i of the other", false, false, given},
      {"label", "rows of one label in the order of the files", true, false, by_label},
      {"label-resample", "each shifted row to a clean row of its label, drawn by the seed", true, false,
       label_resample},
      {"nearest", "each shifted row to the clean row with the nearest features", false, true, nearest},
      {"label-nearest", "each shifted row to the nearest clean row of its label", true, true, label_nearest},
      {"cca", "each shifted row to the clean row nearest along canonical directions", false, true, canonical},
  };
  return all;
}

const Pairing& pairing(std::string_view name) { return find_member(pairings(), "pairing", name); }

void write_pairs(const std::filesystem::path& path, std::span<const RowPair> pairs) {
  AtomicFile file(path);
  file.write(std::string_view("clean,shifted\n"));
  for (const RowPair& pair : pairs) file.write(fmt::format("{},{}\n", pair.clean, pair.shifted));
  file.commit();
}

std::vector<RowPair> read_pairs(const std::filesystem::path& path, std::size_t clean_rows,
                                std::size_t shifted_rows) {
  const std::string name = display_name(path);
  const CsvTable table = read_csv(path);
  if (table.header != std::vector<std::string>{"clean", "shifted"}) {
    std::string found;
    for (const auto& column : table.header) found += (found.empty() ? "" : ",") + printable(column);
    refuse(name, "the columns clean,shifted", found);
  }
  if (table.rows() == 0) refuse(name, "pairs of rows", "none");
  const std::size_t limits[] = {clean_rows, shifted_rows};
  std::vector<RowPair> pairs(table.rows());
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const std::string& field = table.columns[c][i];
      const auto index = whole_number_below(field, limits[c]);
      if (!index)
        refuse(name, fmt::format("whole numbers from 0 to {} in column {}", limits[c] - 1, table.header[c]),
               fmt::format("{} at row {}", in_quotes(field), i));
      (c == 0 ? pairs[i].clean : pairs[i].shifted) = *index;
    }
  return pairs;
}

}  // namespace leeway::agreement
