// What the columns of two sets of outputs must have in common before one is compared with the other: one rule for
// every command.
//
// Sets that are not alike are refused, not brought together: a column of another class under the same number gives
// figures that look sound. Errors (Error) name the file, what was expected as in the first set, and what was found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/outputs.h"

namespace leeway {

struct OutputsShards;

// A view of one set; valid as long as the set is.
struct Columns {
  std::string_view path;
  std::size_t k = 0;
  bool from_probs = false;
  std::span<const std::string> class_names;  // empty or k
  LabelCoding coding = LabelCoding::none;
};
[[nodiscard]] Columns columns_of(const Outputs& outputs);
[[nodiscard]] Columns columns_of(const OutputsShards& shards);

// As many classes, and where both name them the same names in the same order.
void require_same_classes(const Columns& first, const Columns& other);

// Logits in both, or probabilities in both: logarithms of probabilities are logits less a number of their own in
// every row.
void require_same_scores(const Columns& first, const Columns& other);

// Not labels from 1 to k in one and labels without 0 and k in the other, which fit both countings.
void require_same_coding(const Columns& first, const Columns& other);

void require_alike(const Columns& first, const Columns& other);  // all of these

}  // namespace leeway
