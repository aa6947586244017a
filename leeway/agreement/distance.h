// Distances between two sets of outputs or features, to compare with agreement (Jiménez Rodríguez 2024,
// 4.2.2).
//
// A family: distance.cpp lists the members; each file in distances/ has its equation, code and source.
//
// A distance compares either the softmax of logits (n,k), k >= 2, or features (n,d), d >= 1; float32 or
// float64, finite, n >= 1, computed in float64. Both sets need the same number of columns and, for paired
// members, the same number of rows. Up to rounding, distances are >= 0, 0 for equal sets and, except kl,
// symmetric.
// Errors (Error): no matrix, other numbers of columns or rows, a value not finite or not below 1e140 (with
// its row). Interrupted if progress stops mmd.
// Cost: one or two passes, except: both wasserstein sort (n k log n) and hold all probabilities as float64;
// mmd visits all pairs of rows (n^2 d, memory of a few rows); frechet takes n d^2 + d^3 time and d^2 memory.
// Multithreaded; same bits for any number of threads.
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

// The named distances (default: all), in the order of distances(). The value is missing if a set lacks the
// logits or features, or if a paired distance gets different n.
struct MeasuredDistance {
  const Distance* distance = nullptr;
  std::optional<double> value;
  std::string missing;  // what is not there, in words for a reader; empty with a value
};
[[nodiscard]] std::vector<MeasuredDistance> measure_distances(const Sample& clean, const Sample& shifted,
                                                              std::span<const std::string> names = {},
                                                              Progress* progress = nullptr);

}  // namespace leeway::agreement
