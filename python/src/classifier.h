// leeway.Classifier: a classifier of Python functions, as core/classifier.h has it.
//
// The functions are called with the GIL, which analyses run without; each call gets arrays of its own. What they raise
// comes out of the analysis as it is. Before anything is computed two passes of the first rows are compared (tasks/variation.h).
//
// Errors (Error): inputs of another shape than the classifier's, of another type than float32, float64 and uint8 (0 to 255 count as
// [0,1], as pixels do), not finite, none; what the functions return in place of logits (n,k) and gradients (n,m,d); answers that
// differ between two passes.
#pragma once

#include <nanobind/nanobind.h>

#include "leeway/core/array.h"
#include "leeway/tasks/average_case.h"

namespace leeway::python {

// `classifier`: an object with `logits`, `gradients` (or None) and `input_shape` (or None). Inputs are
// (n, *input_shape), or (n,d).
[[nodiscard]] tasks::ClassifierInputs classifier_inputs(nanobind::handle classifier, const Array& inputs);

}  // namespace leeway::python
