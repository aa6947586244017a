// leeway data render: data sets drawn from geometry, as images, tables of attributes and contact sheets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/written.h"
#include "leeway/conds/protocol_sets.h"
#include "leeway/core/error.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/data/render.h"
#include "leeway/data/split.h"

namespace leeway::app {
namespace {

struct RenderFlags {
  std::string name, table, index, attributes, sheet, label;
  std::vector<std::string> only, split;  // only: "column=v1,v2"
  std::size_t size = 64;
  std::optional<std::size_t> sample;
  bool protocol = false;
};

using data::RenderedRows;
using data::RenderedSet;
using Only = std::map<std::string, std::vector<std::string>>;

constexpr std::size_t pictures_of_sheet = 60;

// The values that --only and --protocol keep.
Only only_of(const RenderFlags& flags, const RenderedSet& set) {
  Only only;
  if (flags.protocol) {
    const conds::ConDSDataSet& protocol = conds::conds_data_set(set.name);
    for (const conds::NamedColumn& column : protocol.attributes)
      only[std::string(column.name)] = {column.values.begin(), column.values.end()};
  }
  for (const std::string& text : flags.only) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("--only: expected COLUMN=VALUE,VALUE,..., found {}", in_quotes(text)));
    only[text.substr(0, equals)] = CLI::detail::split(text.substr(equals + 1), ',');
  }
  return only;
}

RenderedRows rows_of(Context& context, const RenderFlags& flags, const RenderedSet& set, const Only& only) {
  RenderedRows rows =
      flags.table.empty() ? RenderedRows(set, only) : RenderedRows::from_table(set, flags.table);
  if (!flags.table.empty()) context.add_input(flags.table, {rows.n(), set.columns.size()});
  if (flags.sample) rows = rows.sample(*flags.sample, context.seed);
  if (flags.index.empty()) return rows;
  const data::RowSplit split = data::read_split(flags.index, rows.n());
  context.add_input(flags.index, {split.rows, 2});
  std::vector<std::size_t> taken;
  for (const std::string& name : flags.split) {
    const auto& part = name == "train" ? split.train : name == "val" ? split.validation : split.test;
    if (part.empty()) refuse(flags.index, fmt::format("rows of {}", name), "none");
    taken.insert(taken.end(), part.begin(), part.end());
  }
  return rows.take(taken);
}

void check_flags(const Context& context, const RenderFlags& flags) {
  if (context.out.empty() && flags.attributes.empty() && flags.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  if (flags.index.empty() != flags.split.empty())
    throw UsageError(flags.index.empty() ? "--split: expected --index beside it"
                                         : "--split is required beside --index: train, val, test");
  if (!flags.table.empty() && (flags.protocol || !flags.only.empty()))
    throw UsageError("--table: expected no --only or --protocol beside it");
}

std::string table(const Json& result, std::uint64_t seed) {
  std::string text = fmt::format("{}, seed {}: {} images\n", result["data_set"].get<std::string>(), seed,
                                 result["n"].get<std::size_t>());
  for (const char* what : {"out", "attributes", "sheet", "manifest"})
    if (const Json& file = result[what]; file.is_string())
      text += fmt::format("{:<10} {}\n", what, file.get<std::string>());
    else if (!file.is_null())
      text += fmt::format("{:<10} {}, {} bytes\n", what == std::string("out") ? "images" : what,
                          file["path"].get<std::string>(), file["bytes"].get<std::size_t>());
  return text;
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
  const RenderedSet& set = data::rendered_set(flags.name);
  const Only only = only_of(flags, set);
  const std::size_t label = flags.label.empty() ? 0 : data::find_column(set, flags.label);
  context.start_clock();
  const RenderedRows rows = rows_of(context, flags, set, only);
  if (!flags.attributes.empty()) data::write_attributes(flags.attributes, rows);
  if (!flags.sheet.empty())
    write_png(flags.sheet, data::sheet_of(rows, flags.size, pictures_of_sheet, context.seed));
  if (!context.out.empty()) data::write_rendered(context.out, rows, flags.size, label, context.progress());
  context.stop_clock();
  Json result = {{"data_set", set.name},
                 {"n", rows.n()},
                 {"size", flags.size},
                 {"label", set.columns[label].name},
                 {"classes", data::values_of(set.columns[label])},
                 {"only", Json::object()},
                 {"sample", flags.sample ? Json(*flags.sample) : Json()},
                 {"split", flags.split}};
  for (const auto& [column, values] : only) result["only"][column] = values;
  result["out"] = written_file(context, context.out);
  result["attributes"] = written_file(context, flags.attributes);
  result["sheet"] = written_file(context, flags.sheet);
  result["manifest"] = context.out.empty() ? Json() : Json(manifest_of(context.out));
  const std::string text = table(result, context.seed);
  const Json record = context.record("leeway.shift-render/1", Json::array({std::move(result)}));
  if (!context.out.empty()) write_manifest(manifest_of(context.out), record);
  context.print(record, text);
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
  command->add_option("--size", flags->size, "Pixels a side")
      ->check(CLI::Range(std::uint64_t{8}, std::uint64_t{1024}).description(""))
      ->type_name("N")
      ->capture_default_str();
  context.files.writes(command->add_option("--attributes", flags->attributes,
                                           "The table to write (CSV): a row for each image"),
                       Written::file);
  context.files.writes(command->add_option("--sheet", flags->sheet,
                                           "A contact sheet to write (PNG): 60 of the images at random"),
                       Written::file);
  command->add_option("--label", flags->label, "Column whose values are y (default: shape)");
  const std::string which = "Which images";
  command
      ->add_option("--only", flags->only,
                   "COLUMN=VALUE,VALUE,...: keep these values (default: all standard ones); may be repeated")
      ->allow_extra_args(false)
      ->type_name("VALUES")
      ->group(which);
  command
      ->add_flag("--protocol", flags->protocol,
                 "Keep the colours and sizes that conds draw --dataset NAME knows")
      ->group(which);
  command->add_option("--sample", flags->sample, "So many at random, by --seed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}).description(""))
      ->type_name("N")
      ->group(which);
  command->add_option("--table", flags->table, "The rows of this table, as --attributes writes it")
      ->group(which);
  command
      ->add_option("--index", flags->index,
                   "CSV index,split, as conds draw writes it: the rows of the table that --split names")
      ->group(which);
  command->add_option("--split", flags->split, "train, val, test: which of them")
      ->delimiter(',')
      ->check(CLI::IsMember({"train", "val", "test"}))
      ->type_name("NAMES")
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
