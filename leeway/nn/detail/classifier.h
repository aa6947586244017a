// A model as the functions that analyses ask (core/classifier.h).
#pragma once

#include "leeway/core/classifier.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

// Runs on `device`; `forward` must outlive the result. `jacobian` is empty or gives gradients of many classes
// at once; it runs once here, because LibTorch compiles kernels at the first batch of each size. Shards
// (tensors.h) depend on the number of rows and classes alone: same bits for any number of threads. Gradients
// of some classes equal those among all classes within 1e-5 of the largest entry, unless rounding flips a
// relu: OpenBLAS's order of summation depends on batch size and row.
[[nodiscard]] Classifier make_classifier(ForwardFunction forward, JacobianFunction jacobian,
                                         const InputShape& input, std::size_t classes,
                                         torch::Device device = torch::kCPU);

}  // namespace leeway::nn
