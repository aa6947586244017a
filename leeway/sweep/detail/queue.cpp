#include "leeway/sweep/detail/queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "leeway/core/message.h"

namespace leeway::sweep {
namespace {

// A look of one runner, so that a thousand runners that look at a thousand units do not wear a file server out.
constexpr std::size_t units_looked_at = 32;   // whether they have ended
constexpr std::size_t runners_looked_at = 8;  // whether they live; always the same ones, until that is known

}  // namespace

Queue::Queue(const Plan& plan, const Store& store, const RunOptions& options)
    : plan_(plan), store_(store), wait_(!options.asked.no_wait) {
  const std::size_t n = plan.units.size();
  states_.assign(n, State::waiting);
  dependants_.resize(n);
  missing_.assign(n, 0);
  for (std::size_t unit = 0; unit < n; ++unit) {
    index_.emplace(plan.units[unit].name, unit);
    of_shard_[shard_of(plan.units[unit].name)].push_back(unit);
    missing_[unit] = plan.units[unit].needs.size();
    for (const std::string& needed : plan.units[unit].needs) dependants_[index_.at(needed)].push_back(unit);
  }
  summary_.units = counts_[static_cast<std::size_t>(State::waiting)] = n;
  for (const Outcome outcome : {Outcome::done, Outcome::failed})
    for (const std::string& name : store.listed(outcome))
      if (const auto unit = index_.find(name); unit != index_.end()) end(unit->second, outcome, false);
  summary_.done_before = std::exchange(summary_.done_elsewhere, 0);
  leave_to_others(options.asked.stages);
  make_ready();
  settled_before_ = settled();
}

void Queue::move(std::size_t unit, State to) {
  --counts_[static_cast<std::size_t>(states_[unit])], ++counts_[static_cast<std::size_t>(to)];
  states_[unit] = to;
}

std::size_t Queue::settled() const {
  return count(State::done) + count(State::failed) + count(State::blocked);
}

// Units of stages other than these, which no look is spent on. Empty: none.
void Queue::leave_to_others(const std::vector<std::string>& stages) {
  if (stages.empty()) return;
  for (const std::string& stage : stages)
    if (std::ranges::find(plan_.stages, stage, &PlannedStage::name) == plan_.stages.end())
      refuse("--stages", "stages of the plan", in_quotes(stage));
  for (std::size_t unit = 0; unit < states_.size(); ++unit)
    if (states_[unit] == State::waiting && std::ranges::find(stages, plan_.units[unit].stage) == stages.end())
      move(unit, State::elsewhere);
}

// In the order of the plan; beside other runners from some place in it.
void Queue::make_ready() {
  ready_.clear();
  for (std::size_t unit = 0; unit < states_.size(); ++unit)
    if (states_[unit] == State::ready || (states_[unit] == State::waiting && missing_[unit] == 0))
      move(unit, State::ready), ready_.push_back(unit);
  std::error_code ignored;
  const auto runners = std::filesystem::directory_iterator(store_.folder() / "runners", ignored);
  if (std::distance(runners, {}) > 1) turn_ready();
}

// To some place in it.
void Queue::turn_ready() {
  if (ready_.empty()) return;
  std::rotate(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(random_() % ready_.size()),
              ready_.end());
}

// Whether that is news; none: the unit is free again. The caller holds the lock.
bool Queue::end(std::size_t unit, Outcome outcome, bool here) {
  const State state = states_[unit];
  if (state == State::done || state == State::failed) return false;
  if (state == State::here && !here) return false;  // its own thread will see
  if (outcome == Outcome::none) {
    move(unit, State::ready), ready_.push_front(unit);
    return true;
  }
  if (outcome == Outcome::failed) {
    move(unit, State::failed);
    block_dependants(unit);
    return true;
  }
  move(unit, State::done);
  ++(here ? summary_.done : summary_.done_elsewhere);
  for (const std::size_t next : dependants_[unit])
    if (--missing_[next] == 0 && states_[next] == State::waiting)
      move(next, State::ready), ready_.push_front(next);
  return true;
}

void Queue::block_dependants(std::size_t unit) {
  std::vector<std::size_t> open{unit};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    for (const std::size_t next : dependants_[at]) {
      if (states_[next] != State::waiting) continue;
      move(next, State::blocked);
      open.push_back(next);
    }
  }
}

// Nothing is left, or without waiting for others nothing that this runner could begin, now or later.
bool Queue::is_over() const {
  if (stopped_) return true;
  return count(State::ready) == 0 && count(State::here) == 0 &&
         (elsewhere_.empty() || (!wait_ && count(State::waiting) == 0 && looked_));
}

