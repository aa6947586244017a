// Finished blocks of rows of an attack: in memory and, as soon as saving costs less than a hundredth of the time since
// the last time, in a file (saved_work.h).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/saved_work.h"

namespace leeway::tasks {

class AttackState : public attack::FinishedBlocks {
 public:
  explicit AttackState(const AttackTask& task) : work_(work_of(task)) {
    const auto warn = [this](std::string line) { warnings.push_back(std::move(line)); };
    blocks_ = work_.load(warn, [](const Safetensors& saved) { return saved.tensors; }).value_or(ArrayMap());
    if (!blocks_.empty() && task.resumed) task.resumed(size());
  }

  [[nodiscard]] std::optional<attack::FinishedBlock> find(std::size_t stage, std::uint64_t row) override {
    const std::lock_guard lock(mutex_);
    const auto rows = blocks_.find(name(stage, row, "rows"));
    if (rows == blocks_.end()) return std::nullopt;
    return attack::FinishedBlock{
        numbers<std::uint64_t>(rows->second), numbers<float>(blocks_.at(name(stage, row, "x"))),
        numbers<std::uint64_t>(blocks_.at(name(stage, row, "zero gradients"))).at(0)};
  }

  void keep(std::size_t stage, const attack::FinishedBlock& block) override {
    const std::uint64_t row = block.rows.front();
    const std::lock_guard lock(mutex_);
    blocks_[name(stage, row, "rows")] = make_array({block.rows.size()}, block.rows);
    blocks_[name(stage, row, "x")] = make_array({block.x.size()}, block.x);
    blocks_[name(stage, row, "zero gradients")] =
        make_array<std::uint64_t>({1}, std::vector<std::uint64_t>{block.zero_gradients});
    changed_ = true;
    if (Clock::now() - saved_ >= pause_) save();
  }

  // What the attack says that was interrupted, once its blocks are saved.
  [[nodiscard]] std::string interrupted() {
    if (blocks_.empty()) return "attack: stopped; nothing was saved";
    if (changed_) save();
    return fmt::format("attack: stopped after {} block{} of rows, saved; the same command resumes from there",
                       size(), size() == 1 ? "" : "s");
  }

  std::vector<std::string> warnings;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int least_share = 100;  // of the time, to one of saving

  static SavedWork work_of(const AttackTask& task) {
    const attack::Target& target = task.target;
    const std::vector<std::int64_t> labels = target.labels.value_or(std::vector<std::int64_t>());
    std::vector<std::string> made_of = task.made_of;
    const auto add = [&](auto values) { made_of.push_back(digest_bytes({std::as_bytes(values)})); };
    add(target.x), add(std::span(labels)), add(std::span(task.options.targets));
    add(std::span(&target.picture, 1)), add(std::span(target.changeable));
    add(std::span(&target.box.low, 1)), add(std::span(&target.box.high, 1));
    add(std::span(target.box.lows)), add(std::span(target.box.highs)), add(std::span(target.grid.per_one));
    for (const auto& group : target.grid.one_hot) add(std::span(group));
    return {task.state, task.options, task.options.seed, std::move(made_of)};
  }

  static std::string name(std::size_t stage, std::uint64_t row, const char* what) {
    return fmt::format("{} {} {}", stage, row, what);
  }

  template <class T>
  static std::vector<T> numbers(const Array& array) {
    const auto view = array.view<T>();
    return {view.begin(), view.end()};
  }

  [[nodiscard]] std::size_t size() const { return blocks_.size() / 3; }

  void save() {
    const Clock::time_point begin = Clock::now();
    work_.save({blocks_, {}});
    saved_ = Clock::now();
    pause_ = std::max<Clock::duration>(pause_, least_share * (saved_ - begin));
    changed_ = false;
  }

  SavedWork work_;
  std::mutex mutex_;
  ArrayMap blocks_;  // by stage and first row; three arrays each
  bool changed_ = false;
  Clock::time_point saved_ = Clock::now();
  Clock::duration pause_ = std::chrono::seconds(1);
};

}  // namespace leeway::tasks
