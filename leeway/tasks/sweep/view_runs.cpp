// What leeway sweep plan, run, status and collect show.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/tasks/sections.h"
#include "leeway/tasks/sweep/sweep.h"

namespace leeway::tasks {
namespace {

Blocks failures_of(const std::vector<SweepFailure>& failures) {
  constexpr std::size_t most = 10;
  Facts facts;
  for (const SweepFailure& failure : failures) {
    if (&failure == &failures.front() + most) break;
    facts.emplace_back(fmt::format("{} failed", count(failure.units)), failure.message);
    if (!failure.axes.empty()) facts.emplace_back("", fmt::format("with {}", fmt::join(failure.axes, ", ")));
    facts.emplace_back("", "log: " + failure.log);
  }
  if (failures.size() > most)
    facts.emplace_back("",
                       fmt::format("and {} more messages: --json has all", count(failures.size() - most)));
  return facts.empty() ? Blocks() : subheading("Failures by message") + term_list(std::move(facts));
}

}  // namespace

View view(const SweepPlan& record) {
  using One = SweepPlanStage;
  const std::vector<ColumnOf<One>> columns = {{text_column("Stage"), &One::stage},
                                              {text_column("Command"), &One::command},
                                              {number_column("Units"), &One::units},
                                              {number_column("Done"), &One::kept}};
  Blocks lead = table_of("Stages", columns, record.results).block();
  if (record.others > 0)
    lead +=
        paragraph(fmt::format("{} units in the folder do not belong to this plan.", count(record.others)));
  return plain_view("a plan", record.envelope, std::move(lead));
}

View view(const SweepRun& record) {
  return plain_view("runs", record.envelope,
                    paragraph(record.table ? headline_of(*record.table) : "") + failures_of(record.failures));
}

View view(const SweepStatus& record) {
  Table table("Units by state", {text_column("Stage"), number_column("Units"), number_column("Done"),
                                 number_column("Running"), number_column("Ready"), number_column("Waiting"),
                                 number_column("Failed"), number_column("Blocked")});
  const auto add = [&](const std::string& name, const SweepCounts& c) {
    std::vector<Cell> row{text_cell(name)};
    for (const std::size_t n : {c.units, c.done, c.running, c.ready, c.waiting, c.failed, c.blocked})
      row.push_back(count_cell(n));
    table.add(std::move(row));
  };
  for (const SweepStageStatus& stage : record.results) add(stage.stage, stage.counts);
  if (record.results.size() > 1) add("all", record.counts);
  return plain_view("status of a sweep", record.envelope, table.block() + failures_of(record.failures));
}

View view(const SweepCollect& record) { return plain_view("a table of runs", record.envelope, {}); }

}  // namespace leeway::tasks
