// A model as the functions that analyses ask (core/classifier.h).
#pragma once

#include "leeway/core/classifier.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// `forward` must outlive the result; `jacobian` is empty or gives gradients of many classes at once, and then passes once
// here: LibTorch compiles kernels for a size of batch when it first meets it, which should not count as the time of
// whoever asks first. Passes run in shards whose size depends on the number of rows alone, one thread each (shards.h): the
// same bits for any number of threads.
[[nodiscard]] Classifier make_classifier(ForwardFunction forward, JacobianFunction jacobian,
                                         const InputShape& input, std::size_t classes);

}  // namespace leeway::nn
