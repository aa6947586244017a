// Distances between two sets of outputs or features: what agreement is compared with.
//
// A family: this header is its interface, distance.cpp the visible list of members, and every member is one file in
// distances/ that holds its equation, its code and its source. (Jiménez Rodríguez 2024, section 4.2.2.)
//
// Members that need probabilities take logits (n,k), k >= 2, and use their
// softmax; the others take features (n,d), d >= 1. float32 or float64, finite, n >= 1; float64 throughout.
// Both sets have the same number of columns; of rows too where the member is paired. Every distance is >= 0
// and 0 for equal sets (but for rounding); all but kl are symmetric in the two sets.
// Errors (Error): no matrix, another number of columns or rows, a value that is not finite or
// not below 1e140 (with its row). Interrupted, where progress asks mmd to stop.
// Cost: one or two passes, but: the two wasserstein sort, n k log n, and hold all probabilities as float64;
// mmd visits all pairs of rows (n^2 d; memory of a few rows), frechet is n d^2 + d^3 in time and d^2 in
// memory. Threads: leeway/core/parallel.h; the same bits for any number of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/family.h"
#include "leeway/core/progress.h"

namespace leeway::agreement {

// One of the two sets.
struct Sample {
  std::string name;                                 // what error messages call it
  std::optional<Array> logits;                      // (n,k)
  std::optional<Array> features;                    // (n,d)
  std::optional<std::vector<std::int64_t>> labels;  // (n); read by pairing.h alone
};

enum class Compared { probabilities, features };

struct MatrixPair;  // distances/family.h

struct Distance : Member {
  Compared compares = Compared::probabilities;  // what the sets must hold: logits or features
  bool paired = false;                          // row i of one set belongs to row i of the other
  double (*between)(const MatrixPair& sets, Progress* progress) = nullptr;

  [[nodiscard]] double compute(const Sample& clean, const Sample& shifted,
                               Progress* progress) const;  // null: silent
};

[[nodiscard]] std::span<const Distance> distances();
[[nodiscard]] const Distance& distance(std::string_view name);  // Error that lists the names there are

// The distances named, every one where none is, in the order of distances(); the value is absent where the sets do not hold what it needs:
// logits or features in both, equal n where it is paired.
struct MeasuredDistance {
  const Distance* distance = nullptr;
  std::optional<double> value;
  std::string missing;  // what is not there, in words for a reader; empty with a value
};
[[nodiscard]] std::vector<MeasuredDistance> measure_distances(const Sample& clean, const Sample& shifted,
                                                              std::span<const std::string> names = {},
                                                              Progress* progress = nullptr);

}  // namespace leeway::agreement
