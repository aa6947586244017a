// leeway sweep: a study as units, run here or on a cluster, looked at, collected; its runs as one page.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/leeway/command.h"
#include "apps/leeway/sweep_folder.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/sweep/collect.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/report.h"
#include "leeway/sweep/run.h"
#include "leeway/sweep/script.h"
#include "leeway/sweep/store.h"
#include "leeway/tasks/sweep/report.h"
#include "leeway/tasks/sweep/sweep.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::app {
namespace {

struct SweepReportFlags {
  std::vector<std::string> runs;
  tasks::SweepReportOptions options;
};

sweep::RunTable runs_of(Context& context, const std::string& path, const std::string& stage) {
  if (is_folder(path)) {
    const sweep::Store store(path);
    const sweep::Plan plan = sweep::read_plan(store.plan());
    context.add_input(store.plan().string(), {});
    return sweep::runs_of_folder(plan, store, stage, context.progress());
  }
  sweep::RunTable table(path);
  context.add_input(path, {table.rows(), table.axes().size() + table.keys().size()});
  return table;
}

int run_sweep_report(Context& context, const SweepReportFlags& flags) {
  const std::string path = context.out.empty() ? "report.html" : context.out;
  if (context.out.empty()) context.files.claim("the page", path, Written::page);
  if (!flags.options.stage.empty() && !is_folder(flags.runs.front()))
    throw UsageError("--stage: expected the folder of a sweep, found " + display_name(flags.runs.front()));
  sweep::RunTable table = runs_of(context, flags.runs.front(), flags.options.stage);
  for (std::size_t i = 1; i < flags.runs.size(); ++i) table.join(runs_of(context, flags.runs[i], ""));
  context.page = path;
  return context.finish(sweep::report_of(table, flags.options, context.seed));
}

void add_sweep_report(const Command& room, Context& context) {
  const Command command =
      room.add("report", "Report the runs of a sweep as one page: algorithms by shifts, with intervals");
  auto& flags = command.keep<SweepReportFlags>();
  command
      .option("RUNS", flags.runs,
              "Folder of a sweep, or tables of leeway sweep collect (.csv, .csv.gz); tables of other stages "
              "are joined by their axes")
      .required();
  add_option_flags(command, flags.options);
  command.reads({"RUNS"});
  context.add_common_flags(command, "Write the page to this file (default report.html)", Written::page);
  context.add_figures_flag(command);
  command.footer(
      "The plan of a sweep defines the roles of the columns; for a table, options define the roles. See "
      "docs/guides/sweeps.md.\n\n"
      "  leeway sweep report sweep --out page.html\n"
      "  leeway sweep report runs.csv.gz train.csv.gz --algorithm train.algorithm --case shift.name");
  command.runs([&context, &flags] { return run_sweep_report(context, flags); });
}

namespace fs = std::filesystem;

struct SweepFlags {
  std::string study, folder;
  tasks::SweepRunOptions run;
  tasks::SweepCollectOptions collect;
  bool slurm = false;
  ClusterFlags cluster;
  std::string limit;  // of a runner; empty: none
};

template <class Record>
int finish(Context& context, Record record, int code = exit_ok) {
  return context.finish(tasks::TaskClock().finished(std::move(record), context.seed), code);
}

int run_plan(Context& context, const SweepFlags& flags) {
  if (context.out.empty()) throw UsageError("--out is required: the folder of the sweep");
  const MappedFile file = map_file(flags.study);
  context.add_input(flags.study, {});
  const sweep::Store store(context.out);
  const sweep::Plan plan = plan_into(context, store, file.text(), display_name(flags.study));
  return finish(context, sweep::plan_record(plan, store));
}

// A runner that came late, when all was done, leaves a table that is there as it is.
void collect_at_the_end(Context& context, const sweep::Plan& plan, const sweep::Store& store,
                        tasks::SweepRun& record) {
  const std::string& out = record.options.collect;
  const tasks::SweepRunResult& result = record.results.front();
  const bool news = result.done + result.done_elsewhere > 0;
  if (out.empty() || result.left > 0 || (!news && is_there(out))) return;
  try {
    record.table = sweep::collect(plan, store, {}, out, context.progress());
  } catch (const Error& none) {  // every unit of the stage has failed
    record.envelope.warnings.emplace_back(none.what());
  }
}

// Told before the run.
void warn_of_memory(Context& context, const sweep::Plan& plan, std::size_t wanted) {
  const std::uint64_t free = sweep::available_memory();
  const std::size_t jobs = sweep::jobs_that_fit(plan.threads, plan.memory, wanted);
  const auto words = [](std::uint64_t size) {
    return fmt::format("{:.3g}G", static_cast<double>(size) / 0x1p30);
  };
  if (plan.memory > free || jobs < wanted)
    context.warn(fmt::format("{} unit{} at once: a unit may take {} of memory, and {} is free", jobs,
                             jobs == 1 ? "" : "s", words(plan.memory), words(free)));
}

int run_units(Context& context, const SweepFlags& flags) {
  const sweep::Store store(flags.folder);
  const sweep::Plan plan = sweep::read_plan(store.plan());
  sweep::require_runnable(plan, SweepCatalog().catalog(), display_name(store.plan()));
  if (flags.slurm || flags.cluster.dry_run) {
    const auto accepted = [&] {
      if (flags.run.retry) sweep::forget_failures(plan, store);
    };
    return run_on_slurm(context, flags.cluster,
                        script_options(flags.cluster, plan, flags.folder, flags.run.jobs), accepted,
                        fmt::format(", which runs the remaining units and writes {}.",
                                    display_name(store.folder() / sweep::collected_table)));
  }
  if (!flags.run.collect.empty()) sweep::check_table_name(flags.run.collect);
  if (flags.run.retry) sweep::forget_failures(plan, store);
  warn_of_memory(context, plan, flags.run.jobs);
  const sweep::RunOptions options{flags.run, sweep::seconds_of(flags.limit).value_or(0)};
  tasks::SweepRun record;
  record.options = flags.run, record.folder = display_name(store.folder());
  record.results.push_back(sweep::run_units(plan, store, options, context.progress()));
  const std::size_t failed = record.results.front().failed;
  if (failed > 0) record.failures = sweep::failures_of(plan, store);
  collect_at_the_end(context, plan, store, record);
  return finish(context, std::move(record), failed > 0 ? exit_incomplete : exit_ok);
}

int run_collect(Context& context, const SweepFlags& flags) {
  if (context.out.empty()) throw UsageError("--out is required: the table to write");
  const sweep::Store store(flags.folder);
  const sweep::Plan plan = sweep::read_plan(store.plan());
  context.add_input(store.plan().string(), {});
  tasks::SweepCollect record;
  record.options = flags.collect;
  record.results.push_back(sweep::collect(plan, store, flags.collect, context.out, context.progress()));
  const bool whole = record.results.front().missing == 0;
  return finish(context, std::move(record), whole ? exit_ok : exit_incomplete);
}

void add_folder(const Command& command, SweepFlags& flags) {
  command.option("DIR", flags.folder, "Folder written by leeway sweep plan").required();
}

std::string time_check(const std::string& text) {
  return sweep::seconds_of(text) ? ""
                                 : "expected hours:minutes:seconds from 0:05:00, found " + in_quotes(text);
}

void add_common(const Command& command, Context& context,
                const std::string& out = "Write the JSON record to this file",
                Written kind = Written::record) {
  context.add_common_flags(command, out, kind);
  command.hide({"--seed", "--no-digest"});
}

void add_sweep_plan(const Command& room, Context& context, SweepFlags& flags) {
  const Command command =
      room.add("plan", "Plan a study: list its units, each a command with its options and inputs");
  command.option("STUDY", flags.study, "Study (TOML), see docs/guides/sweeps.md").required();
  add_common(command, context, "Folder of the sweep; finished units that still apply are kept",
             Written::folder);
  command.footer(
      "One table per stage. Its keys are the options of the command; several values form an axis.\n\n"
      "  leeway sweep plan study.toml --out sweep");
  command.runs([&context, &flags] { return run_plan(context, flags); });
}

void add_sweep_run(const Command& room, Context& context, SweepFlags& flags) {
  const Command command =
      room.add("run", "Run the remaining units of a sweep, locally or as a Slurm job array");
  add_folder(command, flags);
  add_option_flags(command, flags.run);
  command["--collect"].writes(Written::file);
  const Option slurm = command.flag(
      "--slurm", flags.slurm,
      "Submit one job array (sbatch), and a final job that runs the remaining units and writes runs.csv");
  add_slurm_flags(command, flags.cluster);
  const Option limit = command
                           .option("--limit", flags.limit,
                                   "Time limit of this runner, hours:minutes:seconds; a unit that needs more "
                                   "than the whole limit fails")
                           .check(time_check);
  add_common(command, context);
  slurm.excludes(limit);
  for (const char* const own : {"--out", "--collect", "--no-wait", "--lease", "--stages"})
    slurm.excludes(command[own]);
  command.footer(
      "Any number of runners may share a folder. After a stop or a crash, the same command resumes. Exit "
      "code 5: units failed.\n\n"
      "  leeway sweep run sweep --jobs 4\n"
      "  leeway sweep run sweep --slurm --tasks 100 --time 4:00:00\n"
      "  leeway sweep run sweep --slurm --partition gpu --gpus train=1 --memory 8G --dry-run");
  command.runs([&context, &flags] { return run_units(context, flags); });
}

}  // namespace

