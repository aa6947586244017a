#include "apps/leeway/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "apps/leeway/command.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/sweep/process.h"

namespace leeway::app {
namespace {

std::atomic<int> stop_signals{0};

constexpr unsigned patience = 1;  // seconds

// Of the innermost HardStop alive: set before `armed`, so that a signal finds them whole.
std::array<char, 512> last_words{};
std::atomic<std::size_t> last_words_size{0};
std::atomic<bool> armed{false};
const HardStop* innermost = nullptr;

extern "C" void on_signal(int) {
  if (stop_signals.fetch_add(1) > 0) _exit(exit_interrupted);
  if (armed.load()) alarm(patience);
}

extern "C" void on_alarm(int) {
  if (!armed.load()) return;
  (void)!write(STDERR_FILENO, last_words.data(), last_words_size.load());
  _exit(exit_interrupted);
}

// Async-signal-safe. The model library keeps its own table of mappings, hence a file without a name.
extern "C" void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    return;
  }
  const char* const name = mapped_name(info->si_addr);
  for (const char* const text : {"leeway: ", name != nullptr ? name : "an input file",
                                 ": expected the whole file, but it was truncated during reading\n"})
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(exit_input);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int columns_of(int file, int otherwise) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

int columns() { return columns_of(STDERR_FILENO, 80); }

std::string duration(double seconds) {
  const long s = std::lround(seconds);
  return s < 60 ? fmt::format("{} s", s) : fmt::format("{}:{:02} min", s / 60, s % 60);
}

constexpr double first_after = .5, bar_every = .1, line_every = 5;

}  // namespace

HardStop::HardStop(const std::string& words)
    : line_("leeway: " + words + "\n"), outer_(std::exchange(innermost, this)) {
  struct sigaction action {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  arm();
  if (stop_signals.load() > 0) alarm(patience);
}

HardStop::~HardStop() {
  armed = false;
  alarm(0);
  innermost = outer_;
  if (outer_ != nullptr) outer_->arm();
}

void HardStop::arm() const {
  armed = false;
  last_words_size = std::min(line_.size(), last_words.size());
  std::copy_n(line_.begin(), last_words_size.load(), last_words.begin());
  armed = true;
}

TerminalProgress::TerminalProgress(bool silent, std::function<void()> before_first)
    : silent_(silent), is_terminal_(isatty(STDERR_FILENO) == 1), before_first_(std::move(before_first)) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

TerminalProgress::~TerminalProgress() { clear_line(); }

void TerminalProgress::clear_line() {
  if (drawn_ && is_terminal_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void TerminalProgress::update(std::string_view task, std::size_t done, std::size_t total,
                              std::string_view note) {
  if (silent_) return;
  const double time = now();
  if (task_ != task) {
    clear_line();
    task_ = task;
    started_ = last_ = time;
  }
  const double elapsed = time - started_;
  const bool finished = done >= total;
  const double wait = is_terminal_ ? (drawn_ ? bar_every : first_after) : line_every;
  if (finished ? !drawn_ : time - last_ < wait) return;
  last_ = time;
  const double share = total == 0 ? 1. : std::min(1., static_cast<double>(done) / static_cast<double>(total));
  std::string text = fmt::format("{} {}/{}", task, done, total);
  if (done > 0 && !finished) text += fmt::format(", {} left", duration(elapsed / share - elapsed));
  if (!note.empty()) text += fmt::format(", {}", printable(note));
  if (before_first_) std::exchange(before_first_, {})();
  if (!is_terminal_) {
    std::fputs((text + "\n").c_str(), stderr);
  } else if (finished) {
    clear_line();
    return;
  } else {
    const int width = std::clamp(columns() - static_cast<int>(text.size()) - 4, 0, 30);
    const int full = static_cast<int>(share * width);
    std::string bar;
    for (int i = 0; i < width; ++i) bar += i < full ? "━" : "─";
    std::fputs(fmt::format("\r\033[K{} {}", bar, text.substr(0, static_cast<std::size_t>(columns()))).c_str(),
               stderr);
  }
  std::fflush(stderr);
  drawn_ = true;
}

void end_where_files_are_cut() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond a size limit fails with an error
}

void end_with_runner() {
  const char* const runner = std::getenv(sweep::runner_variable);
  if (runner == nullptr) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (std::to_string(getppid()) != runner) _exit(exit_interrupted);  // it ended before
  unsetenv(sweep::runner_variable);
}

bool TerminalProgress::stop_requested() const { return stop_signals.load() > 0; }

std::size_t output_width() {
  return static_cast<std::size_t>(std::clamp(columns_of(STDOUT_FILENO, 100), 80, 240));
}

}  // namespace leeway::app
