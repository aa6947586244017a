// Opens the part that runs models, on first use: loading LibTorch takes .4 s, which commands without a model
// need not wait for.
//
// Looked for in this order: the file $LEEWAY_NN_LIBRARY, ../lib beside the folder of the executable (or the
// installed name of it), the library folder of the installation. Throws std::runtime_error with one line
// where it is missing, does not load, or is of another version.
#pragma once

#include "leeway/nn/session.h"

namespace leeway::app {

// `threads` as for leeway::set_threads.
[[nodiscard]] nn::Session& model_session(int threads);

}  // namespace leeway::app