sweep::Plan plan_into(Context& context, const sweep::Store& store, std::string_view text,
                      const std::string& name) {
  const SweepCatalog catalog;
  sweep::Plan plan = sweep::make_plan(sweep::parse_study(text, name, catalog.catalog()), catalog.catalog(),
                                      name, context.progress());
  std::error_code error;
  if (is_there(store.folder()) && !fs::is_empty(store.folder(), error) &&
      !(is_there(store.plan()) && sweep::is_plan(store.plan())))
    refuse(display_name(store.folder()), "a new folder or the folder of a sweep",
           "a folder with other files");
  fs::create_directories(store.folder(), error);
  if (error) sweep::fail_at(store.folder(), "cannot make the folder", error.value());
  write_text(store.folder() / "study.toml", text);
  sweep::write_plan(store.plan(), plan);
  return plan;
}

sweep::ScriptOptions script_options(const ClusterFlags& flags, const sweep::Plan& plan,
                                    const std::string& folder, std::size_t jobs) {
  sweep::ScriptOptions cluster = static_cast<const sweep::ScriptOptions&>(flags);
  cluster.program = fs::read_symlink("/proc/self/exe").string();
  cluster.folder = fs::canonical(folder).string();
  cluster.jobs = std::max<std::size_t>(1, jobs);
  cluster.threads = plan.threads;
  cluster.memory = sweep::bytes_of(flags.unit_memory).value_or(plan.memory);
  cluster.waves = sweep::waves_of(plan, flags.gpus);
  return cluster;
}

