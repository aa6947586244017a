// The threads that OpenMP gives, on which LibTorch's kernels run where a network is trained.
#pragma once

namespace leeway::nn {

// How many of `wanted` threads a parallel region of this thread gets, now and later: fewer where the environment sets
// a limit (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS). Regions of changing size (OMP_DYNAMIC) are switched off for this thread.
// LibTorch must be told this number: the convolutions' kernels (oneDNN) wait for as many threads as they were promised.
[[nodiscard]] int openmp_team(int wanted);

}  // namespace leeway::nn
