// Accuracy and agreement class by class and group by group, worst first.
//
// A cell gathers the rows of one class (by label; by clean prediction where there are no labels), of one
// level of an attribute, or, where there are labels, of one class and one level together ("class /
// background", "1 / water"): the groups in which the literature measures worst-group accuracy. Sorted by
// accuracy ascending (by agreement of predictions without labels), ties by class or by order of the levels;
// cells without rows come last. A small cell is not left out: its interval says how little it tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {

inline constexpr std::size_t max_cells_per_attribute = 1000;  // the worst are kept

struct Cell {
  std::string group;         // the attribute's name; empty for a class
  std::string name;          // of the class, or of the level
  std::size_t index = 0;     // class, or position of the level
  std::size_t n = 0;         // rows of the target
  std::size_t source_n = 0;  // rows of the source, where those are known
  std::optional<Share> accuracy, source_accuracy, afr_pred;
};

// The rows of one side. `labels` is empty where there are none.
struct Side {
  std::span<const std::int32_t> predicted;
  std::span<const std::int64_t> labels;
  const std::vector<GroupColumn>* groups = nullptr;
};

struct CellOptions {
  bool paired = false;
  double level = .95;
  std::vector<std::string> class_names;  // k
};

// Empty without labels and without pairs: then nothing is known of a class.
[[nodiscard]] std::vector<Cell> class_cells(const Side& source, const Side& target,
                                            const CellOptions& options);

// Empty without groups on the target, and without labels and pairs.
[[nodiscard]] std::vector<Cell> group_cells(const Side& source, const Side& target,
                                            const CellOptions& options);

}  // namespace leeway::assess
