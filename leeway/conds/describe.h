// Measures which shifts lie between a source and a target, and how accuracy differs among cells.
//
//   SC   correlation of the label and an attribute in the source: Cramer's V and mutual information (nats),
//        both bias-corrected; the same for the target, and the change of V. p: permutation of the source's
//        labels, and the change.
//   LDD  total variation distance between source and target (without a target: uniform) shares of the values
//        that the source has; imbalance 1 - entropy / log(values) of both. p: permutation of the membership
//        in source and target (draws from the uniform shares), chi-square statistic. Includes the label.
//   UDS  target mass of values that the source lacks. p: permutation of the membership. Includes the label.
//
// Tables without a label have no SC. Source of the three kinds: "An analysis of model robustness across
// concurrent distribution shifts", section 3.2. Intervals: percentile bootstrap of the tables of counts for
// V, information and change (each replicate is corrected twice, for its own bias and its parent's), symmetric
// for the distance, Clopper-Pearson for masses and accuracies.
//
// Holm's method adjusts p-values over all tests of a description; intervals are pointwise. A finding is a
// test with adjusted p-value at most 1 - level. A correlation that the target shares is no shift: with a
// target, an SC finding also needs a significant fall of V (p: twice the share of replicates on the other
// side of 0, adjusted over the changes). With T tests, p-values reach 1 - level only if permutations and
// bootstrap exceed T / (1 - level).
//
// Errors (Error): tables that do not fit (check, align), predictions of another length, a level outside
// (0,1). Deterministic; row order changes nothing, attribute order only the p-value of accuracies. Cost: one
// pass over the rows per attribute, then permutations x cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"
#include "leeway/io/attribute_table.h"

namespace leeway::conds {

struct DescribeOptions {
  double level = .95;
  std::size_t permutations = 4999, bootstrap = 4999;
  std::uint64_t seed = 0;
};

struct Test {
  double p = 1, adjusted = 1;  // adjusted: Holm
};

struct Correlation {
  Estimate v, information;  // information in nats
  double p = 1;             // that the two are independent
};

struct SpuriousCorrelation {
  Correlation source;
  std::optional<Correlation> target;  // none without a target, and where the target has one value only
  std::optional<Estimate> change;     // V of the source less that of the target
  Test test;                          // that label and attribute are independent in the source
  std::optional<Test> change_test;    // that the change is 0
};

struct Drift {
  Estimate distance;
  double source_imbalance = 0;
  std::optional<double> target_imbalance;
  std::string value;  // whose share differs most; of equals the one rarer in the source
  double source_share = 0, target_share = 0;  // of that value, among the values that the source has
  Test test;
};

struct Unseen {
  Estimate mass;
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
  std::vector<ColumnShift> columns;      // the label where there is one, then the attributes
  std::optional<Estimate> unseen_cells;  // mass of the target in cells that the source lacks
  std::size_t tests = 0;                 // that Holm's method adjusts for
  std::vector<Finding> findings;         // strongest first

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
