// Which shifts a source and a target have, measured on their labels and attributes; and how accuracy differs
// among cells.
//
//   SC   correlation of the label and an attribute in the source: Cramer's V and mutual information (nats),
//        both less the bias that independence would have; beside them those of the target, and the change of
//        V. p: permutation of the source's labels, and the change.
//   LDD  the shares of the values that the source has differ: total variation distance between the source's
//        and the target's shares of those values (of the uniform ones where there is no target); beside it
//        the imbalance 1 - entropy / log(values) of either. p: permutation of the membership in source and
//        target (draws from the uniform shares), of the chi-square statistic. The label is treated as an
//        attribute here and below.
//   UDS  the mass of the target whose value the source never has. p: permutation of the membership.
//
// Tables without a label have no SC; what is said of LDD and UDS needs none.
//
// Source of the three kinds: "An analysis of model robustness across concurrent distribution shifts", section
// 3.2. Intervals: percentiles of a bootstrap of the tables of counts for V, information and change (each
// replicate's bias is taken off twice, its own and its parent's), symmetric ones for the distance,
// Clopper-Pearson for masses and accuracies.
//
// p-values are adjusted by Holm's method over all tests of one description; each interval holds alone. A
// finding is a test whose adjusted p-value is at most 1 - level. What goes together everywhere is no shift:
// where there is a target, a finding of SC also needs a V that fell, by a p-value of its change (twice the
// share of replicates on the other side of 0), adjusted over the changes alone. With T tests no p-value can
// reach 1 - level unless permutations and bootstrap exceed T / (1 - level).
//
// Errors (Error): tables that do not fit (check, align), predictions of another length, a level outside
// (0,1). Deterministic; the order of rows changes nothing, nor does that of the attributes, but for the
// p-value of accuracies. Cost: one pass over the rows for each attribute, then permutations x cells, whatever
// the number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/attribute_table.h"
#include "leeway/core/statistics.h"

namespace leeway::conds {

struct DescribeOptions {
  double level = .95;
  std::size_t permutations = 4999, bootstrap = 4999;
  std::uint64_t seed = 0;
};

struct Measure {
  double value = 0;
  Interval interval;
};

struct Test {
  double p = 1, adjusted = 1;  // adjusted: Holm
};

struct Correlation {
  Measure v, information;  // information in nats
  double p = 1;            // that the two are independent
};

struct SpuriousCorrelation {
  Correlation source;
  std::optional<Correlation> target;  // none without a target, and where the target has one value only
  std::optional<Measure> change;      // V of the source less that of the target
  Test test;                          // that label and attribute are independent in the source
  std::optional<Test> change_test;    // that the change is 0
};

struct Drift {
  Measure distance;
  double source_imbalance = 0;
  std::optional<double> target_imbalance;
  std::string value;  // whose share differs most; of equals the one rarer in the source
  double source_share = 0, target_share = 0;  // of that value, among the values that the source has
  Test test;
};

struct Unseen {
  Measure mass;
  std::vector<std::string> values;  // that the target has and the source has not
  Test test;
};

struct ColumnShift {
  std::string name;
  bool is_label = false;
  std::vector<std::string> values;
  std::vector<std::size_t> source_counts, target_counts;  // of the values; target: none without one
  std::optional<SpuriousCorrelation>
      sc;                        // none for the label, without a label, and where the source has one value
  std::optional<Drift> drift;    // none where the source has one value
  std::optional<Unseen> unseen;  // none without a target
};

enum class ShiftKind { sc, ldd, uds };

struct Finding {
  ShiftKind kind = ShiftKind::sc;
  std::string column;   // name of the column
  double strength = 0;  // V (its change where there is a target), distance, mass: all from 0 to 1
  std::string text;     // in plain words
};

struct Description {
  std::size_t n_source = 0;
  std::optional<std::size_t> n_target;
  std::vector<ColumnShift> columns;     // the label where there is one, then the attributes
  std::optional<Measure> unseen_cells;  // mass of the target in cells that the source lacks
  std::size_t tests = 0;                // that Holm's method adjusts for
  std::vector<Finding> findings;        // strongest first

  [[nodiscard]] bool has_label() const { return !columns.empty() && columns.front().is_label; }
};

// `target` may be null. The tables must have the same columns and values (align).
[[nodiscard]] Description describe(const AttributeTable& source, const AttributeTable* target,
                                   const DescribeOptions& options = {});

struct CellAccuracy {
  std::size_t cell = 0, n = 0, correct = 0;
  double accuracy = 0;
  Interval interval;  // Clopper-Pearson
};

struct AccuracyOfCells {
  std::vector<CellAccuracy> cells;  // those with rows; worst first, of equals the larger
  double p = 1;                     // that accuracy does not depend on the cell: permutation, chi-square
};

// correct[i]: whether the model was right on row i of the table.
[[nodiscard]] AccuracyOfCells accuracy_of_cells(const AttributeTable& table, const Cells& cells,
                                                std::span<const std::uint8_t> correct,
                                                const DescribeOptions& options = {});

[[nodiscard]] std::string_view name_of(ShiftKind kind);  // "SC", "LDD", "UDS"

}  // namespace leeway::conds
