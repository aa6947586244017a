// A CSV table of outputs as the arrays that an npz file would hold: logits or probs, labels, features,
// groups, group_names, class_names, norms, ids.
//
// Columns: `logit_*` or `p_*` (one a class), one of `y_true`, `label`, `labels`, `y`, then `attr_*`,
// `feat_*`, `norm`, `id`. What follows logit_ or p_ is the class: 0..k-1 in any order, or names, whose order is
// that of the columns. Beside numbered p_* a named one (p_max) is ignored, since the numbered ones must sum to 1;
// beside numbered logit_* it may be a class, and is refused. Labels that are not numbers stay text, and so do ids.
// Other columns are ignored.
#pragma once

#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/csv.h"

namespace leeway {

[[nodiscard]] ArrayMap outputs_from_csv(const CsvTable& table, std::string_view name);

// The label column alone: one of the four names above, or the only column of the table.
[[nodiscard]] Array labels_from_csv(const CsvTable& table, std::string_view name);

}  // namespace leeway
