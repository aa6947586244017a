#include "leeway/sweep/run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/removal.h"
#include "leeway/describe/json.h"
#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/detail/queue.h"
#include "leeway/sweep/process.h"
#include "leeway/sweep/store.h"
#include "leeway/sweep/study.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Who ends a whole job ends the runner, too, a moment later.
constexpr std::chrono::milliseconds breath{500};
constexpr int most_tries = 3, gate_failed = 4, interrupted = 130;
constexpr std::string_view log_file = "log.txt";

bool was_killed(const Ended& ended) {
  constexpr std::array<int, 4> from_outside{SIGKILL, SIGTERM, SIGINT, SIGHUP};
  return std::ranges::find(from_outside, ended.signal) != from_outside.end() || ended.code == interrupted;
}

std::string last_line(const fs::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return printable(last.starts_with("leeway: ") ? last.substr(8) : last, 1000);
}

std::string words_of(const Ended& ended, const fs::path& log) {
  if (ended.signal != 0) {
    const char* const name = ::sigabbrev_np(ended.signal);
    return fmt::format("ended by signal {}", name == nullptr ? std::to_string(ended.signal) : name);
  }
  std::string line = last_line(log);
  if (!line.empty() && ended.code != 0) return line;
  return ended.code == 0 ? "ended without a record" : fmt::format("ended with exit code {}", ended.code);
}

bool says_full(const std::string& message) {
  return std::ranges::any_of(std::array{ENOSPC, EDQUOT}, [&](int code) {
    return message.find(std::system_category().message(code)) != std::string::npos;
  });
}

// The processes that run now, so that they can be ended together.
class Jobs {
 public:
  void add(const Process& process) {
    const std::scoped_lock lock(mutex_);
    running_.insert(&process);
    if (stopped_) process.stop(SIGTERM);
  }

  // Its end, once it has come; from then on its number may be another process's.
  [[nodiscard]] Ended end_of(const Process& process) {
    process.wait();
    const std::scoped_lock lock(mutex_);
    running_.erase(&process);
    return process.reap();
  }

  // Asks all to end, and those that come.
  void stop(int signal = SIGTERM) {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    stop_.notify_all();
    for (const Process* process : running_) process->stop(signal);
  }

