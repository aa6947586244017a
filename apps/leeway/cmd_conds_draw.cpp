// leeway conds draw: source and target sets with concurrent distribution shifts from a table of attributes.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/tasks/conds_draw/conds_draw.h"
#include "leeway/tasks/report/page.h"

namespace leeway::app {
namespace {

struct DrawFlags {
  std::string attributes;
  std::vector<std::string> orders;  // "attribute=v1,v2"
  tasks::CondsDrawOptions options;
};

std::map<std::string, std::vector<std::string>> orders_of(const DrawFlags& flags) {
  std::map<std::string, std::vector<std::string>> orders;
  for (const std::string& text : flags.orders) {
    const auto [name, values] = split_name(text);
    if (name.empty())
      throw UsageError(fmt::format("--order: expected ATTRIBUTE=VALUE,VALUE,..., found {}", in_quotes(text)));
    orders[name] = split(values, ',');
  }
  return orders;
}

// Of one case; with --all of many, in a folder.
std::string file_of(const Context& context, const std::string& name, bool to_folder) {
  return to_folder ? (std::filesystem::path(context.out) / (name + ".csv")).string() : context.out;
}

std::string manifest_file(const Context& context, bool to_folder) {
  return to_folder ? (std::filesystem::path(context.out) / "manifest.json").string()
                   : manifest_of(context.out);
}

void claim_files(Context& context, const std::vector<std::string>& names, bool to_folder) {
  if (to_folder) context.files.claim("--out", context.out, Written::folder);
  if (to_folder && !std::filesystem::exists(context.out)) return;  // nothing that could be replaced
  for (const std::string& name : names)
    context.files.claim("--out", file_of(context, name, to_folder), Written::file);
  context.files.claim("--out", manifest_file(context, to_folder), Written::file);
}

int run_draw(Context& context, const DrawFlags& flags) {
  const auto& [sc, ldd, uds] = flags.options.shifts;
  const bool all = flags.options.all, plan = flags.options.plan;
  const TableColumns columns = tasks::table_columns(flags.options, orders_of(flags));
  if (all && (sc || ldd || uds)) throw UsageError("--all cannot be combined with --sc, --ldd or --uds");
  if (context.out.empty() && !plan)
    throw UsageError(all ? "--out is required: the folder to write"
                         : "--out is required: the split to write");
  tasks::CondsDrawTask task{.open = {}, .options = flags.options, .seed = context.seed};
  task.open = [&] {
    AttributeTable table = read_attribute_table(flags.attributes, columns);
    context.add_input(flags.attributes, {table.n(), table.attributes.size() + 1});
    if (!plan) claim_files(context, tasks::case_names(flags.options, table), all);
    return table;
  };
  task.save = [&](const std::string& name, const conds::ConDSSplit& split) {
    if (all) std::filesystem::create_directories(context.out);
    const std::string path = file_of(context, name, all);
    write_text(path, tasks::split_text(split));
    return tasks::SavedSplit{path, context.no_digest ? "" : digest_file(path)};
  };
  return context.end(tasks::conds_draw(task), plan ? "" : manifest_file(context, all));
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
