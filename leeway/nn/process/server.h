// The process that runs the program of a model file; client.h starts it.
//
// It opens the file, then confines itself (confinement.h) and only then executes anything of it. Its memory is
// limited to 1 GiB + 64 times the file + 1024 times the images that it may hold at once, but at most 9/10 of
// the machine's.
#pragma once

namespace leeway::nn {

// Serves the channels that the caller sends (protocol.h) until the caller closes its end. Returns the exit status; the
// threads of the channels still run, so the program ends without destructors.
int serve_model();

}  // namespace leeway::nn
