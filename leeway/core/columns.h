// Checks that two sets of outputs have comparable columns, for every command that compares sets.
//
// Sets that differ are refused, not aligned: a different class under the same number would give plausible but
// wrong figures. Errors (Error): file, expected (as in the first set), found.
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

// Logits in both or probabilities in both: log-probabilities are logits shifted by a constant per row.
void require_same_scores(const Columns& first, const Columns& other);

// Not labels from 1 to k in one and labels without 0 and k in the other, which fit both countings.
void require_same_coding(const Columns& first, const Columns& other);

void require_alike(const Columns& first, const Columns& other);  // all of these

}  // namespace leeway
