#include "leeway/sweep/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "leeway/sweep/store.h"

extern char** environ;

namespace leeway::sweep {
namespace {

// Pointers into `texts`, and a last null.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Process::Process(const std::string& program, const std::vector<std::string>& words,
                 const std::filesystem::path& folder, const std::filesystem::path& out,
                 const std::filesystem::path& err) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  constexpr int create = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), create, 0666);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), create, 0666);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults, blocked;
  ::sigemptyset(&blocked);
  ::sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigmask(&attributes, &blocked);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is the runner's to pass on
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> texts{program.empty() ? "leeway" : program}, variables;
  texts.insert(texts.end(), words.begin(), words.end());
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  if (program.empty()) variables.push_back(fmt::format("{}={}", runner_variable, ::getpid()));
  const char* const path = program.empty() ? "/proc/self/exe" : program.c_str();
  const int code =
      ::posix_spawnp(&pid_, path, &actions, &attributes, pointers(texts).data(), pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) fail_at(folder, "cannot start a process", code);
}

void Process::wait() const {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

Ended Process::reap() const {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

void Process::stop(int signal) const { ::kill(-pid_, signal); }

}  // namespace leeway::sweep
