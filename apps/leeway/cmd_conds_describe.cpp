// leeway conds describe: which shifts a source and a target have, and how accuracy differs among cells.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/conds_describe_table.h"
#include "apps/leeway/options.h"
#include "leeway/assess/predictions.h"
#include "leeway/assess/shifts.h"
#include "leeway/conds/describe.h"
#include "leeway/core/csv.h"
#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"
#include "leeway/data/split.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

struct DescribeFlags {
  std::string source, target, attributes, split, label, outputs, report;
  std::vector<std::string> columns;
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
  conds::DescribeOptions options;
};

AttributeTable read_table(Context& context, const std::string& path, const DescribeFlags& flags) {
  AttributeTable table = read_attribute_table(path, {flags.label, flags.columns, {}, {}});
  context.add_input(path, {table.n(), table.attributes.size() + 1});
  return table;
}

// A file of index,split as `leeway conds draw` writes it. The validation set is not looked at.
data::RowSplit read_split(Context& context, const std::string& path, std::size_t n) {
  data::RowSplit split = data::read_split(path, n);
  for (const auto& [rows, what] : {std::pair(&split.train, "train"), std::pair(&split.test, "test")})
    if (rows->empty()) refuse(path, fmt::format("rows of {}", what), "none");
  context.add_input(path, {split.rows, 2});
  return split;
}

// Labels and groups of an outputs file as a table.
AttributeTable table_of(const Outputs& outputs) {
  const std::string name = display_name(outputs.path);
  if (!outputs.labels) refuse(name, "labels, or a table beside it", "none");
  if (outputs.groups.empty()) refuse(name, "groups, or a table beside it", "none");
  std::vector<std::string> classes = outputs.class_names;
  for (std::size_t i = classes.size(); i < outputs.k(); ++i) classes.push_back(std::to_string(i));
  return assess::attribute_table(name, *outputs.labels, outputs.groups, classes);
}

// A label of the table must be one class of the outputs, or their rows are not the same samples.
void check_same_rows(const AttributeTable& table, const Outputs& outputs, const std::string& name) {
  std::map<std::uint16_t, std::int64_t> class_of;
  for (std::size_t i = 0; i < table.n(); ++i) {
    const std::int64_t label = (*outputs.labels)[i];
    const auto [entry, is_new] = class_of.try_emplace(table.label.codes[i], label);
    if (entry->second != label)
      refuse(name, fmt::format("the rows of {}, each label one class", table.name),
             fmt::format("classes {} and {} for {} at row {}", entry->second, label,
                         in_quotes(table.label.values[table.label.codes[i]]), i));
  }
}

// Right or wrong on every row of `table`, which are the rows `taken` of the whole where a split chose them.
std::vector<std::uint8_t> correct_rows(const Outputs& outputs, const AttributeTable& table,
                                       const std::vector<std::size_t>& taken, std::size_t whole) {
  const std::string name = display_name(outputs.path);
  if (!outputs.labels) refuse(name, "labels", "none");
  const bool all_rows = !taken.empty() && outputs.n() == whole && whole != taken.size();
  if (!all_rows && outputs.n() != table.n())
    refuse(name,
           taken.empty()
               ? fmt::format("{} rows, as in {}", table.n(), table.name)
               : fmt::format("{} rows, those of the split's test set, or {}, all", table.n(), whole),
           fmt::format("{}", outputs.n()));
  Outputs shown = outputs;
  if (all_rows)
    for (std::size_t i = 0; i < taken.size(); ++i) (*shown.labels)[i] = (*outputs.labels)[taken[i]];
  check_same_rows(table, shown, name);
  const auto predicted = assess::predict(outputs.logits, name).classes;
  std::vector<std::uint8_t> correct(table.n());
  for (std::size_t i = 0; i < table.n(); ++i) {
    const std::size_t row = all_rows ? taken[i] : i;
    correct[i] = predicted[row] == (*outputs.labels)[row];
  }
  return correct;
}

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
  if (ways == 1 && flags.label.empty()) throw UsageError("--label is required: the column of the labels");
  if (ways == 1 && flags.columns.empty()) throw UsageError("--columns is required: the attributes");
  if (ways == 0 && !(flags.label.empty() && flags.columns.empty()))
    throw UsageError("--label, --columns: expected a table beside them; outputs bring their own");
}

int run_describe(Context& context, const DescribeFlags& flags) {
  check_flags(flags);
  conds::DescribeOptions options = flags.options;
  options.seed = context.seed;
  context.start_clock();
  std::optional<Outputs> outputs;
  if (!flags.outputs.empty()) {
    outputs = read_outputs(flags.outputs, {flags.binary, false, flags.as});
    context.add_input(flags.outputs, outputs->logits.shape);
    for (const std::string& warning : outputs->warnings) context.warn(warning);
  }
  assess::Described described;
  std::vector<std::size_t> taken;
  std::size_t whole = 0;
  if (!flags.split.empty()) {
    const AttributeTable table = read_table(context, flags.attributes, flags);
    const data::RowSplit split = read_split(context, flags.split, table.n());
    described.source = take(table, split.train);
    described.target = take(table, split.test);
    taken = split.test;
    whole = table.n();
  } else if (!flags.source.empty()) {
    described.source = read_table(context, flags.source, flags);
    if (!flags.target.empty()) {
      described.target = read_table(context, flags.target, flags);
      align(described.source, *described.target);
    }
  } else {
    described.source = table_of(*outputs);
  }
  const AttributeTable* target = described.target ? &*described.target : nullptr;
  described.description = conds::describe(described.source, target, options);
  const AttributeTable& tested = target ? *target : described.source;
  if (outputs)
    described.accuracy = conds::accuracy_of_cells(tested, Cells(tested),
                                                  correct_rows(*outputs, tested, taken, whole), options);
  context.stop_clock();
  Json record =
      context.record("leeway.shift-describe/1", Json::array({assess::to_json(described, options.level)}));
  record["level"] = options.level;
  record["permutations"] = options.permutations;
  record["bootstrap"] = options.bootstrap;
  if (!flags.report.empty()) write_text(flags.report, report::html_report(record));
  context.write_record(record);
  context.print(record, describe_text(described, options.level));
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
  command->add_option("--label", flags->label, "Column of the labels");
  command->add_option("--columns", flags->columns, "Columns of the attributes")
      ->delimiter(',')
      ->type_name("NAMES");
  command->add_option(
      "--outputs", flags->outputs,
      "Outputs of a model on the target (on the source where there is none): accuracy of every cell. "
      "Alone: their labels and groups are the table");
  command->add_option("--permutations", flags->options.permutations, "Draws of each p-value")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--bootstrap", flags->options.bootstrap, "Replicates of each interval")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--level", flags->options.level, "Confidence level of intervals and findings")
      ->check(within(.5, .9999))
      ->capture_default_str();
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  add_binary_flag(*command, flags->binary);
  add_as_flag(*command, flags->as);
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
