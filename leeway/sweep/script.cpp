#include "leeway/sweep/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/sweep/process.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gpu_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-";  // "a100:2"

// A word for a shell; check_paths refuses quotes.
std::string quoted(const std::string& text) { return "'" + text + "'"; }

// Schedulers read the script themselves: % in the name of an output, lines that begin with their mark.
void check_paths(const ScriptOptions& options) {
  const auto has_meaning = [](char c) {
    return (c >= 0 && c < ' ') || std::string_view("\x7f\"'%\\").find(c) != std::string_view::npos;
  };
  for (const std::string& path : {options.folder, options.program})
    if (const auto found = std::ranges::find_if(path, has_meaning); found != path.end())
      refuse(display_name(path),
             "on a cluster, a path without quotes, percent signs, backslashes or control characters",
             in_quotes(std::string(1, *found)));
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  for (const auto& [option, text] : {std::pair("--partition", options.partition),
                                     {"--account", options.account},
                                     {"--sbatch", options.sbatch}})
    if (std::ranges::any_of(text, is_control)) refuse(option, "one line", in_quotes(text));
}

std::size_t megabytes(const ScriptOptions& options) {
  constexpr std::uint64_t mega = std::uint64_t{1} << 20, least = 64;
  return std::max(least, (options.memory + mega - 1) / mega) * options.jobs;
}

std::string run_command(const ScriptOptions& options, const std::string& more) {
  return fmt::format("{} sweep run {} --jobs {} --quiet{}", quoted(options.program), quoted(options.folder),
                     options.jobs, more);
}

// A task told to end (time limit, preemption) or whose runner was killed gives its units back and queues again. The task
// that ends the last unit collects runs.csv.
std::string slurm_script(const ScriptOptions& options, const std::string& lines, const std::string& gpus,
                         const std::string& more, const std::string& job) {
  const std::string table = options.folder + "/" + std::string(collected_table);
  std::string text = "#!/bin/bash\n#SBATCH --requeue\n#SBATCH --open-mode=append\n" + lines;
  text += fmt::format("#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n", options.jobs * options.threads,
                      options.time);
  if (options.memory > 0) text += fmt::format("#SBATCH --mem={}M\n", megabytes(options));
  for (const auto& [option, value] : {std::pair("--partition=", options.partition),
                                      {"--account=", options.account},
                                      {"--gres=gpu:", gpus},
                                      {"", options.sbatch}})
    if (!value.empty()) text += fmt::format("#SBATCH {}{}\n", option, value);
  text += "#SBATCH --signal=B:TERM@60\n";
  text += "trap 'kill -TERM \"$runner\"' TERM\n";
  text += run_command(options, fmt::format("{} --limit {} --collect {}", more, options.time, quoted(table)));
  text += " &\nrunner=$!\nwait \"$runner\"\ncode=$?\n";
  text += "[ $code -gt 128 ] && { wait \"$runner\"; again=$?; [ $again -ne 127 ] && code=$again; }\n";
  text += "# 130: asked to stop; 137: killed. Its units are free again.\n";
  text += fmt::format("case $code in 130|137|143) scontrol requeue \"{}\" && sleep 60 ;; esac\n", job);
  return text + "exit $code\n";
}

std::string slurm_array_script(const ScriptOptions& options, const Wave& wave) {
  const std::string stages =
      wave.stages.empty() ? "" : fmt::format(" --stages {}", fmt::join(wave.stages, ","));
  return slurm_script(options,
                      fmt::format("#SBATCH --job-name=leeway-sweep\n#SBATCH --array=1-{}\n"
                                  "#SBATCH --output=\"{}/slurm/%A_%a.log\"\n",
                                  options.tasks, options.folder),
                      wave.gpus, stages + " --no-wait", "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}");
}

// Once the arrays have ended: one more runner, for what killed tasks have left, and for runs.csv where it is not there.
std::string slurm_last_script(const ScriptOptions& options) {
  const auto with_gpus =
      std::ranges::find_if(options.waves, [](const Wave& one) { return !one.gpus.empty(); });
  return slurm_script(
      options,
      fmt::format("#SBATCH --job-name=leeway-last\n#SBATCH --output=\"{}/slurm/%j.log\"\n", options.folder),
      with_gpus == options.waves.end() ? "" : with_gpus->gpus, "", "$SLURM_JOB_ID");
}

// What sbatch says on several lines, each behind its own name.
std::string one_line(const std::string& text) {
  constexpr std::string_view name = "sbatch: ";
  std::string line;
  for (std::string part : split(text, '\n')) {
    if (part.starts_with(name)) part.erase(0, name.size());
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  }
  return printable(line, 500);
}

Ended run_sbatch(const fs::path& folder, const std::vector<std::string>& words) {
  try {
    const Process process("sbatch", words, folder, "sbatch.out", "sbatch.err");
    process.wait();
    return process.reap();
  } catch (const std::runtime_error& failure) {
    const std::string_view message = failure.what();
    throw std::runtime_error(fmt::format("sbatch: cannot be started{}", message.substr(message.rfind(": "))));
  }
}

// The job's number, which --parsable prints, before the cluster's name where there is one.
std::string submitted(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "--parsable");
  const Ended ended = run_sbatch(folder, words);
  const std::string said = read_small_file(folder / "sbatch.out").value_or("");
  const std::string number = said.substr(0, said.find_first_of(";\n"));
  if (ended.code != 0 || number.empty())
    throw std::runtime_error(
        fmt::format("sbatch: {}", one_line(read_small_file(folder / "sbatch.err").value_or(""))));
  return number;
}

