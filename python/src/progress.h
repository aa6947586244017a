// Progress bar like tqdm's, and Ctrl-C, while C++ works without the GIL.
//
// The bar goes to sys.stderr only if that is a terminal or notebook. A SIGINT is noticed at once; Python's
// handler then decides on the main thread whether the work ends.
#pragma once

#include <nanobind/nanobind.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>

#include "leeway/core/progress.h"

namespace leeway::python {

namespace nb = nanobind;

class Bar : public Progress {
 public:
  // The GIL is held here and in the destructor, and not while the library works.
  explicit Bar(bool quiet);
  ~Bar() override;
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) override;
  [[nodiscard]] bool stop_requested() const override;

  // What the handler of the signal raised, or KeyboardInterrupt. The GIL is held.
  [[noreturn]] void raise() const;

 private:
  using Clock = std::chrono::steady_clock;
  void write(const std::string& text) const;  // to sys.stderr

  bool shown_ = false, drawn_ = false, on_main_thread_ = false;
  std::size_t width_ = 0;  // of the line that is there
  std::string task_;
  Clock::time_point started_, last_;
  pthread_t caller_;
  struct sigaction before_ {};
  mutable std::unique_ptr<nb::python_error> raised_;
};

}  // namespace leeway::python
