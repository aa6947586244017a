// leeway conds draw: source and target sets with concurrent distribution shifts from a table of attributes.
// leeway conds describe: which shifts a source and a target have, and how accuracy differs among cells.
#include <filesystem>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/file.h"
#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/conds_draw/conds_draw.h"

namespace leeway::app {
namespace {

struct DrawFlags {
  std::string attributes;
  std::vector<std::string> orders;  // "attribute=v1,v2"
  tasks::CondsDrawOptions options;
};

// The split and its manifest; with --all the file of every case, in a folder.
void claim_files(Context& context, const tasks::CondsDrawTask& task) {
  if (!task.options.all) {
    context.files.claim("--out", context.out, Written::file);
    return context.claim_manifest({context.out});
  }
  std::vector<std::string> files = tasks::case_names(task.options, task.table);
  for (std::string& name : files) name += ".csv";
  context.claim_folder(files);
}

int run_draw(Context& context, const DrawFlags& flags) {
  const bool all = flags.options.all;
  const TableColumns columns =
      tasks::table_columns(flags.options, value_lists("--order", "ATTRIBUTE", flags.orders));
  if (context.out.empty() && !flags.options.plan)
    throw UsageError(all ? "--out is required: the folder to write"
                         : "--out is required: the split to write");
  tasks::CondsDrawTask task{.table = read_attribute_table(flags.attributes, columns),
                            .options = flags.options,
                            .seed = context.seed};
  context.add_input(flags.attributes, {task.table.n(), task.table.attributes.size() + 1});
  if (!flags.options.plan) claim_files(context, task);
  task.save = [&](const std::string& name, const conds::ConDSSplit& split) {
    if (all) std::filesystem::create_directories(context.out);
    const std::string path =
        all ? (std::filesystem::path(context.out) / (name + ".csv")).string() : context.out;
    write_text(path, tasks::split_text(split));
    return tasks::SavedSplit{path, context.no_digest ? "" : digest_file(path)};
  };
  return context.finish(tasks::conds_draw(task));
}

void add_conds_draw(const Command& room, Context& context) {
  const Command command = room.add(
      "draw",
      "Draw train, validation and test sets with concurrent distribution shifts from an attribute table");
  auto& flags = command.keep<DrawFlags>();
  command.option("--attributes", flags.attributes, "CSV with one row for each sample: a label and attributes")
      .required();
  add_option_flags(command, flags.options);
  command.group("Shifts", {"--sc", "--ldd", "--uds", "--all"});
  command.group("Counts", {"--train", "--val", "--test", "--ldd-ratio", "--counterexamples"});
  command
      .option("--order", flags.orders,
              "ATTRIBUTE=VALUE,VALUE,...: order of the values; the last value is rare or unseen, value i is "
              "correlated with label i (default: ascending); may be repeated")
      .one_word()
      .shown_as("ORDER");
  command.reads({"--attributes"});
  context.add_common_flags(command,
                           "Split to write: CSV of index and split (train, val, test), and the record "
                           "NAME.manifest.json; with --all, a folder with manifest.json",
                           Written::claimed);
  command.footer(
      "A cell is a label with one value of each attribute. The test set has the same number of samples in "
      "every cell. The same seed draws the same samples for any order of the rows, and all cases with the "
      "same seed share the test set.\n\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --plan\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --out split.csv\n"
      "  leeway conds draw --attributes table.csv --dataset dsprites --all --out cases");
  command.runs([&context, &flags] { return run_draw(context, flags); });
}

struct DescribeFlags {
  std::string source, target, attributes, index, outputs;  // files, or empty
  tasks::CondsDescribeOptions options;
};

void check_flags(const DescribeFlags& flags) {
  const int ways = (flags.source.empty() ? 0 : 1) + (flags.attributes.empty() ? 0 : 1);
  if (ways == 2) throw UsageError("--source cannot be combined with --attributes");
  if (ways == 0 && flags.outputs.empty())
    throw UsageError("expected --source, --attributes with --index, or --outputs");
  if (!flags.target.empty() && flags.source.empty()) throw UsageError("--target requires --source");
  if (!flags.index.empty() && !flags.source.empty())
    throw UsageError("--index requires --attributes, not --source");
  if (!flags.attributes.empty() && flags.index.empty())
    throw UsageError("--index is required with --attributes");
  if (ways == 1 && flags.options.columns.empty()) throw UsageError("--columns is required: the attributes");
  if (ways == 0 && (flags.options.label || !flags.options.columns.empty()))
    throw UsageError("--label and --columns require a table; outputs files name their own labels and groups");
}

AttributeTable read_table(Context& context, const std::string& path, const DescribeFlags& flags) {
  AttributeTable table = read_attribute_table(path, tasks::described_columns(flags.options));
  context.add_input(path, {table.n(), table.columns().size()});
  return table;
}

tasks::CondsDescribeInputs opened(Context& context, const DescribeFlags& flags) {
  tasks::CondsDescribeInputs inputs;
  if (!flags.outputs.empty())
    inputs.outputs =
        joined(context.inputs.open_set(flags.outputs, flags.options.reading, tasks::SetRole::first));
  const std::string& table = flags.source.empty() ? flags.attributes : flags.source;
  if (!table.empty()) inputs.source = read_table(context, table, flags);
  if (!flags.target.empty()) inputs.target = read_table(context, flags.target, flags);
  if (!flags.index.empty()) {
    inputs.split = data::read_split(flags.index, inputs.source ? inputs.source->n() : inputs.outputs->n());
    inputs.split_name = flags.index;
    context.add_input(flags.index, {inputs.split->rows, 2});
  }
  return inputs;
}

void add_conds_describe(const Command& room, Context& context) {
  const Command command = room.add(
      "describe", "Describe the shifts between two attribute tables, and the weak groups of a model");
  auto& flags = command.keep<DescribeFlags>();
  command.option("--source", flags.source, "CSV of the training samples: attributes, and optionally a label");
  command.option("--target", flags.target, "CSV of the test samples (default: describe only the source)");
  command.option("--attributes", flags.attributes,
                 "CSV of all samples, split by --index, in place of --source and --target");
  command.option("--index", flags.index, "CSV of index and split: train is the source, test the target");
  command.option("--outputs", flags.outputs,
                 "Outputs of a model on the target (or on the source, without a target): adds the accuracy "
                 "of every cell. Without a table, describes the groups and labels of the outputs");
  add_option_flags(command, flags.options);
  context.add_page_flag(command);
  command.reads({"--source", "--target", "--attributes", "--index", "--outputs"});
  context.add_common_flags(command);
  command.footer(
      "SC: label and attribute are correlated (Cramer's V). LDD: shares of the values differ (total "
      "variation distance). UDS: share of the target with values that the source lacks. p-values come from "
      "permutation tests and are adjusted by Holm's method over all tests of the table.\n\n"
      "  leeway conds describe --source train.csv --target test.csv --label y --columns place,season\n"
      "  leeway conds describe --source june.csv --target july.csv --columns country,device\n"
      "  leeway conds describe --attributes table.csv --index split.csv --label shape --columns color,size\n"
      "  leeway conds describe --outputs outputs.csv");
  command.runs([&context, &flags] {
    check_flags(flags);
    return context.finish(tasks::conds_describe({opened(context, flags), flags.options, context.seed}));
  });
}

}  // namespace

void add_conds(const Command& root, Context& context) {
  const Command room =
      root.add("conds", "Draw and describe concurrent distribution shifts in attribute tables");
  room.needs_command();
  add_conds_draw(room, context);
  add_conds_describe(room, context);
}

}  // namespace leeway::app
