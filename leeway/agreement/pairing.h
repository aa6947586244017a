// Which clean row belongs to which shifted row, where the two sets are not the same samples in one order.
//
// A family: this header is its interface, pairing.cpp the visible list of members, and every member is one file in
// pairings/ that holds its rule, its code and its source. (Jiménez Rodríguez 2024, section 3.6.3, names label matching,
// nearest neighbour and canonical correlation.) Ties go to the lowest clean row. Nearest and drawn rows may be used more than
// once, or never. Shifted rows that get none (a label that the clean set lacks, or has too few of) are left out. Pairs are
// sorted by shifted row.
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

struct Pairing : Member {
  bool needs_labels = false, needs_features = false;
  // `seed` is read by label-resample alone: a draw depends on it and on the shifted row
  std::vector<RowPair> (*pair)(const Sample& clean, const Sample& shifted, std::uint64_t seed) = nullptr;
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
