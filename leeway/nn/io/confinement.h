// Threads that compute and can do nothing else to the machine, for programs of strangers.
//
// A confined thread, and every thread that it starts, is refused by the kernel (seccomp(2), a filter of system calls)
// what would write, make, change or remove files, start programs, open sockets or reach into other processes. It still reads
// files, uses memory and what was open before. There is no way back, hence threads of their own: the other threads of the
// process keep all rights. The confinement is one of operations, not of memory: it is meant for interpreted programs, whose
// acts are calls of a library, not for machine code.
#pragma once

#include <functional>
#include <string>

namespace leeway::nn {

// "" where this machine can confine threads, otherwise why it cannot, in a few words. Asked of the kernel once.
[[nodiscard]] std::string why_not_confined();

// Runs `work` on a confined thread; its loops (core/parallel.h) run on confined threads, too. Where it tried what is refused:
// Error "NAME: expected a program that only computes, found one that writes files (...)", whatever it made of the refusal.
// Other exceptions are passed on. std::runtime_error where threads cannot be confined. Results as on other threads. One
// call at a time; the first one sets the process's handler of SIGSYS. Cost: 50 us a thread (core/own_threads.h).
void run_confined(const std::string& name, const std::function<void()>& work);

}  // namespace leeway::nn
