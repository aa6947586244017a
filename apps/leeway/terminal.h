// Progress on stderr, and what signals do: Ctrl-C, and SIGBUS of a file that another process cuts short.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "leeway/core/progress.h"

namespace leeway::app {

// A bar that redraws itself when stderr is a terminal, a line every five seconds otherwise; silent for work
// shorter than half a second. SIGINT and SIGTERM set stop_requested(); a second one ends the process at once.
class TerminalProgress : public Progress {
 public:
  // `before_first` is called before anything is shown.
  explicit TerminalProgress(bool silent, std::function<void()> before_first = {});
  ~TerminalProgress() override;
  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) override;
  [[nodiscard]] bool stop_requested() const override;

 private:
  void clear_line();
  bool silent_, is_terminal_;
  std::function<void()> before_first_;
  bool drawn_ = false;
  double started_ = 0, last_ = 0;
  std::string task_;
};

// During its lifetime, a stop signal that is not handled within a second ends the process with these words
// and exit code 130. Use this for work with steps that are slow or may never end. Several are destroyed in
// reverse order; the innermost one applies.
class HardStop {
 public:
  explicit HardStop(const std::string& words);
  ~HardStop();
  HardStop(const HardStop&) = delete;
  HardStop& operator=(const HardStop&) = delete;

 private:
  void arm() const;
  std::string line_;
  const HardStop* outer_;
};

// From now on a file that is cut short while it is read ends the process: one line on stderr that names it, and exit code
// 3. Files are memory-mapped, and bytes that are gone raise SIGBUS; nothing that was computed from them can be kept.
void end_where_files_are_cut();

// A unit of a sweep ends at once where its runner does, however that ended: nobody waits for it.
void end_with_runner();

// Columns for results: those of the terminal on stdout, 100 for a file.
[[nodiscard]] std::size_t output_width();

}  // namespace leeway::app
