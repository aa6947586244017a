// Concurrent distribution shifts (ConDS): a source (training and validation set) and a target (test set)
// drawn from a table of attributes so that the source is shifted in a known way.
//
// Source: "An analysis of model robustness across concurrent distribution shifts", sections 3, 5.2 and A.1,
// and the rules that give the counts of its Table 6. A cell is a label and a value of every attribute of
// the table.
//   target  every cell alike.
//   SC(a)   spurious correlation: only cells where the value of a belongs to the label (the i-th value to the
//           i-th label; with v values and k labels, i mod min(k,v) must agree), and
//           ceil(counterexamples x n) samples of other cells, for training only: distinct cells, one sample
//           each, never an unseen value (should there be more of them than cells, a second sample each, ...).
//   LDD(a)  low data drift: the last value of a is rarer by `ldd_ratio`, and absent for the last label.
//   UDS(a)  unseen data shift: the last value of a does not occur.
// Up to one of each, on different attributes; they multiply. Validation follows the source, counterexamples
// aside.
//
// A plan says what every cell gives before anything is drawn, and what the data lack. A draw: every row has
// a random number, Philox of the seed and the row's identity (attribute_table.h; rows of one identity are
// numbered in the order in which they stand). It orders the rows of a cell: the first go to the test set,
// the next to the validation set, those from the other end to the training set. So no row is in two sets,
// all cases of one seed have the same test set, and permuting the rows of the table selects the same
// samples (where rows cannot be told apart, the same number of each).
//
// Errors (Error): an attribute in two shifts, fewer than two values in a shifted attribute, a ratio below
// 1, a share outside [0,1], and, when drawing, a cell that lacks rows, by name. Deterministic. Cost: 8 bytes a
// row beside the table, a sort of every cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/attribute_table.h"

namespace leeway::conds {

// Which attribute (position in the table) each shift is on.
struct ConDSCase {
  std::optional<std::size_t> sc, ldd, uds;

  // 0: uniform; 1 SC, 2 LDD, 4 UDS, and their sums.
  [[nodiscard]] std::size_t kind() const { return (sc ? 1u : 0u) + (ldd ? 2u : 0u) + (uds ? 4u : 0u); }
  bool operator==(const ConDSCase&) const = default;
};

// "UNIFORM", "SC", "SC+LDD", ...
[[nodiscard]] std::string kind_name(std::size_t kind);

// Uniform, then every shift on every attribute, every pair and triple on different ones: 1 + 33 of three
// attributes.
[[nodiscard]] std::vector<ConDSCase> all_cases(std::size_t attributes);

// Samples a cell, by kind.
struct ConDSCounts {
  std::array<std::size_t, 8> train{}, validation{};
  std::size_t test = 0;
};

// For a table that is no named data set: those of dSprites.
inline constexpr ConDSCounts default_counts = {
    {13, 40, 18, 54, 20, 60, 27, 81}, {10, 10, 6, 15, 5, 15, 6, 18}, 10};

struct ConDSOptions {
  ConDSCounts counts = default_counts;
  double ldd_ratio = 3;          // a rare cell gets round(count / ratio), at least 1 where count > 0
  double counterexamples = .01;  // of the training set, those aside
  std::uint64_t seed = 0;
};

struct CellPlan {
  std::size_t available = 0, train = 0, validation = 0, test = 0;
  std::size_t counterexamples = 0;  // of `train`

  [[nodiscard]] std::size_t wanted() const { return train + validation + test; }
  [[nodiscard]] std::size_t lacks() const { return wanted() > available ? wanted() - available : 0; }
};

struct ConDSPlan {
  ConDSCase shifts;
  std::vector<CellPlan> cells;
  CellPlan total;

  // Cells that lack rows, in order.
  [[nodiscard]] std::vector<std::size_t> lacking() const;
};

// `available`: rows of every cell (Cells::counts).
[[nodiscard]] ConDSPlan plan_conds(const AttributeTable& table, const Cells& cells,
                                   const std::vector<std::size_t>& available, const ConDSCase& shifts,
                                   const ConDSOptions& options);

struct ConDSSplit {
  std::vector<std::size_t> train, validation, test;  // rows, ascending
};

// Orders the rows once; draws any number of plans.
class ConDSSampler {
 public:
  ConDSSampler(const AttributeTable& table, const Cells& cells, std::uint64_t seed);
  [[nodiscard]] ConDSSplit draw(const ConDSPlan& plan) const;  // Error where a cell lacks rows

 private:
  std::string name_;
  Cells cells_;
  std::vector<std::size_t> starts_;  // of every cell in rows_, and n
  std::vector<std::uint32_t> rows_;
};

// Error that names the first cell that lacks rows, and says how many do.
void require_rows(const ConDSPlan& plan, const Cells& cells, const std::string& table);

}  // namespace leeway::conds
