// A model whose program runs on confined threads (io/confinement.h).
#pragma once

#include <memory>

#include "leeway/nn/model.h"

namespace leeway::nn {

// `model` with every call that may run it on confined threads; the same results.
[[nodiscard]] std::unique_ptr<Model> confined_model(std::unique_ptr<Model> model);

}  // namespace leeway::nn
