// Canonical correlation needs paired rows: the pairs of `label` if both sets have labels, otherwise row i
// with row i, which needs equal numbers of rows. All rows are projected on the canonical directions
// (agreement/detail/matrix.h) with correlation above 1e-6, and each shifted row gets the nearest clean row
// there. The sets may have different numbers of columns. With fewer rows than columns every correlation is 1:
// use many rows.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/agreement/pairings/detail/family.h"
#include "leeway/core/message.h"

namespace leeway::agreement {
namespace {

constexpr double uncorrelated = 1e-6;

// The canonical side with its first `kept` directions alone.
CanonicalSide first_directions(CanonicalSide side, std::size_t kept) {
  const std::size_t directions = side.coefficients.size() / side.columns.size();
  std::vector<double> coefficients;
  for (std::size_t c = 0; c < side.columns.size(); ++c)
    for (std::size_t j = 0; j < kept; ++j) coefficients.push_back(side.coefficients[c * directions + j]);
  side.coefficients = std::move(coefficients);
  return side;
}

std::vector<RowPair> cca_pairs(const Sample& clean, const Sample& shifted, std::uint64_t seed) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  const bool labelled = clean.labels && shifted.labels;
  if (!labelled && x.rows() != y.rows())
    refuse(
        shifted.name,
        fmt::format("labels in both sets, or {} rows as in {}, to correlate features", x.rows(), clean.name),
        fmt::format("{} rows", y.rows()));
  RowNumbers x_rows, y_rows;
  for (const RowPair& pair : pairing(labelled ? "label" : "given").pair(clean, shifted, seed))
    x_rows.push_back(pair.clean), y_rows.push_back(pair.shifted);
  const CanonicalCorrelations found = canonical_correlations(x, x_rows, y, y_rows);
  const auto kept = static_cast<std::size_t>(
      std::ranges::count_if(found.correlations, [](double r) { return r > uncorrelated; }));
  if (kept == 0)
    refuse(shifted.name, fmt::format("features that correlate with those of {}", clean.name), "none");
  const Array u = first_directions(found.x, kept).project(x), v = first_directions(found.y, kept).project(y);
  return nearest_of({u, clean.name, "canonical variates"}, all_rows(x.rows()),
                    {v, shifted.name, "canonical variates"}, all_rows(y.rows()));
}

}  // namespace

Pairing cca() {
  return {{"cca", "each shifted row with the clean row nearest along canonical directions",
           "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/false,
          /*needs_features=*/true,
          cca_pairs};
}

}  // namespace leeway::agreement