// GPUs by stage.
std::map<std::string, std::string> gpus_of(const Plan& plan, const std::vector<std::string>& given) {
  std::map<std::string, std::string> of_stage;
  std::string all;
  for (const std::string& text : given) {
    const std::size_t at = text.find('=');
    const std::string stage = at == text.npos ? "" : text.substr(0, at), gpus = text.substr(at + 1);
    if (gpus.empty() || gpus.find_first_not_of(gpu_letters) != gpus.npos)
      refuse("--gpus", "a number of GPUs, such as 1, a100:2 or STAGE=1", in_quotes(text));
    if (at != text.npos && std::ranges::find(plan.stages, stage, &PlannedStage::name) == plan.stages.end())
      refuse("--gpus", "a stage of the plan", in_quotes(stage));
    (at == text.npos ? all : of_stage[stage]) = gpus;
  }
  for (const PlannedStage& stage : plan.stages) of_stage.try_emplace(stage.name, all);
  for (auto& [stage, gpus] : of_stage)
    if (gpus == "0") gpus.clear();
  return of_stage;
}

}  // namespace

std::vector<Wave> waves_of(const Plan& plan, const std::vector<std::string>& given) {
  const std::map<std::string, std::string> gpus = gpus_of(plan, given);
  std::map<std::string, std::string> stages;  // by unit
  std::set<std::pair<std::string, std::string>> edges;
  for (const Unit& unit : plan.units) {
    stages[unit.name] = unit.stage;
    for (const std::string& needed : unit.needs) edges.emplace(stages.at(needed), unit.stage);
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t pass = 0; pass < plan.stages.size(); ++pass)
    for (const auto& [needed, stage] : edges)
      places[stage] = std::max(places[stage], places[needed] + (gpus.at(stage) != gpus.at(needed) ? 1 : 0));
  std::map<std::pair<std::size_t, std::string>, std::vector<std::string>> found;
  for (const PlannedStage& stage : plan.stages)
    found[{places[stage.name], gpus.at(stage.name)}].push_back(stage.name);
  if (found.size() == 1) return {{{}, found.begin()->first.second}};
  std::vector<Wave> waves;
  for (auto& [key, names] : found) waves.push_back({std::move(names), key.second});
  return waves;
}

std::vector<SlurmScript> slurm_scripts(const ScriptOptions& options) {
  check_paths(options);
  std::vector<SlurmScript> scripts;
  for (const Wave& wave : options.waves)
    scripts.push_back({scripts.empty() ? "array.sh" : fmt::format("array-{}.sh", scripts.size() + 1),
                       slurm_array_script(options, wave)});
  scripts.push_back({"last.sh", slurm_last_script(options)});
  return scripts;
}

std::optional<double> seconds_of(std::string_view time) {
  double seconds = 0;
  const std::vector<std::string> parts = split(std::string(time), ':');
  if (parts.size() != 3) return {};
  for (const std::string& part : parts) {
    const auto number = parse_number(part);
    if (!number || part.size() > 5 || part.find_first_not_of("0123456789") != part.npos) return {};
    if (&part != &parts.front() && *number >= 60) return {};
    seconds = 60 * seconds + *number;
  }
  constexpr double least = 300;
  return seconds >= least ? std::optional(seconds) : std::nullopt;
}

std::string array_script(const ScriptOptions& options) {
  check_paths(options);
  const std::size_t cpus = options.jobs * options.threads;
  const std::string memory = options.memory == 0 ? "" : fmt::format(":mem={}mb", megabytes(options));
  std::string text =
      "#!/bin/sh\n"
      "# Each task runs remaining units of the sweep; submit any number of tasks at any time.\n";
  text += fmt::format(
      "#PBS -N leeway-sweep\n#PBS -J 1-{}\n#PBS -r y\n#PBS -l select=1:ncpus={}{}\n#PBS -l walltime={}\n",
      std::max<std::size_t>(options.tasks, 2), cpus, memory, options.time);
  text +=
      fmt::format("#$ -N leeway-sweep\n#$ -t 1-{}\n#$ -r y\n#$ -pe smp {}\n#$ -l h_rt={}\n#$ -S /bin/sh\n",
                  options.tasks, cpus, options.time);
  text += fmt::format("#BSUB -J leeway-sweep[1-{}]\n#BSUB -r\n#BSUB -n {}\n#BSUB -W {}\n", options.tasks,
                      cpus, options.time.substr(0, options.time.rfind(':')));
  text += fmt::format("# GNU parallel: seq {} | parallel -N0 sh THIS_SCRIPT\n", options.tasks);
  return text + "exec " + run_command(options, " --no-wait") + "\n";
}

Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& accepted) {
  const std::vector<SlurmScript> scripts = slurm_scripts(options);
  const fs::path folder = fs::path(options.folder) / "slurm";
  fs::create_directories(folder);
  for (const auto& [file, text] : scripts) write_text(folder / file, text);
  const fs::path table = fs::path(options.folder) / collected_table, aside = folder / collected_table;
  remove_made(folder, aside);
  if (fs::exists(table)) fs::rename(table, aside);
  Submitted jobs;
  try {
    jobs.arrays.push_back(submitted(folder, {scripts.front().file}));
  } catch (...) {
    if (fs::exists(aside)) fs::rename(aside, table);
    throw;
  }
  remove_made(folder, aside);
  accepted();
  for (std::size_t i = 1; i < scripts.size(); ++i)
    jobs.arrays.push_back(
        submitted(folder, {"--dependency=afterany:" + jobs.arrays.back(), scripts[i].file}));
  jobs.last = std::move(jobs.arrays.back());
  jobs.arrays.pop_back();
  return jobs;
}

}  // namespace leeway::sweep
