// Runs programs of model files in a separate process: client.cpp starts it, server.cpp is its program.
#pragma once

#include "leeway/core/child_process.h"
#include "leeway/nn/io/load.h"

namespace leeway::nn {

// Loads a program (TorchScript, ONNX, .pt2) in a new process and returns what runs it there, with gradients
// by the images, for as many calls at once as threads() gives. The process ends with the last copy of the
// function. Same bits as in this process. Cost: a copy of images and outputs; .5 s for the start,
// or less if adopt_model_process was called.
//
// Errors: those of loading; a program that makes forbidden system calls, ends by a signal, takes more than
// its memory or more than most_seconds of processor time a call; every run after that. std::runtime_error
// if the process cannot be started.
[[nodiscard]] LoadedProgram load_confined(ModelInfo info, const InputShape& images);

// Passes a running process of leeway-model, in which load_confined runs the next model.
void adopt_model_process(ChildProcess process);

// The process: serves the channels that the caller sends (protocol.h) until the caller closes its end. It opens the
// file, then confines itself (confinement.h) and only then runs its program. Its memory is limited to 1 GiB +
// 64 times the file + 1024 times the images that it may hold at once, but at most 9/10 of the machine's. Returns the
// exit status; the threads of the channels still run, so the program ends without destructors.
int serve_model();

// Of processor time, for each call that runs at the same time.
inline constexpr int most_seconds = 600;

}  // namespace leeway::nn