int run_on_slurm(Context& context, const ClusterFlags& flags, const sweep::ScriptOptions& options,
                 const std::function<void()>& accepted, const std::string& then) {
  if (flags.dry_run) {
    std::string text;
    Json all = Json::object();
    for (const auto& [file, script] : sweep::slurm_scripts(options)) {
      text += fmt::format("# {}\n{}\n", file, script);
      all[file] = script;
    }
    context.print(all, text);
    return exit_ok;
  }
  const sweep::Submitted jobs = sweep::submit_to_slurm(options, accepted);
  const bool several = jobs.arrays.size() > 1;
  context.print(Json{{"array", jobs.arrays.front()}, {"arrays", jobs.arrays}, {"last", jobs.last}},
                fmt::format("Slurm job{} {}: array{} of {} tasks; then job {}{}\n", several ? "s" : "",
                            list_of(jobs.arrays), several ? "s" : "", options.tasks, jobs.last, then));
  return exit_ok;
}

void add_slurm_flags(const Command& command, ClusterFlags& cluster) {
  add_cluster_flags(command, cluster);
  command.option("--partition", cluster.partition, "Partition of the jobs");
  command.option("--account", cluster.account, "Account that the jobs are charged to");
  command
      .option("--gpus", cluster.gpus,
              "GPUs of a task: 1, a100:2, or STAGE=1 for the tasks of one stage, e.g. train=1,infer=1")
      .by_commas();
  command.option("--sbatch", cluster.sbatch, "Further options of sbatch, e.g. \"--qos=high --exclusive\"");
  command.flag("--dry-run", cluster.dry_run, "Print the scripts of --slurm and submit nothing");
  command.group("Slurm", {"--partition", "--account", "--gpus", "--sbatch", "--dry-run"});
}

void add_cluster_flags(const Command& command, ClusterFlags& cluster) {
  command
      .option("--memory", cluster.unit_memory,
              "On a cluster: memory of a unit, e.g. 8G (default: as in the study)")
      .check([](const std::string& text) {
        return sweep::bytes_of(text) ? "" : "expected a size such as 800M or 2G, found " + in_quotes(text);
      });
  command.option("--tasks", cluster.tasks, "On a cluster: number of array tasks").whole_within(1, 100000);
  command.option("--time", cluster.time, "On a cluster: time limit of a task, hours:minutes:seconds")
      .check(time_check);
}

void add_sweep(const Command& root, Context& context) {
  const Command room =
      root.add("sweep", "Plan, run and collect studies of thousands of runs, locally or on a cluster");
  room.needs_command();
  auto& flags = room.keep<SweepFlags>();
  add_sweep_plan(room, context, flags);
  add_sweep_run(room, context, flags);

  const Command status = room.add("status", "Status of a sweep: units by state, failures by message");
  add_folder(status, flags);
  add_common(status, context);
  status.runs([&context, &flags] {
    const sweep::Store store(flags.folder);
    return finish(context, sweep::status_of(sweep::read_plan(store.plan()), store));
  });

  const Command collect = room.add("collect", "Collect the records of a stage as one table");
  add_folder(collect, flags);
  add_option_flags(collect, flags.collect);
  add_common(collect, context, "Table to write: .csv or .csv.gz", Written::file);
  collect.footer(
      "Exit code 5: some units have no record yet.\n\n"
      "  leeway sweep collect sweep --out runs.csv");
  collect.runs([&context, &flags] { return run_collect(context, flags); });

  add_sweep_report(room, context);

  const Command script = room.add("script", "Print a job script for PBS, SGE, LSF and GNU parallel");
  add_folder(script, flags);
  script.option("--jobs", flags.run.jobs, "Parallel processes in a task (default: 1)").whole_within(1, 4096);
  add_cluster_flags(script, flags.cluster);
  script.footer("  leeway sweep script sweep --tasks 100 > job.sh && qsub job.sh");
  script.runs([&context, &flags] {
    const sweep::Plan plan = sweep::read_plan(sweep::Store(flags.folder).plan());
    context.print({}, sweep::array_script(script_options(flags.cluster, plan, flags.folder, flags.run.jobs)));
    return exit_ok;
  });
}

}  // namespace leeway::app
