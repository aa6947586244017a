// Starts a program that this process talks to over a socket.
//
//   const ChildProcess child = start_child("/usr/lib/leeway/leeway-model");
#pragma once

#include <filesystem>

namespace leeway {

struct ChildProcess {
  int id = -1;      // for kill and waitpid
  int socket = -1;  // a stream that closes on exec; the program has the other end
};

inline constexpr int child_socket = 3;  // descriptor of the program's end

// The program has no other open file: standard input, output and error are /dev/null. Its signals have their default
// actions, and it has a session of its own, so that Ctrl-C in a terminal reaches this process alone.
// std::system_error if it cannot be started.
[[nodiscard]] ChildProcess start_child(const std::filesystem::path& program);

}  // namespace leeway
