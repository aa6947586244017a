// What leeway bound computes: the error on a target without labels, bounded by Dis2 and estimated.
//
// Estimates use all rows of both sets; Dis2 is measured on the rows that are held out. Labels of the source are those given
// or those of its outputs. Labels of the target change nothing but what is said of them. BoundOptions::binary and ::as say
// how sets were read; they are recorded here and heeded by those who open sets.
//
// Errors (Error): a representation of another form, sets that are not alike (core/columns.h), those of what opens sets and
// of the functions of leeway/error_bound. Interrupted, where `progress` asks to stop. Cost and determinism:
// error_bound/dis2.h, estimator.h.
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
  std::function<std::vector<std::int64_t>(std::size_t n, std::size_t k)> labels = {};
  record::BoundOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Bound bound(const BoundTask& task, Progress* progress = nullptr);

inline constexpr std::string_view representation_forms =
    "logits, features, pca:COMPONENTS, pca:1/F or pca:range";
// None where the text is of another form. pca:range is read as pca:1/1.
[[nodiscard]] std::optional<error_bound::Representation> representation_of(std::string_view text);

}  // namespace leeway::tasks
