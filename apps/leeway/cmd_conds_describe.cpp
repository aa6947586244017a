// leeway conds describe: which shifts a source and a target have, and how accuracy differs among cells.

#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/message.h"
#include "leeway/report/report.h"
#include "leeway/tasks/conds_describe.h"

namespace leeway::app {
namespace {

struct DescribeFlags {
  std::string source, target, attributes, split, outputs;  // files, or empty
  record::CondsDescribeOptions options;
};

void check_flags(const DescribeFlags& flags) {
  const int ways = (flags.source.empty() ? 0 : 1) + (flags.attributes.empty() ? 0 : 1);
  if (ways == 2) throw UsageError("--source: expected no --attributes beside it");
  if (ways == 0 && flags.outputs.empty())
    throw UsageError("expected --source, --attributes with --split, or --outputs");
  if (ways == 0 && !(flags.target.empty() && flags.split.empty()))
    throw UsageError(flags.target.empty() ? "--split: expected --attributes beside it"
                                          : "--target: expected --source beside it");
  if (!flags.target.empty() && flags.source.empty())
    throw UsageError("--target: expected --source beside it");
  if (flags.attributes.empty() != flags.split.empty())
    throw UsageError(flags.split.empty() ? "--split is required beside --attributes"
                                         : "--split: expected --attributes beside it");
  if (ways == 1 && !flags.options.label) throw UsageError("--label is required: the column of the labels");
  if (ways == 1 && flags.options.columns.empty()) throw UsageError("--columns is required: the attributes");
  if (ways == 0 && (flags.options.label || !flags.options.columns.empty()))
    throw UsageError("--label, --columns: expected a table beside them; outputs bring their own");
}

AttributeTable read_table(Context& context, const std::string& path, const DescribeFlags& flags) {
  AttributeTable table =
      read_attribute_table(path, {flags.options.label.value_or(""), flags.options.columns, {}, {}});
  context.add_input(path, {table.n(), table.attributes.size() + 1});
  return table;
}

tasks::CondsDescribeInputs opened(Context& context, const DescribeFlags& flags) {
  tasks::CondsDescribeInputs inputs;
  if (!flags.outputs.empty()) {
    inputs.outputs = read_outputs(flags.outputs, reading_of(flags.options.reading));
    context.add_input(flags.outputs, inputs.outputs->logits.shape);
  }
  const std::string& table = flags.split.empty() ? flags.source : flags.attributes;
  if (!table.empty()) inputs.source = read_table(context, table, flags);
  if (!flags.target.empty()) inputs.target = read_table(context, flags.target, flags);
  if (!flags.split.empty()) {
    inputs.split = data::read_split(flags.split, inputs.source->n());
    inputs.split_name = flags.split;
    context.add_input(flags.split, {inputs.split->rows, 2});
  }
  return inputs;
}

using conds::ColumnShift;
using conds::Measure;

constexpr std::size_t most_lines = 60, most_findings = 3;

std::string name_of(const conds::Description& said, const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", printable(said.columns[i].name), printable(values[i]));
  return text;
}

std::string number(const std::optional<Measure>& measure) {
  return measure ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", measure->value, measure->interval.low,
                               measure->interval.high)
                 : "-";
}

std::string chance(const std::optional<conds::Test>& test) { return test ? four(test->adjusted) : "-"; }

std::string findings_text(const conds::Description& said, double level) {
  std::string text;
  if (said.findings.empty())
    return fmt::format("no shift found: no p-value of {} tests is below {:.4g} after Holm's method\n",
                       said.tests, 1 - level);
  const std::size_t shown = std::min(most_findings, said.findings.size());
  text = fmt::format("{} finding{} in {} tests (Holm's method, {:.4g}){}\n", said.findings.size(),
                     said.findings.size() == 1 ? "" : "s", said.tests, 1 - level,
                     shown < said.findings.size() ? fmt::format("; the {} strongest", shown) : "");
  for (std::size_t i = 0; i < shown; ++i) text += fmt::format("{}. {}\n", i + 1, said.findings[i].text);
  return text;
}

std::string columns_text(const conds::Description& said) {
  TextTable table({left("column"), left("SC: V in the source", 21), right("p", 7),
                   right(said.n_target ? "target" : "", 7), left("LDD: distance", 21), right("p", 7),
                   left("UDS: unseen mass", 21), right("p", 7)});
  for (const ColumnShift& column : said.columns) {
    std::vector<std::string> cells{printable(column.name)};
    const auto add = [&](const std::optional<Measure>& measure, const std::optional<conds::Test>& test) {
      cells.push_back(number(measure));
      cells.push_back(chance(test));
    };
    column.source ? add(column.source->v, column.sc) : add({}, {});
    cells.push_back(column.target ? fmt::format("{:.3f}", column.target->v.value) : "");
    column.drift ? add(column.drift->distance, column.drift->test) : add({}, {});
    column.unseen ? add(column.unseen->mass, column.unseen->test) : add({}, {});
    table.add(std::move(cells));
  }
  return "\n" + table.text();
}

std::string and_more(std::size_t cells) {
  if (cells <= most_lines) return "";
  return fmt::format("... and {} more cells (--json has all)\n", cells - most_lines);
}

std::string cells_text(const record::DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  std::vector<Column> columns{left("cell"), right(said.n_target ? "source" : "rows", 9)};
  if (said.n_target) columns.push_back(right("target", 9));
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < std::min(most_lines, shifts.cells.size()); ++i) {
    const auto& cell = shifts.cells[i];
    std::vector<std::string> row{name_of(said, cell.values), std::to_string(cell.n_source)};
    if (said.n_target) row.push_back(std::to_string(cell.n_target.value_or(0)));
    table.add(std::move(row));
  }
  const std::string unseen =
      said.unseen_cells
          ? fmt::format("{} of the target lies in cells that the source lacks\n", number(said.unseen_cells))
          : "";
  return "\n" + table.text() + and_more(shifts.cells.size()) + unseen;
}

