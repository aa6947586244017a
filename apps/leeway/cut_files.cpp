#include "apps/leeway/cut_files.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "apps/leeway/command.h"
#include "leeway/core/file_checks.h"

namespace leeway::app {
namespace {

void say(const char* text) {
  const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

// Only what a signal handler may call. The part that opens models keeps a table of mappings of its own, hence a file
// without a name.
extern "C" void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    return;
  }
  const char* const name = mapped_name(info->si_addr);
  say("leeway: ");
  say(name != nullptr ? name : "an input file");
  say(": expected the whole file, found it cut short while it was read\n");
  ::_exit(exit_input);
}

}  // namespace

void end_where_files_are_cut() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace leeway::app
