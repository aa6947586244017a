// Pairs clean with shifted rows when the two sets are not the same samples in the same order. (Jiménez
// Rodríguez 2024, section 3.6.3: label matching, nearest neighbor, canonical correlation.)
//
// A family: pairing.cpp lists the members; each member's file in pairings/ has its rule, code and source.
// Ties go to the lowest clean row. Nearest and drawn rows may be used repeatedly or never. Shifted rows
// without a partner (too few clean rows of their label) are left out. Pairs are sorted by shifted row.
// Errors (Error): missing labels or features, different numbers of columns or rows, no pair at all, features
// that do not vary or do not correlate (cca), a value that is not finite.
// Cost: nearest n' n'' d, multithreaded; cca m d^2 more on one thread. Always deterministic.
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

// CSV with the header "clean,shifted" and one line per pair, rows counted from 0; written atomically.
void write_pairs(const std::filesystem::path& path, std::span<const RowPair> pairs);

// Errors (Error: file, expected, found, row): other columns, no pairs, an index that is no integer below n.
[[nodiscard]] std::vector<RowPair> read_pairs(const std::filesystem::path& path, std::size_t clean_rows,
                                              std::size_t shifted_rows);

}  // namespace leeway::agreement
