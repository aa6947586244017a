// A sweep handed to Slurm: sbatch alone, no database.
#pragma once

#include <functional>
#include <string>

#include "leeway/sweep/script.h"

namespace leeway::sweep {

struct Submitted {
  std::string array, last;  // numbers of the jobs
};

// One array of tasks, and a job that runs what it has left once it has ended, however that was. The array is held until `before`
// has been done and the table of before is removed: nothing is lost where sbatch refuses, and a table that is there is whole, since
// whoever ends the last unit collects it. Nothing hangs on the last job alone: a controller that is killed forgets jobs that it
// had not yet written to its disk, which takes it up to five seconds. The scripts and their output are in slurm/ of the folder.
// std::runtime_error where there is no sbatch or it refuses, with its words.
[[nodiscard]] Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& before);

}  // namespace leeway::sweep
