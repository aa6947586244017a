// Starts this program as another process and waits for it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace leeway::sweep {

// The variable that tells a process the runner it is to end with.
inline constexpr const char* runner_variable = "LEEWAY_SWEEP_RUNNER";

struct Ended {
  int code = 0;    // exit code, or 128 and the signal
  int signal = 0;  // that ended it; 0: none
};

class Process {
 public:
  // Starts `program` (empty: this one; without a slash: on the PATH) with `words` in `folder`, output to the
  // named files, in its own process group. std::runtime_error: it cannot be started.
  Process(const std::string& program, const std::vector<std::string>& words,
          const std::filesystem::path& folder, const std::filesystem::path& out,
          const std::filesystem::path& err);

  // Waits until it has ended, and leaves it as it is: the number is still its own.
  void wait() const;
  // Its end. To be called once, after wait().
  [[nodiscard]] Ended reap() const;
  void stop(int signal) const;  // it and those it started

 private:
  pid_t pid_ = -1;
};

}  // namespace leeway::sweep
