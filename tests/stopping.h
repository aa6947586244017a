// A Progress that asks to stop after a given number of units and records its calls.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "leeway/core/progress.h"

namespace leeway {

class Stopping : public Progress {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  explicit Stopping(std::size_t after = 0) : after_(after) {}

  void update(std::string_view task, std::size_t now, std::size_t of, std::string_view) override {
    tasks.insert(std::string(task));
    done = now, total = of;
  }
  [[nodiscard]] bool stop_requested() const override { return done >= after_; }

  std::set<std::string> tasks;
  std::size_t done = 0, total = 0;

 private:
  std::size_t after_;
};

}  // namespace leeway
