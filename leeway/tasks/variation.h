// Whether a classifier gives the same outputs twice; active dropout or batch statistics make results random.
//
// Two passes of the first rows, at most 16, may differ by rounding: 1e-5 of the largest logit. A pass of half
// of them may differ from both by .02 of it, as kernels round differently by batch size, but not on most
// rows. Model::variation (nn/model.h) checks a model that nn loaded likewise. Errors (Error): logits that are
// not finite, with their row. Cost: two passes of 16 rows and one of 8.
#pragma once

#include <optional>
#include <string>

#include "leeway/nn/model.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway::tasks {

// Nothing where it answers the same.
[[nodiscard]] std::optional<nn::Variation> variation_of(const ClassifierInputs& model);

// "logits that differ by up to .3 between two passes of the same 16 images (4 of the predictions differ)"
[[nodiscard]] std::string variation_text(const nn::Variation& variation, const std::string& row);

}  // namespace leeway::tasks
