// leeway sweep report: the runs of a sweep as one page.
#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/sweep/collect.h"
#include "leeway/sweep/report.h"
#include "leeway/tasks/sweep/report.h"

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

}  // namespace

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
      "The plan of a sweep gives the columns their roles; for a table, name them by options. See "
      "docs/sweeps.md.\n\n"
      "  leeway sweep report sweep --out page.html\n"
      "  leeway sweep report runs.csv.gz train.csv.gz --algorithm train.algorithm --case shift.name");
  command.runs([&context, &flags] { return run_sweep_report(context, flags); });
}

}  // namespace leeway::app
