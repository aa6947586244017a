#include <fmt/format.h>

#include "leeway/tasks/sweep/sweep.h"

namespace leeway::tasks {
namespace {

std::string failures(std::size_t failed, std::size_t blocked) {
  std::string text;
  if (failed > 0) text += fmt::format(", {} failed", count(failed));
  if (blocked > 0) text += fmt::format(", {} blocked by those", count(blocked));
  return text;
}

}  // namespace

std::string some(std::size_t n, const std::string& what) {
  return fmt::format("{} {}{}", count(n), what, n == 1 ? "" : "s");
}

void fields(SweepRunOptions& options, Fields& f) {
  f("jobs", options.jobs, from_to(0, 4096),
    "number of parallel processes (0: as many as processors and memory permit)");
  f("retry", options.retry, "retry failed units");
  f("no_wait", options.no_wait, "exit when no unit is left to start, without waiting for other runners");
  f("lease", options.lease, from_to(1, 86400),
    "seconds without a sign of life after which a runner on another machine counts as dead");
  f.unless_empty("collect", options.collect,
                 "when all units are finished, write the records of the last stage to this table, as leeway "
                 "sweep collect does");
  f.unless_missing("stages", options.stages, "run only the units of these stages (default: all stages)");
}

void fields(SweepCollectOptions& options, Fields& f) {
  f.unless_empty("stage", options.stage, "stage to collect (default: the last stage)");
  f("columns", options.columns,
    "keys of a result as in leeway schema, without results[]: \"pa\", \"worst_class.accuracy\", or from a "
    "list, \"epochs.loss\" (default: all scalar keys)");
  f("series", options.series,
    "also collect the criteria and the test accuracy of every epoch, separated by spaces");
}

static void fields(SweepPlanStage& stage, Fields& f) {
  f("stage", stage.stage, "name of the stage in the study");
  f("command", stage.command, "command that the units run");
  f("units", stage.units, "number of units in the stage");
  f("kept", stage.kept, "number of units already done");
}

void fields(SweepPlan& record, Fields& f) {
  fields(record.envelope, f);
  f("folder", record.folder, "folder of the sweep");
  f("axes", record.axes, "axes STAGE.OPTION: options with several values");
  f("units", record.units, at_least(1), "number of units, including finished ones");
  f("kept", record.kept, "number of units already done");
  f("others", record.others, "number of finished units that no longer belong to this plan");
  f("combinations", record.combinations, at_least(1), "number of axis combinations in final stages");
  f("left_out", record.left_out, "number of combinations removed by `exclude` and `only`");
  f("threads", record.threads, at_least(1), "threads per unit");
  f("jobs", record.jobs, at_least(1), "number of units that this machine can run at once");
  f("results", record.results, "one element for each stage");
}

static void fields(SweepFailure& failure, Fields& f) {
  f("message", failure.message, "last line on stderr, or how the process ended");
  f("units", failure.units, at_least(1),
    "number of units with this message (numbers and unit names in the message are ignored)");
  f("axes", failure.axes, "AXIS=VALUE common to all these units");
  f("log", failure.log, "log of one of these units");
}

static void fields(SweepRunResult& result, Fields& f) {
  f("units", result.units, at_least(1), "number of units in the plan");
  f("jobs", result.jobs, at_least(1), "number of parallel processes");
  f("done_before", result.done_before, "units done before the run");
  f("done", result.done, "units done by this run");
  f("done_elsewhere", result.done_elsewhere, "units done by other runners in the meantime");
  f("failed", result.failed, "units that failed in this or an earlier run");
  f("blocked", result.blocked, "units that depend on a failed unit");
  f("left", result.left, "with no_wait: units still running in other runners");
}

void fields(SweepTable& table, Fields& f) {
  f("out", table.out, "table file");
  f("stage", table.stage, "stage of the records");
  f("rows", table.rows, "number of rows, one for each result of each record");
  f("units", table.units, "number of units whose records were read");
  f("missing", table.missing, "number of the stage's units that have no record");
  f("columns", table.columns, "columns of the table");
}

void fields(SweepRun& record, Fields& f) {
  common_fields(record, f);
  f("folder", record.folder, "folder of the sweep");
  f("failures", record.failures, "failures by message, most frequent first");
  f("table", record.table,
    "collected table; null: not requested, units remain, or the table already existed");
  f("results", record.results, "a single result");
}

static void fields(SweepCounts& counts, Fields& f) {
  f("units", counts.units, "total number of units");
  f("done", counts.done, "units with a record");
  f("failed", counts.failed, "units with a log");
  f("blocked", counts.blocked, "units that depend on a failed unit");
  f("running", counts.running, "units claimed by a runner");
  f("ready", counts.ready, "units that a runner may start");
  f("waiting", counts.waiting, "units that depend on an unfinished unit");
}

static void fields(SweepStageStatus& stage, Fields& f) {
  f("stage", stage.stage, "name of the stage in the study");
  f("command", stage.command, "command that the units run");
  fields(stage.counts, f);
}

void fields(SweepStatus& record, Fields& f) {
  fields(record.envelope, f);
  f("folder", record.folder, "folder of the sweep");
  f("counts", record.counts, "units by state");
  f("failures", record.failures, "failures by message, most frequent first");
  f("results", record.results, "one element for each stage");
}

std::string headline_of(const SweepPlan& record) {
  std::string text =
      fmt::format("{} in {}", some(record.units, "unit"), some(record.results.size(), "stage"));
  if (record.kept > 0) text += fmt::format(", {} of them already done", count(record.kept));
  text += '.';
  if (record.left_out > 0)
    text +=
        fmt::format(" {} of {} combinations excluded.", count(record.left_out), count(record.combinations));
  return text;
}

std::string headline_of(const SweepRun& record) {
  const SweepRunResult& result = record.results.front();
  const std::size_t done = result.done_before + result.done + result.done_elsewhere;
  std::string text = fmt::format("{} of {} done", count(done), some(result.units, "unit"));
  if (result.done_before > 0) text += fmt::format(", {} of them before this run", count(result.done_before));
  if (result.done_elsewhere > 0) text += fmt::format(", {} by other runners", count(result.done_elsewhere));
  text += failures(result.failed, result.blocked);
  if (result.left > 0) text += fmt::format(", {} left to other runners", count(result.left));
  return text + ".";
}

std::string headline_of(const SweepStatus& record) {
  return fmt::format("{} of {} done{}.", count(record.counts.done), some(record.counts.units, "unit"),
                     failures(record.counts.failed, record.counts.blocked));
}

std::string headline_of(const SweepCollect& record) { return headline_of(record.results.front()); }

std::string headline_of(const SweepTable& table) {
  std::string text =
      fmt::format("{}: {} of {}", table.out, some(table.rows, "row"), some(table.units, "unit"));
  if (table.missing > 0)
    text += fmt::format("; {} of the stage {} no record yet", some(table.missing, "unit"),
                        table.missing == 1 ? "has" : "have");
  return text + ".";
}

}  // namespace leeway::tasks
