// Which units of a plan a runner may begin. Its functions may be called from any thread.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "leeway/sweep/run.h"

namespace leeway::sweep {

struct Standing {
  std::size_t settled = 0, to_settle = 0, failed = 0;  // since the run began
};

class Queue {
 public:
  // Reads what is done and what has failed from the store's folders.
  Queue(const Plan& plan, const Store& store, const RunOptions& options);

  // A unit whose needs are done, now this thread's; waits for one. Nothing where there will be none.
  [[nodiscard]] std::optional<std::size_t> next();
  void settle(std::size_t unit, Outcome outcome);  // none: as if never begun
  // Another runner has claimed or settled the unit: reads its shard, then continues there or elsewhere.
  void meet_others(std::size_t unit);
  // Looks at some units of other runners, different ones each time; also at the runners of the first ones,
  // until these are settled. True if another look may soon pay: a unit is settled or free, or there is other
  // work.
  bool look_at_others(Runner& runner);
  // Without waiting for others: all that is left to do here is one look at what they are at.
  [[nodiscard]] bool needs_last_look() const;
  void stop();
  // True once nothing runs here and nothing will.
  bool wait_until_idle(std::chrono::duration<double> at_most);

  [[nodiscard]] Standing standing() const;
  [[nodiscard]] tasks::SweepRunResult summary() const;

 private:
  enum class State : unsigned char { waiting, ready, here, elsewhere, done, failed, blocked };
  static constexpr std::size_t state_count = 7;

  [[nodiscard]] std::size_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }
  void move(std::size_t unit, State to);
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] std::size_t settled() const;
  void leave_to_others(const std::vector<std::string>& stages);
  void make_ready();
  void turn_ready();
  bool end(std::size_t unit, Outcome outcome, bool here);
  void block_dependants(std::size_t unit);

  const Plan& plan_;
  const Store& store_;
  const bool wait_;
  std::vector<State> states_;
  std::vector<std::size_t> missing_;  // needs that are not done
  std::vector<std::vector<std::size_t>> dependants_;
  std::unordered_map<std::string, std::size_t> index_;
  std::deque<std::size_t> ready_;  // and some that are not any more
  std::vector<std::size_t> elsewhere_;
  std::array<std::size_t, state_count> counts_{};  // units by state
  tasks::SweepRunResult summary_;                  // done_before, done, done_elsewhere
  std::size_t settled_before_ = 0;
  bool stopped_ = false;
  std::size_t moves_ = 0,
              moves_seen_ = 0;  // units that ended here or were left to others; those before the last look
  bool looked_ = false;         // since the last move, and runners that live are at the units
  std::unordered_map<std::string, std::vector<std::size_t>> of_shard_;
  std::minstd_rand random_{std::random_device{}()};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace leeway::sweep