std::optional<std::size_t> Queue::next() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return count(State::ready) > 0 || is_over(); });
    if (stopped_ || count(State::ready) == 0) return {};
    while (states_[ready_.front()] != State::ready) ready_.pop_front();
    const std::size_t unit = ready_.front();
    ready_.pop_front();
    move(unit, State::here);
    return unit;
  }
}

void Queue::settle(std::size_t unit, Outcome outcome) {
  const std::scoped_lock lock(mutex_);
  if (states_[unit] != State::here) return;
  end(unit, outcome, true);
  // Of two runners whose last units end at once, the later one sees that all have ended.
  if (outcome != Outcome::none) ++moves_, looked_ = false;
  changed_.notify_all();
}

void Queue::meet_others(std::size_t unit) {
  const std::string shard = shard_of(plan_.units[unit].name);
  const std::vector<std::string> claims = store_.claimed(shard);  // before those of units that have ended
  std::vector<std::pair<std::string, Outcome>> found;
  for (const Outcome outcome : {Outcome::done, Outcome::failed})
    for (std::string& name : store_.listed(outcome, shard)) found.emplace_back(std::move(name), outcome);
  const std::scoped_lock lock(mutex_);
  const auto leave = [&](std::size_t other) { move(other, State::elsewhere), elsewhere_.push_back(other); };
  leave(unit);
  for (const auto& [name, outcome] : found) {
    const auto known = index_.find(name);
    if (known == index_.end()) continue;
    if (states_[known->second] == State::elsewhere) std::erase(elsewhere_, known->second);
    end(known->second, outcome, false);
  }
  for (const std::string& claim : claims)
    if (const auto known = index_.find(claim.substr(0, claim.find('.')));
        known != index_.end() && states_[known->second] == State::ready)
      leave(known->second);
  std::vector<std::size_t> left;
  for (const std::size_t other : of_shard_[shard])
    if (states_[other] == State::ready) left.push_back(other);
  if (left.empty())
    turn_ready();
  else
    ready_.push_front(left[random_() % left.size()]);
  ++moves_, looked_ = false;
  changed_.notify_all();
}

bool Queue::look_at_others(Runner& runner) {
  std::vector<std::size_t> units;
  std::size_t moves = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (count(State::ready) > 0) return true;  // there is other work
    units = elsewhere_, moves = moves_;
  }
  units.resize(std::min(units.size(), units_looked_at));
  bool news = false, silent = false;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t unit = units[i];
    const std::string& name = plan_.units[unit].name;
    const Outcome outcome = store_.outcome(name);
    const Sign sign =
        outcome == Outcome::none && i < runners_looked_at ? runner.holder_sign(name) : Sign::alive;
    silent |= sign == Sign::silent;
    if (outcome == Outcome::none && sign != Sign::gone) continue;
    const std::scoped_lock lock(mutex_);
    if (stopped_ || states_[unit] != State::elsewhere) continue;
    std::erase(elsewhere_, unit);
    end(unit, outcome, false);
    news = true;
  }
  const std::scoped_lock lock(mutex_);
  if (elsewhere_.size() > units_looked_at)
    std::rotate(elsewhere_.begin() + std::ptrdiff_t{runners_looked_at},
                elsewhere_.begin() + std::ptrdiff_t{units_looked_at}, elsewhere_.end());
  moves_seen_ = moves;
  looked_ = !news && !silent && moves_ == moves;
  changed_.notify_all();
  return news;
}

bool Queue::needs_last_look() const {
  const std::scoped_lock lock(mutex_);
  return !stopped_ && !wait_ && moves_ != moves_seen_ && count(State::ready) == 0 &&
         count(State::here) == 0 && count(State::waiting) == 0 && !elsewhere_.empty();
}

void Queue::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Queue::wait_until_idle(std::chrono::duration<double> at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return count(State::here) == 0 && is_over(); });
  return count(State::here) == 0 && is_over();
}

Standing Queue::standing() const {
  const std::scoped_lock lock(mutex_);
  return {settled() - settled_before_, summary_.units - settled_before_, count(State::failed)};
}

tasks::SweepRunResult Queue::summary() const {
  const std::scoped_lock lock(mutex_);
  tasks::SweepRunResult summary = summary_;
  summary.failed = count(State::failed), summary.blocked = count(State::blocked);
  summary.left = count(State::elsewhere) + count(State::ready) + count(State::waiting);
  return summary;
}

}  // namespace leeway::sweep
