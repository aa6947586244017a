// Opens the library that runs models on first use: loading LibTorch takes .4 s.
//
// Search order: $LEEWAY_NN_LIBRARY, ../lib beside the folder of the executable (or its installed name), the
// library folder of the installation. std::runtime_error (one line): missing, not loadable, or another
// version.
#pragma once

#include <functional>
#include <vector>

#include "apps/leeway/command_line.h"
#include "leeway/nn/session.h"

namespace leeway::app {

// If an option names a program (TorchScript, ONNX, .pt2), starts the process that will run the file, so that this process
// loads LibTorch while the command reads data (docs/design/model-process.md). The library calls `commit_check`
// before it commits a file (core/file.h).
void prepare_models(const std::vector<Given>& given, std::function<void()> commit_check);

// `threads` as for leeway::set_threads.
[[nodiscard]] nn::Session& model_session(int threads);

}  // namespace leeway::app
