#include "leeway/sweep/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <thread>

#include "leeway/core/parallel.h"
#include "leeway/sweep/detail/job.h"
#include "leeway/sweep/detail/queue.h"
#include "leeway/sweep/input_words.h"
#include "leeway/sweep/unit_outputs.h"

namespace leeway::sweep {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds tick{.05}, first_look{.1}, last_look{2}, grace{10};

class UnitRunner {
 public:
  UnitRunner(const PlanFile& plan, const Store& store, const RunOptions& options)
      : plan_(plan),
        store_(store),
        options_(options),
        runner_(store, options.lease),
        queue_(plan, store, options),
        inputs_(plan.inputs),
        outputs_(store) {}

  RunSummary run(Progress* progress) {
    const std::size_t jobs = jobs_that_fit(plan_.threads, plan_.memory, options_.jobs);
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(jobs, std::max<std::size_t>(1, queue_.open())); ++i)
      workers.emplace_back([this] { work(); });
    watch(progress);
    for (std::thread& worker : workers) worker.join();
    if (error_) std::rethrow_exception(error_);
    RunSummary summary = queue_.summary();
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
    const PlannedUnit& planned = plan_.units[unit];
    const std::vector<std::string> words = plan_.words(planned);
    Job job(store_, runner_.name(), planned.name, words, options_.program);
    try {
      inputs_.check(words);
      for (const std::size_t needed : planned.needs) outputs_.check(plan_.units[needed].name);
      const Outcome outcome = job.run(
          jobs_, {[&] { inputs_.check(words); }, [this](double seconds) { return hopeless(seconds); }});
      runner_.release(planned.name, claim, outcome != Outcome::none);
      queue_.settle(unit, outcome);
    } catch (...) {
      store_.drop_work(planned.name, runner_.name());
      runner_.release(planned.name, claim, false);
      throw;
    }
  }

  // A task hears of its end a minute before it, or two.
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
        if (now - renewed > options_.lease / 8) runner_.renew(), renewed = now;
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
      if (interrupted_ && now - stopped > grace) jobs_.kill();
    }
    if (progress != nullptr && !interrupted_) {
      const Standing standing = queue_.standing();
      progress->update("units", standing.to_settle, standing.to_settle, "");
    }
  }

  const PlanFile& plan_;
  const Store& store_;
  const RunOptions& options_;
  const Clock::time_point begun_ = Clock::now();
  Runner runner_;
  Queue queue_;
  Jobs jobs_;
  Inputs inputs_;
  UnitOutputs outputs_;
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

void forget_failures(const PlanFile& plan, const Store& store) {
  const auto failed = store.listed(Outcome::failed);
  for (const PlannedUnit& unit : plan.units)
    if (failed.contains(unit.name)) store.forget_failure(unit.name);
}

RunSummary run_units(const PlanFile& plan, const Store& store, const RunOptions& options,
                     Progress* progress) {
  return UnitRunner(plan, store, options).run(progress);
}

}  // namespace leeway::sweep
