// A sweep on a cluster: a job script for any scheduler, and one for Slurm.
// Every task of the array runs `leeway sweep run` and claims what is left. Tasks may start hours apart;
// others take over the units of a killed task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/sweep/plan.h"

namespace leeway::sweep {

// What is collected on a cluster, in the folder of the sweep.
inline constexpr std::string_view collected_table = "runs.csv";

// Stages that one array of tasks runs; empty: all.
struct Wave {
  std::vector<std::string> stages = {};
  std::string gpus = {};  // of a task: "1", "a100:2"; empty: none
};

struct ScriptOptions {
  std::string program, folder;    // from the root
  std::size_t tasks = 8;          // of the array
  std::size_t jobs = 1;           // processes of a task
  std::size_t threads = 1;        // of a process
  std::uint64_t memory = 0;       // bytes of a process; 0: not said
  std::string time = "24:00:00";  // of a task
  // Of Slurm alone; empty: not said. `sbatch`: further options of sbatch
  std::string partition = {}, account = {}, sbatch = {};
  std::vector<Wave> waves = {Wave()};
};

// The waves of a plan by "GPUS" of all stages and "STAGE=GPUS" of one. Stages with equal GPUs share a wave, as
// long as none of them waits for a wave in between. Error: a stage that the plan lacks.
[[nodiscard]] std::vector<Wave> waves_of(const Plan& plan, const std::vector<std::string>& gpus);

// "4:00:00" in seconds; nothing below five minutes, as a task's end is announced up to two minutes before.
[[nodiscard]] std::optional<double> seconds_of(std::string_view time);

// Both scripts refuse (Error) a folder or program with quotes, percent signs, backslashes or control characters in its path.
//
// For PBS (qsub), SGE (qsub) and LSF (bsub), each of which reads its own comments, and for GNU parallel.
[[nodiscard]] std::string array_script(const ScriptOptions& options);

struct SlurmScript {
  std::string file, text;
};
// In the order of submission, each after the one before: an array of tasks for each wave, and a last job.
[[nodiscard]] std::vector<SlurmScript> slurm_scripts(const ScriptOptions& options);

struct Submitted {
  std::vector<std::string> arrays;  // numbers of the jobs
  std::string last;
};

// Submits an array of tasks for each wave and a last job that runs the remaining units once they have ended. Whoever
// ends the last unit collects. The previous table is removed, so any table is whole; if sbatch refuses the first
// array, the table stays and `accepted` is not called. Tasks that start before `accepted` ends leave what it reopens to
// others. Nothing is submitted held or depends on the last job alone: a killed controller forgets its last
// five seconds. Scripts and output are in slurm/ of the folder. std::runtime_error (with sbatch's message):
// sbatch is missing or refuses.
[[nodiscard]] Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& accepted);

}  // namespace leeway::sweep
