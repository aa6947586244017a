// Models from files: what a file is, is told by its content.
#pragma once

#include <memory>

#include "leeway/nn/session.h"

namespace leeway::nn {

[[nodiscard]] std::unique_ptr<Model> load_model(const ModelSource& source);

// A TorchScript module, in evaluation mode and without the optimisations that would make a first run differ
// from later ones. It may return logits, or (logits, features).
[[nodiscard]] std::unique_ptr<Model> load_torchscript(ModelInfo info);

}  // namespace leeway::nn
