// leeway conds draw: source and target sets with concurrent distribution shifts from a table of attributes.

#include <filesystem>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
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

}  // namespace

void add_conds_draw(const Command& room, Context& context) {
  const Command command = room.add(
      "draw",
      "Train, validation and test sets with concurrent distribution shifts, from a table of attributes");
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
                           "Split to write: CSV index,split (train, val, test), and the record "
                           "NAME.manifest.json; with --all a folder with manifest.json",
                           Written::claimed);
  command.footer(
      "A cell is a label with one value of each attribute. The test set has equally many samples of every "
      "cell. The same seed draws the same samples for any order of the rows, and all cases of a seed share "
      "the test set.\n\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --plan\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --out split.csv\n"
      "  leeway conds draw --attributes table.csv --dataset dsprites --all --out cases");
  command.runs([&context, &flags] { return run_draw(context, flags); });
}

}  // namespace leeway::app
