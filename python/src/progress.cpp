#include "python/src/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>

#include "leeway/core/message.h"
#include "python/src/guard.h"

namespace leeway::python {
namespace {

std::atomic<bool> interrupted{false};
struct sigaction python_handler {};  // that of the outermost call

extern "C" void on_interrupt(int signal) {
  interrupted.store(true);
  python_handler.sa_handler(signal);  // notes it for PyErr_CheckSignals
}

constexpr auto first_after = std::chrono::milliseconds(500), every = std::chrono::milliseconds(100);

bool is_main_thread() {
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("main_thread")().is(threading.attr("current_thread")());
}

// A terminal, or ipykernel's stream.
bool is_watched() {
  nb::object stream = nb::module_::import_("sys").attr("stderr");
  if (stream.is_none()) return false;
  const nb::object kind = nb::getattr(stream.type(), "__module__", nb::str(""));
  if (std::string_view(nb::str(kind).c_str()).starts_with("ipykernel.")) return true;
  const nb::object isatty = nb::getattr(stream, "isatty", nb::none());
  return !isatty.is_none() && nb::cast<bool>(isatty());
}

std::string clock_text(double seconds) {
  const long s = std::lround(seconds);
  return s < 3600 ? fmt::format("{:02}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// tqdm's: eighths of a cell.
std::string bar_text(double share, std::size_t cells) {
  constexpr std::array eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto parts = static_cast<std::size_t>(share * static_cast<double>(8 * cells));
  std::string bar;
  for (std::size_t i = 0; i < parts / 8; ++i) bar += "█";
  if (parts < 8 * cells) bar += eighths[parts % 8];
  const std::size_t filled = parts / 8 + (parts < 8 * cells && parts % 8 > 0 ? 1 : 0);
  return bar + std::string(cells - std::min(cells, filled), ' ');
}

}  // namespace

Bar::Bar(bool quiet) : on_main_thread_(is_main_thread()), caller_(pthread_self()) {
  shown_ = !quiet && is_watched();
  started_ = last_ = Clock::now();
  if (!on_main_thread_) return;
  sigaction(SIGINT, nullptr, &before_);
  const bool heard = (before_.sa_flags & SA_SIGINFO) == 0 && before_.sa_handler != SIG_IGN &&
                     before_.sa_handler != SIG_DFL && before_.sa_handler != on_interrupt;
  if (!heard) {
    on_main_thread_ = before_.sa_handler == on_interrupt;  // within a call of a call: the outer one listens
    before_ = {};
    return;
  }
  interrupted = false;
  python_handler = before_;
  struct sigaction action = before_;
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, nullptr);
}

Bar::~Bar() {
  if (before_.sa_handler != nullptr) sigaction(SIGINT, &before_, nullptr);
  if (!drawn_) return;
  try {
    write("\r" + std::string(width_, ' ') + "\r");
  } catch (...) {  // the stream is gone
  }
}

void Bar::write(const std::string& text) const {
  if (python_ends()) return;
  const nb::gil_scoped_acquire gil;
  try {
    const nb::object stream = nb::module_::import_("sys").attr("stderr");
    stream.attr("write")(nb::str(text.c_str(), text.size()));
    stream.attr("flush")();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("leeway's progress bar");
  }
}

void Bar::update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) {
  if (!shown_) return;
  const auto now = Clock::now();
  if (task_ != task) {
    task_ = task;
    started_ = last_ = now;
  }
  const bool finished = total > 0 && done >= total;  // 0: the total is not known
  if (finished ? !drawn_ : now - last_ < (drawn_ ? every : first_after)) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const double rate = elapsed > 0 ? static_cast<double>(done) / elapsed : 0;
  std::string line = fmt::format("{}: {}it [{}", printable(task), done, clock_text(elapsed));
  if (total > 0) {
    constexpr std::size_t cells = 20;
    const double share = std::min(1., static_cast<double>(done) / static_cast<double>(total));
    line = fmt::format("{}: {:3.0f}%|{}| {}/{} [{}<{}", printable(task), 100 * share, bar_text(share, cells),
                       done, total, clock_text(elapsed),
                       share > 0 ? clock_text(elapsed / share - elapsed) : "?");
  }
  line += fmt::format(", {:.2f}it/s{}{}]", rate, note.empty() ? "" : ", ", printable(note));
  const std::size_t width = text_width(line);
  write("\r" + line + std::string(width_ > width ? width_ - width : 0, ' '));
  width_ = width;
  drawn_ = true;
}

bool Bar::stop_requested() const {
  if (python_ends()) return true;
  if (!on_main_thread_ || !interrupted.load()) return false;
  if (pthread_equal(pthread_self(), caller_) == 0 || raised_) return true;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0)
    raised_ = std::make_unique<nb::python_error>();
  else
    interrupted.store(false);  // the program has a handler that goes on
  return raised_ != nullptr;
}

void Bar::raise() const {
  if (raised_) throw nb::python_error(*raised_);
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace leeway::python
