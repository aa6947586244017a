// Whether a classifier answers the same twice: dropout and batch statistics that were left on make chance of every result.
//
// Two passes of the first rows, at most 16, may differ by rounding alone: by 1e-5 of the largest logit. One of half of
// them may differ from both by .02 of it, as kernels round differently in batches of another size, but not on most rows.
// Model::variation (nn/model.h) asks the same of a model that nn loaded.
//
// Errors (Error): logits that are not finite, with their row. Cost: two passes of 16 rows and one of 8.
#pragma once

#include <optional>
#include <string>

#include "leeway/record/model_reading.h"
#include "leeway/tasks/average_case.h"

namespace leeway::tasks {

// Nothing where it answers the same.
[[nodiscard]] std::optional<record::ModelVariation> variation_of(const ClassifierInputs& model);

// "logits that differ by up to .3 between two passes of the same 16 images (4 of the predictions differ)"; what the
// rows are is said in the singular.
[[nodiscard]] std::string variation_text(const record::ModelVariation& variation, const std::string& row);

}  // namespace leeway::tasks
