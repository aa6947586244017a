// One unit from its claim to its end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "leeway/sweep/process.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {

// The processes that run now, so that they can be ended together.
class Jobs {
 public:
  void add(const Process& process);
  // Its end, once it has come; from then on its number may be another process's.
  [[nodiscard]] Ended end_of(const Process& process);
  void stop();  // asks all to end, and those that come
  void kill();
  [[nodiscard]] bool is_stopped(std::chrono::steady_clock::duration within);

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  std::set<const Process*> running_;
  bool stopped_ = false;
};

struct JobRules {
  std::function<void()> before_keeping;  // what the process made, or its failure; may throw
  // Of a unit that was stopped after so many seconds: why there is no use in beginning it again; empty: there is.
  std::function<std::string(double seconds)> hopeless;
};

class Job {
 public:
  Job(const Store& store, std::string runner, std::string unit, std::vector<std::string> words,
      std::string program)
      : store_(store),
        runner_(std::move(runner)),
        unit_(std::move(unit)),
        words_(std::move(words)),
        program_(std::move(program)) {}

  // None: it was stopped. DiskFull where that is why it failed.
  [[nodiscard]] Outcome run(Jobs& jobs, const JobRules& rules) const;

 private:
  [[nodiscard]] bool finish(const Ended& ended, double seconds, const JobRules& rules) const;
  void fail(Failure failure) const;
  const Store& store_;
  const std::string runner_, unit_;
  const std::vector<std::string> words_;
  const std::string program_;
};

}  // namespace leeway::sweep
