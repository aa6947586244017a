// leeway data load: published data sets from their files, as images and a table of attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/written.h"
#include "leeway/conds/protocol_sets.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/data/load.h"

namespace leeway::app {
namespace {

struct LoadFlags {
  std::string format, attributes, sheet, label;
  std::vector<std::string> paths;
  std::size_t size = 0;  // 0: as they are
  bool protocol = false;
};

constexpr std::size_t most_values_listed = 100, most_columns_shown = 60, pictures_of_sheet = 60;

std::size_t label_of(const data::Loaded& set, const std::string& name) {
  if (name.empty()) return 0;
  const auto found = std::ranges::find(set.columns, name, &data::LoadedColumn::name);
  if (found == set.columns.end())
    throw UsageError(
        fmt::format("--label: expected one of {}, found {}", names_of(set.columns), in_quotes(name)));
  return static_cast<std::size_t>(found - set.columns.begin());
}

Json describe(const LoadFlags& flags, const data::Loaded& set, std::size_t label, std::size_t left_out) {
  Json columns = Json::array();
  for (const data::LoadedColumn& column : set.columns)
    columns.push_back({{"name", printable(column.name)},
                       {"n_values", column.values.size()},
                       {"values", column.values.size() > most_values_listed ? Json() : Json(column.values)}});
  return {{"format", flags.format},
          {"n", set.n},
          {"left_out", left_out},
          {"shape", set.has_pictures() ? Json(set.shape) : Json()},
          {"label", set.columns[label].name},
          {"columns", std::move(columns)}};
}

std::string table(const Json& result) {
  std::string text =
      fmt::format("{}: {} rows", result["format"].get<std::string>(), result["n"].get<std::size_t>());
  if (const auto left_out = result["left_out"].get<std::size_t>(); left_out > 0)
    text += fmt::format(" ({} with values outside the protocol left out)", left_out);
  if (const Json& shape = result["shape"]; !shape.is_null())
    text += fmt::format(", pictures of {} x {} x {}", shape[0].get<std::size_t>(),
                        shape[1].get<std::size_t>(), shape[2].get<std::size_t>());
  text += fmt::format("\n{:<16} {:>8}\n", "column", "values");
  const Json& columns = result["columns"];
  for (std::size_t c = 0; c < std::min(columns.size(), most_columns_shown); ++c) {
    const Json& column = columns[c];
    text +=
        fmt::format("{:<16} {:>8}", column["name"].get<std::string>(), column["n_values"].get<std::size_t>());
    if (column["n_values"].get<std::size_t>() <= 6)
      text += fmt::format("  {}", fmt::join(column["values"].get<std::vector<std::string>>(), ", "));
    text += '\n';
  }
  if (columns.size() > most_columns_shown)
    text += fmt::format("and {} columns more (--json lists all)\n", columns.size() - most_columns_shown);
  return text;
}

int run_load(Context& context, const LoadFlags& flags) {
  if (context.out.empty() && flags.attributes.empty() && flags.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  if (const auto named = conds::conds_data_sets();
      flags.protocol && std::ranges::find(named, flags.format, &conds::ConDSDataSet::name) == named.end())
    throw UsageError(fmt::format("--protocol: expected one of {}, found {}", names_of(named), flags.format));
  const std::string& first = !context.out.empty()        ? context.out
                             : !flags.attributes.empty() ? flags.attributes
                                                         : flags.sheet;
  const std::string manifest = manifest_of(first);
  context.files.claim("the manifest", manifest, Written::file);
  context.start_clock();
  data::Loaded set = data::load_set(flags.format, {flags.paths.begin(), flags.paths.end()});
  for (const std::string& path : flags.paths)
    if (!std::filesystem::is_directory(path)) context.add_input(path, {set.n, set.columns.size()});
  if ((!context.out.empty() || !flags.sheet.empty() || flags.size > 0) && !set.has_pictures())
    refuse(flags.paths.front(), "pictures that can be read (--attributes alone reads the table)",
           "others, or none");
  const std::size_t all = set.n;
  if (flags.size > 0) set = data::resized(std::move(set), flags.size);
  if (flags.protocol)
    set = data::protocol_rows(std::move(set), conds::columns_of(conds::conds_data_set(flags.format)),
                              flags.format);
  const std::size_t label = label_of(set, flags.label);
  if (!flags.attributes.empty()) data::write_table(flags.attributes, set);
  if (!flags.sheet.empty()) write_png(flags.sheet, data::sheet_of(set, pictures_of_sheet, context.seed));
  if (!context.out.empty()) data::write_loaded(context.out, set, label, context.progress());
  context.stop_clock();
  Json result = describe(flags, set, label, all - set.n);
  result["out"] = written_file(context, context.out);
  result["attributes"] = written_file(context, flags.attributes);
  result["sheet"] = written_file(context, flags.sheet);
  result["manifest"] = manifest;
  const std::string text = table(result);
  const Json record = context.record("leeway.shift-load/1", Json::array({std::move(result)}));
  write_manifest(manifest, record);
  context.print(record, text);
  return exit_ok;
}

}  // namespace

void add_data_load(CLI::App& room, Context& context, Run& run) {
  auto flags = std::make_shared<LoadFlags>();
  auto* command =
      room.add_subcommand("load", "A published data set from its files: images and table of attributes");
  std::vector<std::string> names;
  for (const auto& format : data::loaded_formats()) names.emplace_back(format.name);
  command->add_option("FORMAT", flags->format, "The format; see the list below")
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  command->add_option("PATH", flags->paths, "Its files")->required()->type_name("");
  context.files.writes(command->add_option("--attributes", flags->attributes,
                                           "The table to write (CSV): a row for each sample"),
                       Written::file);
  context.files.writes(command->add_option("--sheet", flags->sheet,
                                           "A contact sheet to write (PNG): 60 of the pictures at random"),
                       Written::file);
  command->add_option("--label", flags->label, "Column whose values are y (default: the first)");
  command
      ->add_option(
          "--size", flags->size,
          "Pictures become N x N, resampled with antialiasing (default: as they are, all of one size)")
      ->check(CLI::Range(1, 16'384))
      ->type_name("N");
  command->add_flag("--protocol", flags->protocol,
                    "Only rows whose values the ConDS protocol names: what `conds draw --dataset` takes");
  context.add_common_flags(
      *command, "The images to write (.npz): x (n,c,h,w), y; beside it NAME.manifest.json, the record",
      Written::file);
  command->footer([] {
    std::string text = "FORMAT       files\n";
    for (const auto& format : data::loaded_formats())
      text += fmt::format("{:<12} {}\n{:<12}   {}\n", format.name, format.paths, "", format.summary);
    return text +
           "\n  leeway data load cifar10 data_batch_1.bin data_batch_2.bin --out train.npz\n"
           "  leeway data load celeba list_attr_celeba.txt --attributes celeba.csv\n"
           "  leeway conds draw --attributes celeba.csv --dataset celeba --sc black_hair --plan\n"
           "  leeway data load smallnorb smallnorb-training-dat.mat.gz --protocol --out toys.npz "
           "--attributes "
           "toys.csv\n"
           "  leeway data load folder OfficeHome --size 64 --out images.npz --attributes table.csv";
  });
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_load(context, *flags); }; });
}

}  // namespace leeway::app
