// Rows under an attack: the blocks that members get, and a classifier that watches every pass.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/attack/detail/movable.h"
#include "leeway/attack/member.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"

namespace leeway::attack {

// A set of rows under one attack.
class Aim {
 public:
  // `target`: of `whole`, or some of its rows, which are `rows` then.
  Aim(const Movable& whole, const Target& target, const AttackOptions& options, Progress* progress,
      FinishedBlocks* finished, std::span<const std::size_t> rows = {})
      : whole_(whole),
        target_(target),
        options_(options),
        progress_(progress),
        finished_(finished),
        rows_(rows) {}
  Aim(const Aim&) = delete;
  Aim& operator=(const Aim&) = delete;

  [[nodiscard]] std::size_t n() const { return target_.x.size() / target_.classifier.d; }
  [[nodiscard]] bool targeted() const { return !options_.targets.empty(); }
  // One pass that does not predict the class is a success.
  [[nodiscard]] bool plain() const { return options_.draws == 1 && !targeted(); }
  [[nodiscard]] std::size_t row_of(std::size_t place) const { return rows_.empty() ? place : rows_[place]; }
  [[nodiscard]] const Movable& whole() const { return whole_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const AttackOptions& options() const { return options_; }
  [[nodiscard]] Progress* progress() const { return progress_; }
  [[nodiscard]] FinishedBlocks* finished() const { return finished_; }

  // body(begin, problem) for blocks of rows, several at once where the classifier allows it. `classes`: to leave; those of
  // options.targets replace them.
  void for_problems(std::span<const std::int64_t> classes, std::string_view task,
                    const std::function<void(std::size_t, const Problem&)>& body) const {
    if (targeted()) classes = options_.targets;
    std::mutex mutex;
    std::size_t done = 0;
    if (progress_) progress_->update(task, 0, n(), "");
    for_blocks(target_.classifier, n(), options_.draws, [&](std::size_t begin, std::size_t end) {
      const Classifier seen = seen_at(from(begin), options_.draws);
      const std::size_t d = seen.d;
      const auto rows = target_.x.subspan(begin * d, (end - begin) * d);
      const Points clean{end - begin, d, {rows.begin(), rows.end()}};
      std::vector<std::uint64_t> keys(clean.n);
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = row_of(begin + i);
      body(begin, {seen, clean, classes.subspan(begin, clean.n), keys, options_.loss.value(), targeted(),
                   target_.box, target_.picture, to_grid_at(from(begin)), [&](std::vector<std::size_t> some) {
                     return seen_at(
                         [begin, some = std::move(some)](std::size_t i) { return begin + some[i]; },
                         options_.draws);
                   }});
      const std::lock_guard lock(mutex);
      done += clean.n;
      if (progress_) progress_->update(task, done, n(), "");
    });
  }

  // Classes of x (n,d) by the mean logits of `draws` passes.
  [[nodiscard]] std::vector<std::int64_t> predictions(std::span<const float> x, std::size_t draws) const {
    std::vector<std::int64_t> predicted(n());
    const std::size_t d = target_.classifier.d, k = target_.classifier.k;
    for_blocks(target_.classifier, n(), options_.draws, [&](std::size_t begin, std::size_t end) {
      const std::vector<float> logits =
          seen_at(from(begin), draws).logits(x.subspan(begin * d, (end - begin) * d));
      for (std::size_t i = 0; i < end - begin; ++i) {
        const Row row = Row(logits).subspan(i * k, k);
        predicted[begin + i] = std::ranges::max_element(row) - row.begin();
      }
    });
    return predicted;
  }

 private:
  using Place = std::function<std::size_t(std::size_t)>;  // of row i of a pass, among the rows of the target

  static Place from(std::size_t begin) {
    return [begin](std::size_t i) { return begin + i; };
  }

  void check_finite(std::span<const float> numbers, std::size_t width, const Place& at, const char* what,
                    const char* column) const {
    if (all_finite(numbers)) return;
    const auto bad = std::ranges::find_if_not(numbers, [](float value) { return std::isfinite(value); });
    const auto place = static_cast<std::size_t>(bad - numbers.begin());
    refuse("the classifier", fmt::format("finite {}", what),
           fmt::format("{} at row {}, {} {}", *bad, row_of(at(place / width)), column, place % width));
  }

  // None without a grid.
  [[nodiscard]] std::function<void(std::size_t, MutableRow)> to_grid_at(const Place& at) const {
    if (target_.grid.empty()) return {};
    return [this, at](std::size_t i, MutableRow x) {
      snap(x, target_.x.subspan(at(i) * x.size(), x.size()), target_.grid, target_.box, options_.norm,
           options_.eps.value_or(infinity));
    };
  }

  [[nodiscard]] Classifier seen_at(const Place& at, std::size_t draws) const {
    return whole_.narrowed(
        averaged(watched_at(at), draws), [this, at](std::size_t i) { return row_of(at(i)); }, to_grid_at(at));
  }

  // The classifier of all features: every pass asks whether to stop, and its numbers are finite.
  [[nodiscard]] Classifier watched_at(const Place& at) const {
    const Classifier& classifier = whole_.classifier();
    Classifier watched = classifier;
    watched.logits = [this, &classifier, at](std::span<const float> x) {
      stop_if_asked(progress_);
      std::vector<float> logits = classifier.logits(x);
      check_finite(logits, classifier.k, at, "logits", "class");
      return logits;
    };
    if (!classifier.linearize) return watched;
    watched.linearize = [this, &classifier, at](std::span<const float> x) {
      stop_if_asked(progress_);
      Linearized found = classifier.linearize(x);
      check_finite(found.logits, classifier.k, at, "logits", "class");
      found.vjp = [this, &classifier, at, back = std::move(found.vjp)](std::span<const float> cotangents) {
        std::vector<float> gradients = back(cotangents);
        check_finite(gradients, classifier.d, at, "gradients", "value");
        return gradients;
      };
      return found;
    };
    return watched;
  }

  const Movable& whole_;
  const Target& target_;
  const AttackOptions& options_;
  Progress* progress_;
  FinishedBlocks* finished_;
  std::span<const std::size_t> rows_;
};

// Some rows of a target, with classes to leave or to reach.
class Some {
 public:
  Some(const Aim& whole, std::span<const std::int64_t> all, std::vector<std::size_t> places)
      : places_(std::move(places)), target_(whole.target()) {
    const std::size_t d = target_.classifier.d;
    x_.reserve(places_.size() * d);
    for (const std::size_t place : places_) {
      const std::span<const float> row = whole.target().x.subspan(place * d, d);
      x_.insert(x_.end(), row.begin(), row.end());
      rows_.push_back(whole.row_of(place)), classes_.push_back(all[place]);
      if (whole.targeted()) targets_.push_back(whole.options().targets[place]);
    }
    target_.x = x_;
  }
  Some(const Some&) = delete;
  Some& operator=(const Some&) = delete;

  // The same attack or another one on these rows; the options get their targets, and both must outlive it.
  [[nodiscard]] Aim aim(const Aim& whole, AttackOptions& options) const {
    options.targets = targets_;
    return {whole.whole(), target_, options, whole.progress(), whole.finished(), rows_};
  }
  [[nodiscard]] const std::vector<std::size_t>& places() const { return places_; }
  [[nodiscard]] const std::vector<std::int64_t>& classes() const { return classes_; }

 private:
  std::vector<std::size_t> places_, rows_ = {};
  std::vector<std::int64_t> classes_ = {}, targets_ = {};
  std::vector<float> x_ = {};
  Target target_;
};

}  // namespace leeway::attack
