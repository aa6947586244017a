// Runs the units of a plan, here: as many processes at once as asked for, until nothing is left that this runner
// could do.
//
// Any number of runners may work on one folder at once, on any machines that share it. Each unit that is ready is
// claimed (claim.h), run in a folder of its own and renamed into place (store.h), so that a kill at any moment
// leaves whole results and nothing else that counts. A unit that fails keeps its log and stops none but those that
// need it. One that was killed from outside is tried three times. Where the disk is full the units that met it stay
// as they were, and the run ends.
//
// Units run in the order of the plan, those that became ready last first, so that chains are finished one by one; a
// runner beside others begins elsewhere, and goes on in the shard where it met them. Each process is told its number
// of threads, which is part of its name: results do not depend on how many runners or jobs there are. The user's files are
// looked at before and after each unit: where one is not as planned the run ends. Cost beside the processes: some
// twenty calls of the file system a unit, two more for each file of the user that it reads, and three lists of a shard
// where somebody else was quicker (docs/studies/sweep-scale.md).
//
// Errors: those of the plan and the store; DiskFull. Interrupted by Progress::stop_requested(): processes are
// ended, their units are as if never begun.
#pragma once

#include <cstddef>
#include <string>

#include "leeway/core/progress.h"
#include "leeway/sweep/claim.h"
#include "leeway/sweep/plan_file.h"

namespace leeway::sweep {

struct RunOptions {
  std::size_t jobs = 0;  // 0: as many as processors permit; in any case no more than fit into memory
  bool wait =
      true;  // for units that other runners are at; else end once nothing is left to begin and those live
  std::chrono::duration<double> lease = default_lease;
  // After so many seconds somebody ends this runner (a limit of its job on a cluster), a minute or two after it was
  // told; 0: nobody does. A unit that began with the runner and is stopped then fails: it would never end.
  double limit = 0;
  std::string program = {};  // empty: this one
};

struct RunSummary {
  std::size_t units = 0, jobs = 0;
  std::size_t done_before = 0, done = 0, done_elsewhere = 0;
  std::size_t failed = 0, blocked = 0,
              left = 0;  // blocked: need one that failed; left: other runners are at them
};

// How many processes fit: processors over threads (`jobs` where that is not 0), and memory over that of a unit, at least
// one.
[[nodiscard]] std::size_t jobs_that_fit(std::size_t threads, std::uint64_t memory, std::size_t jobs = 0);

// Bytes that new processes may take.
[[nodiscard]] std::uint64_t available_memory();

// Units that failed are as if never begun.
void forget_failures(const Store& store);

[[nodiscard]] RunSummary run_units(const PlanFile& plan, const Store& store, const RunOptions& options,
                                   Progress* progress);

}  // namespace leeway::sweep
