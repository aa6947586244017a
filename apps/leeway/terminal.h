// Progress on stderr, and what Ctrl-C does.
#pragma once

#include <string>
#include <string_view>

#include "leeway/core/progress.h"

namespace leeway::app {

// A bar that redraws itself when stderr is a terminal, a line every five seconds otherwise; silent for work
// shorter than half a second. SIGINT and SIGTERM set stop_requested(); a second one ends the process at once.
class TerminalProgress : public Progress {
 public:
  explicit TerminalProgress(bool silent);
  ~TerminalProgress() override;
  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) override;
  [[nodiscard]] bool stop_requested() const override;

 private:
  void clear_line();
  bool silent_, is_terminal_;
  bool drawn_ = false;
  double started_ = 0, last_ = 0;
  std::string task_;
};

}  // namespace leeway::app
