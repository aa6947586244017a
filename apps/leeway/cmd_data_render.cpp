// leeway data render: data sets drawn from geometry, as images, tables of attributes and contact sheets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/written.h"
#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/data/render.h"
#include "leeway/data/rendered_set.h"
#include "leeway/tasks/data.h"

namespace leeway::app {
namespace {

using data::RenderedSet;
using Only = std::map<std::string, std::vector<std::string>>;

struct RenderFlags {
  std::string name, table, index, attributes, sheet;
  std::vector<std::string> only;  // "column=v1,v2"
  record::DataRenderOptions options;
};

Only only_of(const RenderFlags& flags) {
  Only only;
  for (const std::string& text : flags.only) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--only: expected COLUMN=VALUE,VALUE,..., found {}", in_quotes(text)));
    only[text.substr(0, equals)] = CLI::detail::split(text.substr(equals + 1), ',');
  }
  return only;
}

void check_flags(const Context& context, const RenderFlags& flags) {
  if (context.out.empty() && flags.attributes.empty() && flags.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  if (flags.index.empty() != flags.options.split.empty())
    throw UsageError(flags.index.empty() ? "--split: expected --index beside it"
                                         : "--split is required beside --index: train, val, test");
  if (!flags.table.empty() && (flags.options.protocol || !flags.only.empty()))
    throw UsageError("--table: expected no --only or --protocol beside it");
}

std::string file_line(const char* what, const std::optional<record::WrittenFile>& file) {
  return file ? fmt::format("{:<10} {}, {} bytes\n", what, file->path, file->bytes) : "";
}

std::string text_of(const record::DataRender& record) {
  const record::RenderedData& result = record.results.front();
  const auto& [images, attributes, sheet, manifest] = result.files;
  return fmt::format("{}, seed {}: {} images\n", result.data_set, record.envelope.seed, result.n) +
         file_line("images", images) + file_line("attributes", attributes) + file_line("sheet", sheet) +
         (manifest ? fmt::format("{:<10} {}\n", "manifest", *manifest) : "");
}

std::string list_of_sets() {
  std::string text = "NAME       columns and their values (standard ones, and more in brackets)\n";
  for (const RenderedSet& set : data::rendered_sets()) {
    text += fmt::format("{:<10} {}\n", set.name, set.summary);
    for (const data::RenderedColumn& column : set.columns) {
      const auto values = data::values_of(column);
      const std::size_t standard =
          std::min(values.size(), values.size() == column.texts.size() ? set.factors[column.factor].standard
                                                                       : values.size());
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(standard);
      std::string listed =
          standard > 10 ? fmt::format("{} values from {} to {}", standard, values.front(), *(middle - 1))
                        : fmt::format("{}", fmt::join(values.begin(), middle, ", "));
      if (middle != values.end()) listed += fmt::format(" ({})", fmt::join(middle, values.end(), ", "));
      text += fmt::format("{:<10}   {:<12} {}\n", "", column.name, listed);
    }
  }
  return text;
}

int run_render(Context& context, const RenderFlags& flags) {
  check_flags(context, flags);
  tasks::DataRenderTask task{.data_set = flags.name,
                             .out = {context.out, flags.attributes, flags.sheet, context.digests},
                             .only = only_of(flags),
                             .table = flags.table,
                             .index = flags.index,
                             .options = flags.options,
                             .seed = context.seed};
  task.was_read = [&](const std::string& path, const std::vector<std::size_t>& shape) {
    context.add_input(path, shape);
  };
  record::DataRender result = tasks::data_render(task, context.progress());
  if (!context.out.empty()) result.results.front().files.manifest = manifest_of(context.out);
  const Json record = context.complete(result);
  if (!context.out.empty()) write_manifest(manifest_of(context.out), record);
  context.print(record, text_of(result));
  return exit_ok;
}

}  // namespace

void add_data_render(CLI::App& room, Context& context, Run& run) {
  auto flags = std::make_shared<RenderFlags>();
  auto* command = room.add_subcommand(
      "render", "Draw a data set whose every factor is known: images, table of attributes, contact sheet");
  std::vector<std::string> names;
  for (const RenderedSet& set : data::rendered_sets()) names.emplace_back(set.name);
  command->add_option("NAME", flags->name, "The data set: " + names_of(data::rendered_sets()))
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  context.files.writes(command->add_option("--attributes", flags->attributes,
                                           "The table to write (CSV): a row for each image"),
                       Written::file);
  context.files.writes(command->add_option("--sheet", flags->sheet,
                                           "A contact sheet to write (PNG): 60 of the images at random"),
                       Written::file);
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  const std::string which = "Which images";
  for (const char* flag : {"--protocol", "--sample", "--split"}) command->get_option(flag)->group(which);
  command
      ->add_option("--only", flags->only,
                   "COLUMN=VALUE,VALUE,...: keep these values (default: all standard ones); may be repeated")
      ->allow_extra_args(false)
      ->type_name("VALUES")
      ->group(which);
  command->add_option("--table", flags->table, "The rows of this table, as --attributes writes it")
      ->group(which);
  command
      ->add_option("--index", flags->index,
                   "CSV index,split, as conds draw writes it: the rows of the table that --split names")
      ->group(which);
  context.add_common_flags(
      *command, "The images to write (.npz): x (n,3,h,w), y; beside it NAME.manifest.json, the record",
      Written::file, manifest_of);
  command->footer([] {
    return list_of_sets() +
           "\nImages are drawn as they are written, so that a set may be larger than the memory. An image\n"
           "depends on its row alone. From a table to a model trained under a shift:\n\n"
           "  leeway data render dsprites --sample 20000 --size 32 --out images.npz --attributes table.csv "
           "--sheet sheet.png\n"
           "  leeway conds draw --attributes table.csv --dataset dsprites --sc obj_color --out split.csv\n"
           "  leeway train --data images.npz --index split.csv --out model.safetensors\n\n"
           "and its test set alone, for models that read their images from a file of their own:\n\n"
           "  leeway data render dsprites --size 32 --table table.csv --index split.csv --split test "
           "--out test.npz";
  });
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_render(context, *flags); }; });
}

}  // namespace leeway::app
