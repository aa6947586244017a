// A process that can only compute, for programs of model files.
//
// A seccomp(2) filter allows the calls that arithmetic, memory and threads need, and reading and writing of
// open descriptors. It refuses every other call: to open, create or remove files, to start programs, to open
// sockets, to reach into other processes. Irreversible; threads inherit it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leeway::nn {

// "" if this machine can confine a process, otherwise a short reason. Cached.
[[nodiscard]] std::string why_not_confined();

enum class Confine {
  read,     // files may be opened for reading
  compute,  // no file may be opened
};

// Confines the calling thread and those it starts. A second call can only confine further. The first call sets
// the process's SIGSYS handler. std::runtime_error if the system refuses.
void confine(Confine limits);

// What the last refused call of this process does, "writes files"; empty: none since the last question. Calls
// whose failure libraries expect, such as a look at /sys, do not count.
[[nodiscard]] std::string_view refused_act();

// Limits the memory that this process may write to, and forbids core dumps and files of its own.
void limit_memory(std::size_t bytes);

}  // namespace leeway::nn
