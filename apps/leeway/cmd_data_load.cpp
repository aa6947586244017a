// leeway data load: published data sets from their files, as images and a table of attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/written.h"
#include "leeway/conds/protocol_sets.h"
#include "leeway/core/family.h"
#include "leeway/data/load.h"
#include "leeway/tasks/data.h"

namespace leeway::app {
namespace {

struct LoadFlags {
  std::string format, attributes, sheet;
  std::vector<std::string> paths;
  record::DataLoadOptions options;
};

constexpr std::size_t most_columns_shown = 60;

std::string text_of(const record::DataLoad& record) {
  const record::LoadedData& result = record.results.front();
  std::string text = fmt::format("{}: {} rows", result.format, result.n);
  if (result.left_out > 0)
    text += fmt::format(" ({} with values outside the protocol left out)", result.left_out);
  if (!result.shape.empty()) text += fmt::format(", pictures of {}", fmt::join(result.shape, " x "));
  text += fmt::format("\n{:<16} {:>8}\n", "column", "values");
  for (std::size_t c = 0; c < std::min(result.columns.size(), most_columns_shown); ++c) {
    const record::LoadedColumn& column = result.columns[c];
    text += fmt::format("{:<16} {:>8}", column.name, column.n_values);
    if (column.n_values <= 6) text += fmt::format("  {}", fmt::join(column.values, ", "));
    text += '\n';
  }
  if (result.columns.size() > most_columns_shown)
    text +=
        fmt::format("and {} columns more (--json lists all)\n", result.columns.size() - most_columns_shown);
  return text;
}

int run_load(Context& context, const LoadFlags& flags) {
  if (context.out.empty() && flags.attributes.empty() && flags.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  if (const auto named = conds::conds_data_sets();
      flags.options.protocol &&
      std::ranges::find(named, flags.format, &conds::ConDSDataSet::name) == named.end())
    throw UsageError(fmt::format("--protocol: expected one of {}, found {}", names_of(named), flags.format));
  const std::string& first = !context.out.empty()        ? context.out
                             : !flags.attributes.empty() ? flags.attributes
                                                         : flags.sheet;
  const std::string manifest = manifest_of(first);
  context.files.claim("the manifest", manifest, Written::file);
  tasks::DataLoadTask task{.format = flags.format,
                           .paths = flags.paths,
                           .out = {context.out, flags.attributes, flags.sheet, context.digests},
                           .options = flags.options,
                           .seed = context.seed};
  task.was_read = [&](const std::string& path, const std::vector<std::size_t>& shape) {
    context.add_input(path, shape);
  };
  record::DataLoad result = tasks::data_load(task, context.progress());
  result.results.front().files.manifest = manifest;
  const Json record = context.complete(result);
  write_manifest(manifest, record);
  context.print(record, text_of(result));
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
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
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
