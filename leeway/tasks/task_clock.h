// How a task ends: with a record that says how it came about.
#pragma once

#include <chrono>
#include <cstdint>

#include "leeway/record/envelope.h"

namespace leeway::tasks {

// Made where the task begins.
class TaskClock {
 public:
  // The record with the seed, the instruction set, its headline and findings, and the seconds since the clock was made.
  template <class Record>
  [[nodiscard]] Record finished(Record record, std::uint64_t seed) const {
    record.envelope.headline = headline_of(record);
    record.envelope.findings = findings_of(record);
    stamp(record.envelope, seed);
    return record;
  }

 private:
  void stamp(record::Envelope& envelope, std::uint64_t seed) const;

  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace leeway::tasks
