#include "leeway/core/parallel.h"

#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#ifdef LEEWAY_STD_THREADS
#include <system_error>
#include <utility>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include "leeway/core/message.h"

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

// Runs chunks and keeps the exception of the lowest one that throws. Chunks below one that threw still run,
// since they may throw too: that makes the choice independent of timing.
class Loop {
 public:
  Loop(std::size_t count, const std::function<void(std::size_t)>& body) : failed_(count), body_(body) {}

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

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<std::size_t> failed_;
  const std::function<void(std::size_t)>& body_;
  std::mutex mutex_;
  std::exception_ptr exception_;
};

#ifdef LEEWAY_STD_THREADS

thread_local bool inside_loop = false;

// Threads for every loop: slow to start, but every synchronisation is one that ThreadSanitizer sees. A loop
// inside a loop runs on the thread that meets it.
void run_chunks(Loop& loop, std::size_t count) {
  std::atomic<std::size_t> next{0};
  const bool before = std::exchange(inside_loop, true);
  const auto work = [&] {
    inside_loop = true;
    for (std::size_t i = next++; i < count; i = next++) loop.run(i);
  };
  {
    std::vector<std::jthread> helpers;  // joined here
    try {
      if (!before)
        for (std::size_t i = 1; i < std::min<std::size_t>(count, static_cast<std::size_t>(threads())); ++i)
          helpers.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads: those at hand do the work
    }
    work();
  }
  inside_loop = before;
}

#else

// Waking TBB's threads takes longer than small work does; between loops that follow each other they stay
// awake.
void run_chunks(Loop& loop, std::size_t count) {
  static std::mutex mutex;
  static std::shared_ptr<tbb::task_arena> shared;
  // TBB says on stderr that it has no more workers than cores when it is asked for more.
  const int workers = std::min(threads(), tbb::info::default_concurrency());
  std::shared_ptr<tbb::task_arena> arena;
  {
    const std::lock_guard lock(mutex);
    if (!shared || shared->max_concurrency() != workers) shared = std::make_shared<tbb::task_arena>(workers);
    arena = shared;
  }
  arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) loop.run(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

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
  run_chunks(loop, count);
  loop.rethrow();
}

void parallel_chunks(std::size_t n, std::size_t chunk,
                     const std::function<void(std::size_t begin, std::size_t end)>& body) {
  parallel_for(n / chunk + (n % chunk != 0),
               [&](std::size_t c) { body(c * chunk, std::min(n, (c + 1) * chunk)); });
}

}  // namespace leeway
