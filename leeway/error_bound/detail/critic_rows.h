// The rows on which critics are trained and measured, and their representation.
//
// A split holds out the share `holdout` of n rows, at least one and not all (holdout 0: both parts have all
// rows). Rows are shuffled by Random keyed by seed and purpose; given classes keep their shares.
//
// Columns are standardized over the training rows of both sets: with the bias this changes only the
// optimizer's path, not the class of critics or an optimum. Constant columns become 0. Columns of kernel critics
// follow (Representation::kernel). Rows are float32, clipped at 1e18 so that squares stay finite. Held-out rows are kept in memory if few, else read again in
// blocks for each critic, with the same values.
// Errors (Error): a single row to split, features missing or without columns, no or too many components.
// Cost: two passes over the representation; components: n d^2 and d^3 operations in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/error_bound/detail/critic.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct Split {
  std::vector<std::size_t> training, holdout;
};
// `classes` (n), or empty.
[[nodiscard]] Split split_rows(const Sample& sample, double holdout, std::span<const std::int64_t> classes,
                               std::uint64_t seed, std::string_view purpose);

enum class Scaling { standard, none };  // none: as the file holds them, for the papers' recipe

// The rows that critics are measured on, source first.
struct HeldOutRows {
  std::size_t n_source = 0, n_target = 0;
  std::vector<std::int32_t> y;  // (n), as in CriticRows
  std::optional<CriticRows> kept;
  std::function<CriticRows(std::size_t begin, std::size_t end)> make;  // those rows

  [[nodiscard]] std::size_t n() const { return n_source + n_target; }
};
// As of CriticRows (critic.h).
[[nodiscard]] std::vector<std::uint8_t> agreeing_rows(const HeldOutRows& rows, std::span<const float> theta,
                                                      std::size_t end);  // of the first `end` rows

constexpr std::size_t most_kept_floats = std::size_t{1} << 26;

struct CriticData {
  Split source, target;
  CriticRows training;
  HeldOutRows holdout;
  std::vector<double> centre, scale;  // (d): x = (value - centre) / scale
};
// Held-out rows are kept where all of them take at most `most_kept` floats. Both samples must outlive the result.
[[nodiscard]] CriticData critic_data(const Sample& source, const Sample& target, const Dis2Options& options,
                                     Scaling scaling, std::size_t most_kept = most_kept_floats);

}  // namespace leeway::error_bound
