// Concurrent distribution shifts (ConDS): draws a source (training and validation set) with known shifts and
// a target (test set) from a table of attributes.
//
// Source: "An analysis of model robustness across concurrent distribution shifts", sections 3, 5.2, A.1 and
// Table 6 (counts). A cell is a label and a value of every attribute.
//   target  uniform over cells.
//   SC(a)   spurious correlation: only cells where the value of a belongs to the label (the i-th value to the
//           i-th label; with v values and k labels, i mod min(k,v) must agree), and for training
//           ceil(counterexamples x n) samples of other cells without unseen values, spread evenly.
//   LDD(a)  low data drift: the last value of a is rarer by `ldd_ratio`, and absent for the last label.
//   UDS(a)  unseen data shift: the last value of a does not occur.
// At most one of each, on different attributes; they multiply. Validation follows the source without
// counterexamples.
//
// A plan gives the samples per cell, and what the data lack, before anything is drawn. A draw orders the rows
// of a cell by Philox of the seed and the row's identity (attribute_table.h; rows of equal identity are
// numbered in order): the first rows go to the test set, the next to validation, the last to training. So the
// sets are disjoint, all cases of a seed share one test set, and permuting the table's rows selects the same
// samples (of rows of equal identity, the same number).
//
// Errors (Error): an attribute in two shifts, fewer than two values in a shifted attribute, a ratio below 1,
// a share outside [0,1]; when drawing, the cell that lacks rows. Deterministic. Memory: 8 bytes per row.
// Cost: a sort of every cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/io/attribute_table.h"

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

// Uniform, then each shift, pair and triple on different attributes: 34 cases for three attributes.
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

// The data sets of the ConDS protocol: columns, values in order, samples per cell.
//
// Source: "An analysis of model robustness across concurrent distribution shifts", Tables 2 and 6; validation
// counts of dSprites and Shapes3D from its reference code. The paper leaves open the counts of UNIFORM (as in
// the reference: SC's size in whole samples per cell, at least one) and of the other validation sets (here,
// as for Shapes3D, the training set's size without counterexamples). iWildCam, FMoW and Camelyon17 have
// natural shifts and no counts.

struct NamedColumn {
  std::string_view name;
  std::vector<std::string_view> values;  // in order
};

struct ConDSDataSet : Member {
  NamedColumn label;
  std::array<NamedColumn, 3> attributes;
  ConDSCounts counts;
};

[[nodiscard]] std::span<const ConDSDataSet> conds_data_sets();
// Error that lists the names there are.
[[nodiscard]] const ConDSDataSet& conds_data_set(std::string_view name);

// Columns and orders to read a table of that data set with.
[[nodiscard]] TableColumns columns_of(const ConDSDataSet& set);

}  // namespace leeway::conds
