// The OpenMP threads that LibTorch uses for training.
#pragma once

namespace leeway::nn {

// Threads that a parallel region gets out of `wanted`: fewer under OMP_THREAD_LIMIT or OMP_MAX_ACTIVE_LEVELS.
// Turns OMP_DYNAMIC off for this thread. LibTorch must get this number: oneDNN waits for all of them.
[[nodiscard]] int openmp_team(int wanted);

}  // namespace leeway::nn
