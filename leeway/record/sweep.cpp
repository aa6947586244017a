#include "leeway/record/sweep.h"

#include <fmt/format.h>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::record {
namespace {

std::string some(std::size_t n, const std::string& what) {
  return fmt::format("{} {}{}", count(n), what, n == 1 ? "" : "s");
}

std::string failures(std::size_t failed, std::size_t blocked) {
  std::string text;
  if (failed > 0) text += fmt::format(", {} failed", count(failed));
  if (blocked > 0) text += fmt::format(", {} blocked by those", count(blocked));
  return text;
}

}  // namespace

void fields(SweepRunOptions& options, Fields& f) {
  f("jobs", options.jobs, from_to(0, 4096),
    "number of parallel processes; 0: as many as processors and memory permit");
  f("retry", options.retry, "retry failed units");
  f("no_wait", options.no_wait, "exit when no unit is left to start, without waiting for other runners");
  f("lease", options.lease, from_to(1, 86400),
    "seconds without a sign after which a runner on another machine counts as dead");
  f.unless_empty("collect", options.collect,
                 "when all units are finished, write the records of the last stage to this table, as leeway "
                 "sweep collect does");
}

void fields(SweepCollectOptions& options, Fields& f) {
  f.unless_empty("stage", options.stage, "stage to collect (default: the last stage)");
  f("columns", options.columns,
    "keys of a result as in docs/schema, without results[]: \"pa\", \"worst_class.accuracy\", or of a list, "
    "\"epochs.loss\" (default: all scalar keys)");
  f("series", options.series,
    "also collect the criteria and the test accuracy of every epoch, separated by spaces");
}

static void fields(SweepPlanStage& stage, Fields& f) {
  f("stage", stage.stage, "its name in the study");
  f("command", stage.command, "that its units run");
  f("units", stage.units, "of this stage");
  f("kept", stage.kept, "of them done already");
}

void fields(SweepPlan& record, Fields& f) {
  fields(record.envelope, f);
  f("folder", record.folder, "of the sweep");
  f("axes", record.axes, "STAGE.OPTION, for options with several values");
  f("units", record.units, at_least(1), "processes to run, those done already included");
  f("kept", record.kept, "units that are done already");
  f("others", record.others, "units that are done and not part of this plan any more");
  f("combinations", record.combinations, at_least(1), "of axes, in the stages that none reads");
  f("left_out", record.left_out, "combinations that exclude and only leave out");
  f("threads", record.threads, at_least(1), "of a unit");
  f("jobs", record.jobs, at_least(1), "units that fit on this machine at once");
  f("results", record.results, "one for each stage");
}

static void fields(SweepFailure& failure, Fields& f) {
  f("message", failure.message, "the last line on stderr, or how the process ended");
  f("units", failure.units, at_least(1), "with this message, numbers and names of units in it aside");
  f("axes", failure.axes, "AXIS=VALUE, those that all of them have");
  f("log", failure.log, "what one of them said");
}

static void fields(SweepRunResult& result, Fields& f) {
  f("units", result.units, at_least(1), "of the plan");
  f("jobs", result.jobs, at_least(1), "processes at once");
  f("done_before", result.done_before, "when the run began");
  f("done", result.done, "by this run");
  f("done_elsewhere", result.done_elsewhere, "by other runners meanwhile");
  f("failed", result.failed, "in this or an earlier run");
  f("blocked", result.blocked, "that need a unit that failed");
  f("left", result.left, "with no_wait: that other runners are still at");
}

static void fields(SweepTable& table, Fields& f) {
  f("out", table.out, "the file");
  f("stage", table.stage, "whose records");
  f("rows", table.rows, "one for each result of each record");
  f("units", table.units, "whose records were read");
  f("missing", table.missing, "units of the stage without a record");
  f("columns", table.columns, "of the file");
}

void fields(SweepRun& record, Fields& f) {
  common_fields(record, f);
  f("folder", record.folder, "of the sweep");
  f("failures", record.failures, "by message, the most frequent first");
  f("table", record.table, "that was collected; null: not asked for, work is left, or it was there");
  f("results", record.results, "one");
}

static void fields(SweepCounts& counts, Fields& f) {
  f("units", counts.units, "in all");
  f("done", counts.done, "with a record");
  f("failed", counts.failed, "with a log");
  f("blocked", counts.blocked, "that need one that failed");
  f("running", counts.running, "that a runner has claimed");
  f("ready", counts.ready, "that a runner may begin");
  f("waiting", counts.waiting, "that need one that is not done yet");
}

static void fields(SweepStageStatus& stage, Fields& f) {
  f("stage", stage.stage, "its name in the study");
  f("command", stage.command, "that its units run");
  fields(stage.counts, f);
}

void fields(SweepStatus& record, Fields& f) {
  fields(record.envelope, f);
  f("folder", record.folder, "of the sweep");
  f("counts", record.counts, "units by state");
  f("failures", record.failures, "by message, the most frequent first");
  f("results", record.results, "one for each stage");
}

void fields(SweepCollect& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

std::string headline_of(const SweepPlan& record) {
  std::string text =
      fmt::format("{} in {}", some(record.units, "unit"), some(record.results.size(), "stage"));
  if (record.kept > 0) text += fmt::format(", {} of them done already", count(record.kept));
  text += '.';
  if (record.left_out > 0)
    text +=
        fmt::format(" {} of {} combinations left out.", count(record.left_out), count(record.combinations));
  return text;
}

std::string headline_of(const SweepRun& record) {
  const SweepRunResult& result = record.results.front();
  const std::size_t done = result.done_before + result.done + result.done_elsewhere;
  std::string text = fmt::format("{} of {} done", count(done), some(result.units, "unit"));
  if (result.done_before > 0) text += fmt::format(", {} of them before", count(result.done_before));
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

}  // namespace leeway::record
