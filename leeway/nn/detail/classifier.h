// A model as the functions that analyses ask (core/classifier.h).
#pragma once

#include "leeway/core/classifier.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

// Passes run on `device`. `forward` must outlive the result; `jacobian` is empty or gives gradients of many classes at once,
// and then passes once here: LibTorch compiles kernels for a size of batch when it first meets it, which should not count as the time of
// whoever asks first. Passes run in shards, one thread each (shards.h), whose size depends on the number of rows, and
// with `jacobian` on that of the classes asked for: the same bits for any number of threads. The gradient of a class among
// some classes is that among all to float32's rounding, within 1e-5 of the largest of its numbers, unless a rounding decides
// a relu: kernels of OpenBLAS add in an order that depends on the size of a batch and on a row's place in it.
[[nodiscard]] Classifier make_classifier(ForwardFunction forward, JacobianFunction jacobian,
                                         const InputShape& input, std::size_t classes,
                                         torch::Device device = torch::kCPU);

}  // namespace leeway::nn
