// Opens the library that runs models on first use: loading LibTorch takes .4 s.
//
// Search order: $LEEWAY_NN_LIBRARY, ../lib beside the folder of the executable (or its installed name), the
// library folder of the installation. std::runtime_error (one line): missing, not loadable, or another
// version.
#pragma once

#include "leeway/nn/session.h"

namespace leeway::app {

// `threads` as for leeway::set_threads.
[[nodiscard]] nn::Session& model_session(int threads);

}  // namespace leeway::app
