#include "python/src/guard.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <thread>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/progress.h"

namespace leeway::python {
namespace {

std::atomic<bool> ending{false};
std::atomic<int> calls{0};  // that have not stopped; calls within a call do not count
std::thread::id main_thread;
thread_local int depth = 0;

std::atomic<unsigned> cuts{0};
std::array<char, 4096> cut_file{};
std::uintptr_t page_size = 4096;
struct sigaction handler_before {};

// Async-signal-safe.
extern "C" void on_cut_file(int signal, siginfo_t* info, void* context) {
  const bool ours = calls.load() > 0 && info->si_code == BUS_ADRERR;
  if (const char* const name = ours ? mapped_name(info->si_addr) : nullptr; name != nullptr) {
    void* const page =
        reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(info->si_addr) & ~(page_size - 1));
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
      std::strncpy(cut_file.data(), name, cut_file.size() - 1);
      ++cuts;
      return;
    }
  }
  if ((handler_before.sa_flags & SA_SIGINFO) != 0)
    handler_before.sa_sigaction(signal, info, context);
  else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
    handler_before.sa_handler(signal);
  else
    std::signal(signal, SIG_DFL);  // the same access ends the process
}

void listen_for_cut_files() {
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_cut_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, &handler_before);
}

// Without the GIL.
[[noreturn]] void stay() {
  --calls;
  for (;;) ::pause();
}

// The main thread, which holds the GIL.
void stop_calls() {
  main_thread = std::this_thread::get_id();
  ending = true;
  const nb::gil_scoped_release release;
  constexpr auto step = std::chrono::milliseconds(1);
  for (int waited = 0; calls.load() > 0 && waited < 10'000; ++waited) std::this_thread::sleep_for(step);
}

}  // namespace

Call::Call() : cuts_(cuts.load()) {
  static const bool once = (listen_for_cut_files(), true);
  (void)once;
  if (depth++ == 0) ++calls;
  if (!python_ends()) return;
  (void)PyEval_SaveThread();
  stay();
}

Call::~Call() {
  if (--depth == 0) --calls;
}

void Call::check_files() const {
  if (cuts.load() != cuts_) refuse(cut_file.data(), "the whole file", "a file truncated during reading");
}

Released::~Released() {
  if (python_ends()) stay();
  PyEval_RestoreThread(state_);
}

Acquired::Acquired() {
  if (python_ends()) throw Interrupted("stopped: Python is shutting down");
  state_ = PyGILState_Ensure();
}

bool python_ends() noexcept { return ending.load() && std::this_thread::get_id() != main_thread; }

void stop_calls_at_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(stop_calls));
  pthread_atfork(nullptr, nullptr, [] { calls = 0; });  // a child process has one thread
}

}  // namespace leeway::python