std::string accuracy_text(const record::DescribedShifts& shifts) {
  const record::AccuracyByCell& accuracy = *shifts.accuracy;
  TextTable table({left("accuracy, worst first"), right("rows", 9), right("accuracy", 8), left("interval")});
  for (std::size_t i = 0; i < std::min(most_lines, accuracy.cells.size()); ++i) {
    const record::CellAccuracy& cell = accuracy.cells[i];
    table.add(name_of(shifts.description, cell.values), cell.n, four(cell.accuracy.value),
              interval_text(Interval{*cell.accuracy.low, *cell.accuracy.high}));
  }
  return "\n" + table.text() + and_more(accuracy.cells.size()) +
         fmt::format("that accuracy is the same in all cells: p = {:.4f}\n", accuracy.p);
}

std::string conds_describe_text(const record::CondsDescribe& record) {
  const record::DescribedShifts& shifts = record.results.front();
  const conds::Description& said = shifts.description;
  return fmt::format("{} rows{}\n", said.n_source,
                     said.n_target ? fmt::format(" in the source, {} in the target", *said.n_target) : "") +
         findings_text(said, record.options.level) + columns_text(said) + cells_text(shifts) +
         (shifts.accuracy ? accuracy_text(shifts) : "");
}

int run_describe(Context& context, const DescribeFlags& flags) {
  check_flags(flags);
  return context.finish(
      tasks::conds_describe({[&] { return opened(context, flags); }, flags.options, context.seed}),
      conds_describe_text, exit_ok, report::html_report);
}

}  // namespace

void add_conds_describe(const Command& room, Context& context) {
  const Command command = room.add(
      "describe", "Which shifts there are between two tables of attributes, and where a model is weak");
  auto& flags = command.keep<DescribeFlags>();
  command.option("--source", flags.source, "CSV of the training samples: a label, attributes");
  command.option("--target", flags.target,
                 "CSV of the test samples; without it the source alone is described");
  command.option("--attributes", flags.attributes, "CSV of all samples, with --split, in place of the two");
  command.option("--split", flags.split, "CSV index,split: train is the source, test the target");
  command.option(
      "--outputs", flags.outputs,
      "Outputs of a model on the target (on the source where there is none): accuracy of every cell. "
      "Alone: their labels and groups are the table");
  add_option_flags(command, flags.options);
  context.add_page_flag(command);
  context.add_common_flags(command);
  command.footer(
      "SC: label and attribute go together (Cramer's V). LDD: shares of the values differ (total variation "
      "distance). "
      "UDS:\nmass of the target with values that the source never has. p-values are permutation tests, "
      "adjusted by Holm's "
      "method\nover all tests of the table.\n\n"
      "  leeway conds describe --source train.csv --target test.csv --label y --columns place,season\n"
      "  leeway conds describe --attributes table.csv --split split.csv --label shape --columns color,size\n"
      "  leeway conds describe --outputs outputs.csv");
  command.runs([&context, &flags] { return run_describe(context, flags); });
}

}  // namespace leeway::app
