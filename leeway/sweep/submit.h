// A sweep handed to Slurm: sbatch alone, no database.
#pragma once

#include <functional>
#include <string>

#include "leeway/sweep/script.h"

namespace leeway::sweep {

struct Submitted {
  std::string array, last;  // numbers of the jobs
};

// One array of tasks, and a job that runs what it has left once it has ended, however that was. Whoever ends the last
// unit collects; the table of before is removed, so that one which is there is whole. Where sbatch refuses, it stays, and
// `accepted` is not called. A task that began before that was done leaves what it opens to others and to the last job.
// Nothing hangs on the last job alone: a controller that is killed forgets jobs that it had not yet written to its disk,
// which takes it up to five seconds (and remembers as held what was just released: nothing is held). The scripts and their
// output are in slurm/ of the folder. std::runtime_error where there is no sbatch or it refuses, with its words.
[[nodiscard]] Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& accepted);

}  // namespace leeway::sweep
