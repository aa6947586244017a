// A sweep handed to Slurm: sbatch alone, no database.
#pragma once

#include <string>

#include "leeway/sweep/script.h"

namespace leeway::sweep {

struct Submitted {
  std::string array, collect;  // numbers of the jobs
};

// One array of tasks, and a job that collects once it has ended, however that was. The scripts and their output are
// in slurm/ of the folder. std::runtime_error where there is no sbatch or it refuses, with its words.
[[nodiscard]] Submitted submit_to_slurm(const ScriptOptions& options);

}  // namespace leeway::sweep
