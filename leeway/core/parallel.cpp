#include "leeway/core/parallel.h"

#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "leeway/core/error.h"

namespace leeway {
namespace {

constexpr int most_threads = 4096;
std::atomic<int> wanted_threads{0};

int available_cores() {
  static const int cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return cores;
}

// One parallel loop. Its chunks are handed out by a counter; the exception of the lowest chunk that throws is
// kept.
class Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& body)
      : count_(count), failed_(count), body_(body) {}

  void work() {
    for (std::size_t i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
         i = next_.fetch_add(1, std::memory_order_relaxed))
      run(i);
  }

  [[nodiscard]] bool has_chunks() const { return next_.load(std::memory_order_relaxed) < count_; }

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

  int helpers = 0;                    // guarded by the pool's mutex
  std::condition_variable last_left;  // helpers became 0

 private:
  // Chunks below one that threw still run, since they may throw too: that makes the choice independent of
  // timing.
  void run(std::size_t i) noexcept {
    if (i > failed_.load(std::memory_order_relaxed)) return;
    try {
      body_(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (i >= failed_.load(std::memory_order_relaxed)) return;
      failed_.store(i, std::memory_order_relaxed);
      exception_ = std::current_exception();
    }
  }

  const std::size_t count_;
  std::atomic<std::size_t> next_{0}, failed_;
  const std::function<void(std::size_t)>& body_;
  std::mutex mutex_;
  std::exception_ptr exception_;
};

// Helpers that join open loops. The owner of a loop works on it from the start and, at its end, waits only
// for helpers that are inside a chunk of it: no deadlock with loops inside loops, and no wait for a thread
// that is still starting.
class Pool {
 public:
  void run(Loop& loop) {
    std::unique_lock lock(mutex_);
    loops_.push_back(&loop);
    recruit();
    lock.unlock();
    loop.work();
    lock.lock();
    std::erase(loops_, &loop);
    loop.last_left.wait(lock, [&] { return loop.helpers == 0; });
  }

 private:
  // Wakes or starts one helper. The mutex is held.
  void recruit() {
    if (idle_ > 0) {
      wake_.notify_one();
    } else if (started_ + 1 < threads()) {
      try {
        std::thread([this] { serve(); }).detach();
        ++started_;
      } catch (const std::system_error&) {
        // the machine gives no more threads: those there are do the work
      }
    }
  }

  [[nodiscard]] Loop* open_loop() const {
    if (busy_ + 1 >= threads()) return nullptr;
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop)
      if ((*loop)->has_chunks()) return *loop;
    return nullptr;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Loop* const loop = open_loop();
      if (loop == nullptr) {
        ++idle_;
        wake_.wait(lock);
        --idle_;
        continue;
      }
      ++busy_;
      ++loop->helpers;
      // each helper brings two more: many cores wake in a few steps, and the owner paid for one
      for (int i = 0; i < 2 && open_loop() != nullptr; ++i) recruit();
      lock.unlock();
      loop->work();
      lock.lock();
      --busy_;
      if (--loop->helpers == 0) loop->last_left.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Loop*> loops_;
  int started_ = 0, idle_ = 0, busy_ = 0;
};

Pool& pool() {
  static Pool* const instance = new Pool;  // never destroyed: its idle threads end with the process
  return *instance;
}

}  // namespace

void set_threads(int count) {
  if (count < 0 || count > most_threads)
    throw Error(fmt::format("set_threads: count: expected 0 to {}, found {}", most_threads, count));
  wanted_threads = count;
}

int threads() {
  const int wanted = wanted_threads;
  return wanted > 0 ? wanted : available_cores();
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count <= 1 || threads() == 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop(count, body);
  pool().run(loop);
  loop.rethrow();
}

}  // namespace leeway
