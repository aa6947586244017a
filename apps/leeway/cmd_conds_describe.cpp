// leeway conds describe: which shifts a source and a target have, and how accuracy differs among cells.
#include <memory>

#include "apps/leeway/command.h"
#include "apps/leeway/conds_tables.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/report/report.h"
#include "leeway/tasks/conds_describe.h"

namespace leeway::app {
namespace {

struct DescribeFlags {
  std::string source, target, attributes, split, outputs, report;  // files, or empty
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

OutputsOptions reading_of(const record::OutputsReading& reading) {
  OutputsOptions options;
  options.check_finite = false;  // predictions are looked at row by row, and the row named
  if (reading.binary) options.binary = *reading.binary == "prob" ? Binary::prob : Binary::logit;
  if (reading.as) options.as = *reading.as == "probs" ? Scores::probs : Scores::logits;
  return options;
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

int run_describe(Context& context, const DescribeFlags& flags) {
  check_flags(flags);
  record::CondsDescribe result =
      tasks::conds_describe({[&] { return opened(context, flags); }, flags.options, context.seed});
  for (const std::string& warning : result.envelope.warnings) context.warn(warning);
  result = context.completed(std::move(result));
  if (!flags.report.empty()) write_text(flags.report, report::html_report(result));
  const Json record = to_json(result);
  context.write_record(record);
  context.print(record, conds_describe_text(result));
  return exit_ok;
}

}  // namespace

void add_conds_describe(CLI::App& room, Context& context, Run& run) {
  auto flags = std::make_shared<DescribeFlags>();
  auto* command = room.add_subcommand(
      "describe", "Which shifts there are between two tables of attributes, and where a model is weak");
  command->add_option("--source", flags->source, "CSV of the training samples: a label, attributes");
  command->add_option("--target", flags->target,
                      "CSV of the test samples; without it the source alone is described");
  command->add_option("--attributes", flags->attributes,
                      "CSV of all samples, with --split, in place of the two");
  command->add_option("--split", flags->split, "CSV index,split: train is the source, test the target");
  command->add_option(
      "--outputs", flags->outputs,
      "Outputs of a model on the target (on the source where there is none): accuracy of every cell. "
      "Alone: their labels and groups are the table");
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "SC: label and attribute go together (Cramer's V). LDD: shares of the values differ (total variation "
      "distance). "
      "UDS:\nmass of the target with values that the source never has. p-values are permutation tests, "
      "adjusted by Holm's "
      "method\nover all tests of the table.\n\n"
      "  leeway conds describe --source train.csv --target test.csv --label y --columns place,season\n"
      "  leeway conds describe --attributes table.csv --split split.csv --label shape --columns color,size\n"
      "  leeway conds describe --outputs outputs.csv");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_describe(context, *flags); }; });
}

}  // namespace leeway::app
