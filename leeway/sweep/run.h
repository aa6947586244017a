// Runs the units of a plan, up to `jobs` processes at a time, until this runner can do nothing more.
//
// Any number of runners may share the folder, on any machines. A ready unit is claimed (claim.h), run in its
// own folder and renamed into place (store.h), so a kill at any moment leaves only whole results. A failed
// unit keeps its log and blocks only units that need it. A unit killed from outside is tried three times. A
// full disk ends the run; the units that met it stay as they were.
//
// Units run in plan order, the most recently ready first, so that chains are finished one by one. Runners
// begin at different places and stay in the shard where they met others. The number of threads is part of a
// unit's name: results do not depend on the number of runners or jobs. A user's file that differs from the
// plan, before or after a unit, ends the run, and so does an output of a finished unit that has changed
// before another unit reads it (checked_files.h). Cost: some twenty file system calls a unit, two for each user's
// file that it reads, three shard listings where another runner was quicker (docs/studies/sweep-scale.md).
//
// Errors: those of the plan and the store; DiskFull. Interrupted by Progress::stop_requested(): ends the
// processes and leaves their units as never begun.
#pragma once

#include <cstddef>
#include <string>

#include "leeway/core/progress.h"
#include "leeway/sweep/claim.h"
#include "leeway/sweep/plan.h"
#include "leeway/tasks/sweep/sweep.h"

namespace leeway::sweep {

struct RunOptions {
  tasks::SweepRunOptions asked = {};  // of which `retry` and `collect` are the caller's
  // Seconds until the runner is ended (a cluster job's limit), a minute or two after a warning; 0: no limit.
  // A unit that began with the runner and is stopped then fails: it would never end.
  double limit = 0;
  std::string program = {};  // empty: this one
};

// Processes that fit: processors over threads (or `jobs` if not 0), and memory over a unit's; at least 1.
[[nodiscard]] std::size_t jobs_that_fit(std::size_t threads, std::uint64_t memory, std::size_t jobs = 0);

// Bytes that new processes may take.
[[nodiscard]] std::uint64_t available_memory();

// Units of the plan that failed are as if never begun.
void forget_failures(const Plan& plan, const Store& store);

[[nodiscard]] tasks::SweepRunResult run_units(const Plan& plan, const Store& store, const RunOptions& options,
                                              Progress* progress);

}  // namespace leeway::sweep
