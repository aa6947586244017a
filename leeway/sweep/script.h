// A sweep on a cluster: a job script for any engine, and one for Slurm.
//
// Every task of the array is the same command, `leeway sweep run`, and takes what is left: units are shared out by
// claims, so that no task has a list of its own to be late with, tasks may start hours apart, and one that is
// killed leaves its unit to the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leeway::sweep {

// What is collected on a cluster, in the folder of the sweep.
inline constexpr std::string_view collected_table = "runs.csv";

struct ScriptOptions {
  std::string program, folder;    // from the root
  std::size_t tasks = 1;          // of the array
  std::size_t jobs = 1;           // processes of a task
  std::size_t threads = 1;        // of a process
  std::uint64_t memory = 0;       // bytes of a process; 0: not said
  std::string time = "24:00:00";  // of a task
};

// "4:00:00" in seconds; nothing where it is no time of five minutes or more: a task hears of its end up to two minutes before it.
[[nodiscard]] std::optional<double> seconds_of(std::string_view time);

// For PBS (qsub), SGE (qsub) and LSF (bsub), each of which reads its own comments, and for GNU parallel.
[[nodiscard]] std::string array_script(const ScriptOptions& options);

// For sbatch. A task that is told to end (its time is over, it is preempted) gives its units back and queues again,
// and so does one whose runner was killed. The task that ends the last unit collects runs.csv.
[[nodiscard]] std::string slurm_array_script(const ScriptOptions& options);

// For sbatch, once the array has ended: one more runner, for what killed tasks have left, and for runs.csv where it is
// not there.
[[nodiscard]] std::string slurm_last_script(const ScriptOptions& options);

}  // namespace leeway::sweep
