// Progress of long work, and its interruption. The library reports, the program decides what to show.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace leeway {

// Given to long-running calls (a null pointer means: silent). update() is called by one thread at a time,
// stop_requested() by several at once.
class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` units of `task` are finished; `note` is a few words such as "loss 0.412".
  virtual void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) = 0;
  // True once the user asked to stop; the callee saves its state and throws Interrupted.
  [[nodiscard]] virtual bool stop_requested() const = 0;
};

// The user stopped the work. The message says what was saved and how to go on. Exit code 130.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(std::string message) : message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// Throws Interrupted with that message once the user asked to stop; null: never.
inline void stop_if_asked(const Progress* progress, const char* message = "stopped; nothing was saved") {
  if (progress != nullptr && progress->stop_requested()) throw Interrupted(message);
}

}  // namespace leeway
