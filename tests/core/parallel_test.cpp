#include "leeway/core/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/message_of.h"

namespace leeway {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
  void TearDown() override { set_threads(0); }
};

TEST_P(Parallel, VisitsEveryIndexOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 5u, 1000u}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, [&](std::size_t i) { ++visits[i]; });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
}

// Rows 0..9 in chunks of 2 are five leaves; the tree over them joins (01)(23), then those two, then 4.
TEST_P(Parallel, JoinsInAFixedTree) {
  const auto map = [](std::size_t begin, std::size_t end) {
    std::string digits;
    for (std::size_t i = begin; i < end; ++i) digits += std::to_string(i);
    return digits;
  };
  const auto join = [](const std::string& left, const std::string& right) {
    return "(" + left + right + ")";
  };
  EXPECT_EQ(reduce_chunks<std::string>(10, 2, map, join), "(((0123)(4567))89)");
  EXPECT_EQ(reduce_chunks<std::string>(3, 2, map, join), "(012)");
  EXPECT_EQ(reduce_chunks<std::string>(2, 5, map, join), "01");
  EXPECT_EQ(reduce_chunks<std::string>(0, 5, map, join), "");
}

TEST_P(Parallel, SumHasTheBitsOfOneThread) {
  const auto sum = [] {
    return reduce_chunks<double>(
        100'003, 97,
        [](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) total += std::sin(static_cast<double>(i)) * 1e3;
          return total;
        },
        [](double left, double right) { return left + right; });
  };
  const double here = sum();
  set_threads(1);
  EXPECT_EQ(here, sum());
}

TEST_P(Parallel, ThrowsWhatTheLowestChunkThrew) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::string message;
    try {
      parallel_for(64, [](std::size_t i) {
        if (i == 3) std::this_thread::sleep_for(std::chrono::microseconds(200));  // the others throw first
        if (i >= 3) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "3");
  }
  std::atomic<int> sum{0};
  parallel_for(10, [&](std::size_t i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 45);  // the threads are in order afterwards
}

TEST_P(Parallel, LoopsInsideLoops) {
  std::atomic<std::size_t> sum{0};
  parallel_for(9, [&](std::size_t i) {
    parallel_for(
        11, [&](std::size_t j) { parallel_for(3, [&](std::size_t k) { sum += 100 * i + 10 * j + k; }); });
  });
  // 100 * 36 * 33 + 10 * 55 * 27 + 3 * 99
  EXPECT_EQ(sum, 133'947u);
}

TEST_P(Parallel, LoopsFromSeveralThreadsAtOnce) {
  std::vector<std::size_t> sums(4);
  std::vector<std::thread> callers;
  for (auto& sum : sums)
    callers.emplace_back([&sum] {
      for (int repeat = 0; repeat < 100; ++repeat)
        sum += reduce_chunks<std::size_t>(
            50, 3, [](std::size_t begin, std::size_t end) { return end - begin; }, std::plus<>());
    });
  for (auto& caller : callers) caller.join();
  EXPECT_THAT(sums, testing::Each(5000u));
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 7));

TEST(ParallelThreads, WorkAtTheSameTime) {
  set_threads(2);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  parallel_for(2, [&](std::size_t) {
    ++inside;
    while (!met && std::chrono::steady_clock::now() < deadline) {
      if (inside == 2) met = true;
      std::this_thread::yield();
    }
  });
  set_threads(0);
  EXPECT_TRUE(met);
}

TEST(ParallelThreads, NeverMoreThanAskedFor) {
  set_threads(3);
  std::atomic<int> inside{0}, most{0};
  parallel_for(40, [&](std::size_t) {
    parallel_for(4, [&](std::size_t) {
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --inside;
    });
  });
  set_threads(0);
  EXPECT_LE(most, 3);
}

TEST(ParallelThreads, CountIsChecked) {
  EXPECT_GE(threads(), 1);
  set_threads(5);
  EXPECT_EQ(threads(), 5);
  for (const int count : {-1, 4097})
    EXPECT_EQ(message_of([&] { set_threads(count); }),
              "set_threads: count: expected 0 to 4096, found " + std::to_string(count));
  EXPECT_EQ(threads(), 5);
  set_threads(0);
}

}  // namespace
}  // namespace leeway
