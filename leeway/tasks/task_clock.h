// Completes a task's record, except for `command` and `inputs`, which the caller knows.
#pragma once

#include <chrono>
#include <cstdint>

#include "leeway/core/instruction_set.h"
#include "leeway/describe/envelope.h"

namespace leeway::tasks {

// Made where the task begins.
class TaskClock {
 public:
  // Adds the seed, the instruction set, the seconds since construction, the headline and the findings.
  template <class Record>
  [[nodiscard]] Record finished(Record record, std::uint64_t seed) const {
    record.envelope.headline = headline_of(record);
    if constexpr (requires { findings_of(record); }) record.envelope.findings = findings_of(record);
    stamp(record.envelope, seed);
    return record;
  }

  // These without headline and findings.
  void stamp(Envelope& envelope, std::uint64_t seed) const {
    envelope.seed = seed;
    envelope.instruction_set = name_of(instruction_set);
    envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace leeway::tasks
