// leeway.Classifier: a core/classifier.h classifier of Python functions.
//
// The functions are called with the GIL, which analyses release; each call gets new arrays. Their exceptions
// propagate unchanged. Two passes of the first rows are compared before the computation
// (tasks/variation.h).
//
// Errors (Error): inputs of another shape, not float32, float64 or uint8 (0 to 255 becomes [0,1]), not
// finite, or none; results that are not logits (n,k) and gradients (n,d), or differ between two passes.
#pragma once

#include <nanobind/nanobind.h>

#include "leeway/core/array.h"
#include "leeway/tasks/average_case/average_case.h"

namespace leeway::python {

// `classifier` has `logits`, `linearize` (or None), `input_shape` (or None). Inputs: (n, *input_shape) or
// (n,d).
[[nodiscard]] tasks::ClassifierInputs classifier_inputs(nanobind::handle classifier, const Array& inputs);
// The same of a classifier whose passes may differ.
[[nodiscard]] tasks::ClassifierInputs randomized_inputs(nanobind::handle classifier, const Array& inputs);

}  // namespace leeway::python
