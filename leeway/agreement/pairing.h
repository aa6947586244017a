// Which clean row belongs to which shifted row, where the two sets are not the same samples in one order.
//
//   given          row i to row i; both sets have the same number of rows
//   label          of each label that both sets have, the first min(n', n'') rows: its t-th shifted row gets
//                  its t-th clean row
//   label-resample  each shifted row gets a clean row of its label, drawn with replacement
//   nearest        each shifted row gets the clean row whose features are nearest (Euclidean)
//   label-nearest  the same among the clean rows of its label
//   cca            the same along canonical directions
//
// (Jiménez Rodríguez 2024, section 3.6.3, names label matching, nearest neighbour and canonical correlation.) Ties go to the
// lowest clean row. Nearest and drawn rows may be used more than once, or never. Shifted rows that get none (a label
// that the clean set lacks, or has too few of) are left out. Pairs are sorted by shifted row.
//
// cca: canonical correlation needs rows that belong together to begin with. Those are the pairs of `label`
// where both sets have labels; otherwise row i and row i, and both sets need the same number of rows. Both
// sets, whole, are projected on the canonical directions (cca.h: variates of unit length over those rows)
// whose correlation is above 1e-6 -- the two sides of the others have nothing to do with each other -- and
// the nearest clean row is taken there. The numbers of columns may differ. With fewer rows than columns every
// correlation is 1: use many rows.
//
// Errors (Error): labels or features that are needed and missing, columns or rows that differ in number, no
// pair at all, features that do not vary or do not correlate (cca), a value that is not finite.
// Cost: nearest n' n'' d (shares the work among threads; cca m d^2 more, in one). Deterministic for any
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/agreement/distance.h"

namespace leeway::agreement {

struct RowPair {
  std::size_t clean = 0, shifted = 0;
  bool operator==(const RowPair&) const = default;
};

struct Pairing {
  std::string_view name;     // "label-nearest"
  std::string_view summary;  // one line for --help and the report
  bool needs_labels, needs_features;
  // `seed` is read by label-resample alone: a draw depends on it and on the shifted row
  std::vector<RowPair> (*pair)(const Sample& clean, const Sample& shifted, std::uint64_t seed);
};

[[nodiscard]] std::span<const Pairing> pairings();
[[nodiscard]] const Pairing& pairing(std::string_view name);  // Error that lists the names there are

// CSV with the header "clean,shifted" and one line a pair, rows counted from 0; written as a whole or not at
// all.
void write_pairs(const std::filesystem::path& path, std::span<const RowPair> pairs);

// Errors (Error: file, expected, found, row): other columns, no pairs, an index that is not a whole number or
// not below the number of rows of its set.
[[nodiscard]] std::vector<RowPair> read_pairs(const std::filesystem::path& path, std::size_t clean_rows,
                                              std::size_t shifted_rows);

}  // namespace leeway::agreement
