// Accuracy and agreement by class and by group, worst first.
//
// A cell holds the rows of one class (by label, else by clean prediction), of one level of an attribute, or,
// with labels, of one class and level ("class / background", "1 / water"), as in worst-group accuracy. Sorted
// by accuracy (agreement without labels), ties by class or order of levels, cells without rows last. Small
// cells stay; their intervals are wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

inline constexpr std::size_t max_cells_per_attribute = 1000;  // the worst are kept

// The rows of one side. `labels` is empty where there are none; rows of no_label are in no cell.
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
[[nodiscard]] std::vector<tasks::AssessCell> class_cells(const Side& source, const Side& target,
                                                         const CellOptions& options);

// Empty without groups on the target, and without labels and pairs.
[[nodiscard]] std::vector<tasks::AssessCell> group_cells(const Side& source, const Side& target,
                                                         const CellOptions& options);

}  // namespace leeway::assess
