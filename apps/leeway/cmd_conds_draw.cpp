// leeway conds draw: source and target sets with concurrent distribution shifts, drawn from a table of
// attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/conds_tables.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/written.h"
#include "leeway/conds/protocol_sets.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/tasks/conds_draw.h"

namespace leeway::app {
namespace {

struct DrawFlags {
  std::string attributes;
  std::vector<std::string> orders;  // "attribute=v1,v2"
  record::CondsDrawOptions options;
};

// "attribute=v1,v2" as the name and the values.
std::pair<std::string, std::vector<std::string>> parse_order(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--order: expected ATTRIBUTE=VALUE,VALUE,..., found {}", in_quotes(text)));
  return {text.substr(0, equals), CLI::detail::split(text.substr(equals + 1), ',')};
}

// Columns of a named data set, under the names that the table has for them.
TableColumns columns_of_set(const DrawFlags& flags) {
  const std::vector<std::string>& names = flags.options.columns;
  const conds::ConDSDataSet& set = conds::conds_data_set(*flags.options.data_set);
  TableColumns columns = conds::columns_of(set);
  if (!names.empty() && names.size() != columns.attributes.size())
    throw UsageError(fmt::format("--columns: expected {} names for {}, those of {}, found {}",
                                 columns.attributes.size(), set.name, fmt::join(columns.attributes, ", "),
                                 names.size()));
  const auto rename = [&](std::string& column, const std::string& as) {
    auto order = columns.orders.extract(column);
    order.key() = column = as;
    columns.orders.insert(std::move(order));
  };
  // Out of the way first, since a table may use a name of the set for another column.
  for (std::size_t i = 0; i < columns.attributes.size(); ++i)
    if (!names.empty()) rename(columns.attributes[i], fmt::format("\n{}", i));
  if (flags.options.label) rename(columns.label, *flags.options.label);
  for (std::size_t i = 0; i < names.size(); ++i) rename(columns.attributes[i], names[i]);
  return columns;
}

TableColumns columns_of(const DrawFlags& flags) {
  const record::CondsDrawOptions& options = flags.options;
  const auto& [sc, ldd, uds] = options.shifts;
  TableColumns columns;
  if (options.data_set) {
    columns = columns_of_set(flags);
  } else {
    if (!options.label) throw UsageError("--label is required: the column of the labels");
    columns.label = *options.label;
    columns.attributes = options.columns;
    for (const auto& attribute : {sc, ldd, uds})
      if (attribute && options.columns.empty()) columns.attributes.push_back(*attribute);
    if (columns.attributes.empty())
      throw UsageError("--columns is required: the attributes, where no shift names one");
  }
  for (const std::string& text : flags.orders) {
    auto [name, values] = parse_order(text);
    columns.orders[name] = std::move(values);
  }
  if (options.id) columns.id = *options.id;
  for (const auto& [option, attribute] :
       {std::pair("--sc", sc), std::pair("--ldd", ldd), std::pair("--uds", uds)})
    if (attribute && std::ranges::find(columns.attributes, *attribute) == columns.attributes.end())
      throw UsageError(fmt::format("{}: expected one of {}, found {}", option,
                                   fmt::join(columns.attributes, ", "), in_quotes(*attribute)));
  std::set<std::string> shifted;
  for (const auto& attribute : {sc, ldd, uds})
    if (attribute && !shifted.insert(*attribute).second)
      throw UsageError(fmt::format("--sc, --ldd, --uds: expected different attributes, found {} twice",
                                   in_quotes(*attribute)));
  return columns;
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
  const TableColumns columns = columns_of(flags);
  if (all && (sc || ldd || uds)) throw UsageError("--all: expected no --sc, --ldd or --uds beside it");
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
    return tasks::SavedSplit{path, context.digests ? digest_file(path) : ""};
  };
  const record::CondsDraw result = tasks::conds_draw(task);
  for (const std::string& warning : result.envelope.warnings) context.warn("leeway: " + warning);
  const Json record = context.complete(result);
  if (!plan) write_manifest(manifest_file(context, all), record);
  context.print(record, conds_draw_text(result));
  return exit_ok;
}

}  // namespace

void add_conds_draw(CLI::App& room, Context& context, Run& run) {
  auto flags = std::make_shared<DrawFlags>();
  auto* command = room.add_subcommand(
      "draw",
      "Train, validation and test sets with concurrent distribution shifts, from a table of attributes");
  command->add_option("--attributes", flags->attributes, "CSV: a row for each sample, a label, attributes")
      ->required();
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  for (const char* flag : {"--sc", "--ldd", "--uds", "--all"}) command->get_option(flag)->group("Shifts");
  for (const char* flag : {"--train", "--val", "--test", "--ldd-ratio", "--counterexamples", "--resample"})
    command->get_option(flag)->group("Counts");
  command
      ->add_option(
          "--order", flags->orders,
          "ATTRIBUTE=VALUE,VALUE,...: all values, the last is the rare or unseen one, the i-th goes with the "
          "i-th label (default: numbers ascending, else letters); may be repeated")
      ->allow_extra_args(false)
      ->type_name("ORDER");
  context.add_common_flags(*command,
                           "The split to write: index,split (train, val, test), and beside it "
                           "NAME.manifest.json, the record; with --all a folder, with manifest.json",
                           Written::claimed);
  command->footer(
      "Cells are labels times values of the attributes. The test set has every cell alike. The same seed "
      "gives the "
      "same\nsamples, whatever the order of the rows, and all cases of a seed share the test set.\n\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --plan\n"
      "  leeway conds draw --attributes table.csv --label shape --sc color --ldd size --out split.csv\n"
      "  leeway conds draw --attributes table.csv --dataset dsprites --all --out cases");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_draw(context, *flags); }; });
}

}  // namespace leeway::app
