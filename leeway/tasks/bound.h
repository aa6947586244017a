// The error on an unlabelled target, bounded by Dis2 and estimated.
//
// Estimates use all rows of both sets; Dis2 uses the held-out rows. Source labels are those given, else those
// of its outputs. Target labels change only what the record says of them. BoundOptions::binary and ::as are
// only recorded here; the caller that opens sets applies them.
// Errors (Error): a representation of another form, sets that differ (core/columns.h), those of opening sets
// and of leeway/error_bound. Interrupted on request. Cost and determinism: error_bound/dis2.h, estimator.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/record/bound.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

struct BoundTask {
  NamedOutputs source, target;
  // Labels of the n source rows of k classes; where it is not set, those of the outputs.
  GivenLabels labels = {};
  record::BoundOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::Bound bound(const BoundTask& task, Progress* progress = nullptr);

inline constexpr std::string_view representation_forms =
    "logits, features, kernel:logits, kernel:features, pca:COMPONENTS, pca:1/F or pca:range";
// None where the text is of another form. pca:range is read as pca:1/1.
[[nodiscard]] std::optional<error_bound::Representation> representation_of(std::string_view text);

}  // namespace leeway::tasks
