// A model as the functions that analyses ask (core/classifier.h).
#pragma once

#include "leeway/core/classifier.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// `forward` must outlive the result. Passes run in shards whose size depends on the number of rows alone, one thread each
// (shards.h): the same bits for any number of threads.
[[nodiscard]] Classifier make_classifier(ForwardFunction forward, const InputShape& input,
                                         std::size_t classes);

}  // namespace leeway::nn