  [[nodiscard]] bool is_stopped(std::chrono::steady_clock::duration within) {
    std::unique_lock lock(mutex_);
    return stop_.wait_for(lock, within, [&] { return stopped_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  std::set<const Process*> running_;
  bool stopped_ = false;
};

constexpr Seconds tick{.05}, first_look{.1}, last_look{2}, grace{10};

class UnitRunner {
 public:
  UnitRunner(const Plan& plan, const Store& store, const RunOptions& options)
      : plan_(plan),
        store_(store),
        options_(options),
        runner_(store, Seconds(options.asked.lease)),
        queue_(plan, store, options),
        files_(store, plan.inputs) {}

  tasks::SweepRunResult run(Progress* progress) {
    const std::size_t jobs = jobs_that_fit(plan_.threads, plan_.memory, options_.asked.jobs);
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(jobs, plan_.units.size()); ++i)
      workers.emplace_back([this] { work(); });
    watch(progress);
    for (std::thread& worker : workers) worker.join();
    if (error_) std::rethrow_exception(error_);
    tasks::SweepRunResult summary = queue_.summary();
    summary.jobs = jobs;
    if (interrupted_)
      throw Interrupted(fmt::format("interrupted: {} of {} units are done; the same command resumes",
                                    summary.done_before + summary.done + summary.done_elsewhere,
                                    summary.units));
    return summary;
  }

 private:
  void work() {
    while (const auto unit = queue_.next()) {
      try {
        attempt(*unit);
      } catch (...) {
        note_error();
        queue_.settle(*unit, Outcome::none);
      }
    }
  }

  void note_error() {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stop();
  }

  void attempt(std::size_t unit) {
    const std::string& name = plan_.units[unit].name;
    const std::size_t claim = runner_.claim(name);
    // Behind the claim: whoever held it before has left what there is to see.
    const bool ended = claim > 0 && store_.outcome(name) != Outcome::none;
    if (ended) runner_.release(name, claim, true);
    if (claim == 0 || ended)
      queue_.meet_others(unit);
    else
      run_claimed(unit, claim);
  }

  void run_claimed(std::size_t unit, std::size_t claim) {
    const Unit& planned = plan_.units[unit];
    try {
      files_.check_inputs(planned.words);
      for (const std::string& needed : planned.needs) files_.check_outputs(needed);
      const Outcome outcome = run_unit(planned.name, planned.words);
      runner_.release(planned.name, claim, outcome != Outcome::none);
      queue_.settle(unit, outcome);
    } catch (...) {
      store_.drop_work(planned.name, runner_.name());
      runner_.release(planned.name, claim, false);
      throw;
    }
  }

  // None: it was stopped. DiskFull where that is why it failed.
  [[nodiscard]] Outcome run_unit(const std::string& unit, const std::vector<std::string>& words) {
    Ended ended;
    double seconds = 0;
    for (int tries = 1; tries <= most_tries; ++tries) {
      store_.make_work(unit, runner_.name());
      const auto started = Clock::now();
      const Process process(options_.program, words, store_.work(unit, runner_.name()), record_file,
                            log_file);
      jobs_.add(process);
      ended = jobs_.end_of(process);
      seconds = Seconds(Clock::now() - started).count();
      if (!was_killed(ended)) break;
      if (jobs_.is_stopped(tries < most_tries ? tries * breath : Clock::duration::zero())) {
        if (const std::string why = hopeless(seconds); !why.empty())
          return fail(unit, {why, ended.code, seconds});
        store_.drop_work(unit, runner_.name());
        return Outcome::none;
      }
    }
    return finish(unit, words, ended, seconds);
  }

  [[nodiscard]] Outcome finish(const std::string& unit, const std::vector<std::string>& words,
                               const Ended& ended, double seconds) {
    const fs::path work = store_.work(unit, runner_.name()), log = work / log_file;
    struct stat record {};
    struct stat said {};
    const bool has_record = ::stat((work / record_file).c_str(), &record) == 0 && record.st_size > 0;
    if (::stat(log.c_str(), &said) == 0 && said.st_size == 0) discard_made(work, log);
    files_.check_inputs(words);
    if (has_record && (ended.code == 0 || ended.code == gate_failed)) {
      write_digests(work);
      store_.keep(unit, runner_.name(), Outcome::done);
      return Outcome::done;
    }
    const Failure failure{words_of(ended, log), ended.code, seconds};
    if (says_full(failure.message))
      throw DiskFull(fmt::format("{}: {}", display_name(store_.folder()), failure.message));
    return fail(unit, failure);
  }

  [[nodiscard]] Outcome fail(const std::string& unit, Failure failure) const {
    const std::string text = record_text(written([&](Fields& f) { fields(failure, f); }));
    write_plain(store_.work(unit, runner_.name()) / "failure.json", text);
    store_.keep(unit, runner_.name(), Outcome::failed);
    return Outcome::failed;
  }

  // Why a unit that was stopped after `seconds` should not start again; empty if it should. A task hears of
  // its end a minute before it, or two.
  [[nodiscard]] std::string hopeless(double seconds) const {
    constexpr double begun_with_it = 30, warned_before = 125;
    const double lived = Seconds(Clock::now() - begun_).count();
    if (options_.limit == 0 || !interrupted_ || lived < options_.limit - warned_before ||
        lived - seconds > begun_with_it)
      return "";
    return fmt::format("not done within the time limit of {:.0f} s: increase --time, then use --retry",
                       seconds);
  }

  void stop() {
    queue_.stop();
    jobs_.stop();
  }

  // The calling thread shows progress, handles Ctrl-C, renews the lease, and checks the units of others.
  void watch(Progress* progress) {
    Clock::time_point renewed = Clock::now(), looked = renewed, stopped{};
    Seconds look_every = first_look;
    while (!queue_.wait_until_idle(tick)) {
      const auto now = Clock::now();
      try {
        if (now - renewed > Seconds(options_.asked.lease / 8)) runner_.renew(), renewed = now;
        if (now - looked > look_every || queue_.needs_last_look()) {
          look_every = queue_.look_at_others(runner_) ? first_look : std::min(look_every * 2, last_look);
          looked = Clock::now();
        }
      } catch (...) {
        note_error();
      }
      if (progress != nullptr) {
        const Standing standing = queue_.standing();
        progress->update("units", standing.settled, standing.to_settle,
                         standing.failed > 0 ? fmt::format("{} failed", standing.failed) : "");
        if (progress->stop_requested() && !interrupted_) {
          interrupted_ = true;
          stopped = now;
          stop();
        }
      }
      if (interrupted_ && now - stopped > grace) jobs_.stop(SIGKILL);
    }
    const std::size_t all = queue_.standing().to_settle;
    if (progress != nullptr && !interrupted_) progress->update("units", all, all, "");
  }

  const Plan& plan_;
  const Store& store_;
  const RunOptions& options_;
  const Clock::time_point begun_ = Clock::now();
  Runner runner_;
  Queue queue_;
  Jobs jobs_;
  CheckedFiles files_;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::atomic<bool> interrupted_ = false;  // by its user or its machine, not by an error
};

}  // namespace

std::uint64_t available_memory() {
  std::uint64_t available = std::uint64_t{1} << 62;
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (std::uint64_t kilobytes = 0; word == "MemAvailable:" && info >> kilobytes)
      available = kilobytes * 1024;
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  if (std::uint64_t most = 0; limit >> most) available = std::min(available, most);
  return available;
}

std::size_t jobs_that_fit(std::size_t threads, std::uint64_t memory, std::size_t jobs) {
  if (jobs == 0) jobs = static_cast<std::size_t>(leeway::threads()) / threads;
  if (memory > 0) jobs = std::min<std::size_t>(jobs, available_memory() / memory);
  return std::max<std::size_t>(jobs, 1);
}

void forget_failures(const Plan& plan, const Store& store) {
  const auto failed = store.listed(Outcome::failed);
  for (const Unit& unit : plan.units)
    if (failed.contains(unit.name)) store.forget_failure(unit.name);
}

tasks::SweepRunResult run_units(const Plan& plan, const Store& store, const RunOptions& options,
                                Progress* progress) {
  return UnitRunner(plan, store, options).run(progress);
}

}  // namespace leeway::sweep
