// The records of leeway sweep: plan, run, status, collect (leeway/sweep). Keys: leeway schema sweep-*.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"

namespace leeway::tasks {

inline constexpr std::string_view sweep_collect_schema = "leeway.sweep-collect/2";

struct SweepPlanStage {
  std::string stage, command;
  std::size_t units = 0, kept = 0;  // kept: done already
};

struct SweepPlan {
  Envelope envelope = envelope_of("leeway.sweep-plan/3");
  std::string folder;
  std::vector<std::string> axes;
  std::size_t units = 0, kept = 0, combinations = 0, left_out = 0,
              others = 0;  // others: done, not of this plan
  std::size_t threads = 1, jobs = 1;
  std::vector<SweepPlanStage> results;
};

struct SweepRunOptions {
  std::size_t jobs = 0;
  bool retry = false, no_wait = false;
  double lease = 60;
  std::string collect;              // empty: no table
  std::vector<std::string> stages;  // empty: all
};

struct SweepFailure {
  std::string message, log;  // log: of the first such unit
  std::size_t units = 0;
  std::vector<std::string> axes;  // AXIS=VALUE that all of them have
};

struct SweepCounts {
  std::size_t units = 0, done = 0, failed = 0, blocked = 0, running = 0, ready = 0, waiting = 0;
};

struct SweepRunResult {
  std::size_t units = 0, jobs = 0, done_before = 0, done = 0, done_elsewhere = 0, failed = 0, blocked = 0,
              left = 0;
};

struct SweepTable {
  std::string out, stage;
  std::size_t rows = 0, units = 0, missing = 0;
  std::vector<std::string> columns;
};

struct SweepRun {
  Envelope envelope = envelope_of("leeway.sweep-run/2");
  SweepRunOptions options;
  std::string folder;
  std::vector<SweepFailure> failures;
  std::optional<SweepTable> table;      // what `collect` asked for
  std::vector<SweepRunResult> results;  // one
};

struct SweepStageStatus {
  std::string stage, command;
  SweepCounts counts;
};

struct SweepStatus {
  Envelope envelope = envelope_of("leeway.sweep-status/2");
  std::string folder;
  SweepCounts counts;
  std::vector<SweepFailure> failures;
  std::vector<SweepStageStatus> results;
};

struct SweepCollectOptions {
  std::string stage;                 // empty: the last one
  std::vector<std::string> columns;  // empty: all
  bool series = false;               // of every epoch of a training, too
};

using SweepCollect = RecordOf<sweep_collect_schema, SweepCollectOptions, SweepTable>;

void fields(SweepRunOptions& options, Fields& f);
void fields(SweepCollectOptions& options, Fields& f);
void fields(SweepPlan& record, Fields& f);
void fields(SweepRun& record, Fields& f);
void fields(SweepStatus& record, Fields& f);
void fields(SweepTable& table, Fields& f);

// "3 units".
[[nodiscard]] std::string some(std::size_t n, const std::string& what);

// What there is in a sentence.
[[nodiscard]] std::string headline_of(const SweepPlan& record);
[[nodiscard]] std::string headline_of(const SweepRun& record);
[[nodiscard]] std::string headline_of(const SweepStatus& record);
[[nodiscard]] std::string headline_of(const SweepCollect& record);
[[nodiscard]] std::string headline_of(const SweepTable& table);

[[nodiscard]] View view(const SweepCollect& record);

[[nodiscard]] View view(const SweepPlan& record);

[[nodiscard]] View view(const SweepRun& record);

[[nodiscard]] View view(const SweepStatus& record);

}  // namespace leeway::tasks
