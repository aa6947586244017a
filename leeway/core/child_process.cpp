#include "leeway/core/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "leeway/core/message.h"

extern char** environ;

namespace leeway {

ChildProcess start_child(const std::filesystem::path& program) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), display_name(program) + ": cannot be started");
  };
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], child_socket);  // first: the others may replace ends[1]
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, child_socket + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t every, none;
  sigfillset(&every), sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &every);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  std::string name = program.filename().string();
  char* const arguments[] = {name.data(), nullptr};
  ChildProcess child{-1, ends[0]};
  const int error = posix_spawn(&child.id, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error == 0) return child;
  close(ends[0]);
  fail(error);
  return child;
}

}  // namespace leeway
