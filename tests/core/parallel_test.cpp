#include "leeway/core/parallel.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "leeway/core/child_process.h"
#include "leeway/core/instruction_set.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::parallel_test {

using ::testing::HasSubstr;

class Parallel : public ::testing::TestWithParam<int> {
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
  EXPECT_THAT(sums, ::testing::Each(5000u));
}

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, ::testing::Values(1, 2, 7));

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
    EXPECT_REFUSED(set_threads(count),
                   "set_threads: count: expected 0 to 4096, found " + std::to_string(count));
  EXPECT_EQ(threads(), 5);
  set_threads(0);
}

// It answers with its word, its session, and its descriptors.
TEST(ChildProcess, HasASocketASessionAndNoOtherFile) {
  const TemporaryFolder folder;
  const auto script = folder / "program";
  write_bytes(script,
              "#!/bin/sh\nread word <&3\nset -- /proc/$$/fd/*\n"
              "echo $word $(cut -d' ' -f6 /proc/$$/stat) $$ $(readlink /proc/$$/fd/[0-2]) "
              "$(ls /proc/self/fd | grep -vx '[0-3]' | wc -l) >&3\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const ChildProcess child = start_child(script);
  ASSERT_EQ(write(child.socket, "hello\n", 6), 6);
  std::string answer;
  std::array<char, 200> part{};
  for (ssize_t got = 1; got > 0;) {
    got = read(child.socket, part.data(), part.size());
    if (got > 0) answer.append(part.data(), static_cast<std::size_t>(got));
  }
  close(child.socket);
  int status = -1;
  EXPECT_EQ(waitpid(child.id, &status, 0), child.id);
  EXPECT_EQ(status, 0);
  const std::string id = std::to_string(child.id);
  EXPECT_EQ(answer, "hello " + id + " " + id + " /dev/null /dev/null /dev/null 1\n") << "1: what ls reads";
}

TEST(ChildProcess, ThatIsMissingIsAnError) {
  EXPECT_THROW((void)start_child("/no/such/program"), std::system_error);
}

using enum InstructionSet;

TEST(InstructionSets, AreChosenByName) {
  const auto chosen = [](InstructionSet set) { return choose_instruction_set(name_of(set), avx512); };
  for (const InstructionSet set : {baseline, avx2, avx512}) EXPECT_EQ(chosen(set), set);
  EXPECT_EQ(choose_instruction_set("avx2", avx2), avx2);
  EXPECT_EQ(choose_instruction_set("baseline", avx2), baseline);
  EXPECT_EQ(choose_instruction_set("", avx2), avx2);
}

TEST(InstructionSets, ThatTheMachineLacksOrNobodyKnowsAreRefused) {
  const auto message = [](std::string_view name, InstructionSet machine) {
    return message_of([&] { (void)choose_instruction_set(name, machine); });
  };
  EXPECT_THAT(message("avx512", avx2), HasSubstr("found 'avx512'"));
  EXPECT_THAT(message("avx2", baseline), HasSubstr("or a lower one, found 'avx2'"));
  EXPECT_THAT(message("AVX2", avx512), HasSubstr("baseline, avx2 or avx512, found 'AVX2'"));
  EXPECT_THAT(message("sse\n9", avx512), Says("LEEWAY_INSTRUCTION_SET: expected ... found 'sse\\x0a9'"));
}

class Variable {
 public:
  explicit Variable(const char* value) {
    if (const char* const before = std::getenv(instruction_set_variable)) before_ = before;
    setenv(instruction_set_variable, value, 1);
  }
  ~Variable() {
    if (before_)
      setenv(instruction_set_variable, before_->c_str(), 1);
    else
      unsetenv(instruction_set_variable);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(InstructionSets, OfTheEnvironmentNeverStopALibrary) {
  {
    const Variable variable("baseline");
    EXPECT_EQ(instruction_set_of_environment(), baseline);
    check_instruction_set();
  }
  {
    const Variable variable("");
    EXPECT_EQ(instruction_set_of_environment(), machine_instruction_set());
    check_instruction_set();
  }
  const Variable variable("sse9");
  EXPECT_EQ(instruction_set_of_environment(), machine_instruction_set());
  EXPECT_THAT(message_of(check_instruction_set), HasSubstr("baseline, avx2 or avx512, found 'sse9'"));
}

}  // namespace leeway::parallel_test
