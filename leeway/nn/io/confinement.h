// Threads that can only compute, for untrusted programs.
//
// A seccomp(2) filter stops a confined thread, and all threads it starts, from writing, creating or removing
// files, starting programs, opening sockets and accessing other processes. It may read files and use memory
// and open descriptors. This is irreversible, hence separate threads. It restricts operations, not memory:
// for interpreted programs, not machine code.
#pragma once

#include <functional>
#include <string>

namespace leeway::nn {

// "" if this machine can confine threads, otherwise a short reason. Cached.
[[nodiscard]] std::string why_not_confined();

// Runs `work` and its loops (core/parallel.h) on confined threads. Denied operations: Error "NAME: expected a
// program that only computes, found one that writes files (...)", even if `work` ignores the denial. Other
// exceptions pass. std::runtime_error if threads cannot be confined. One call at a time; the first one sets
// the process's SIGSYS handler. Cost: 50 us per thread.
void run_confined(const std::string& name, const std::function<void()>& work);

}  // namespace leeway::nn
