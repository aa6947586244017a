// leeway data render: data sets drawn from geometry, as images, tables of attributes and contact sheets.
// leeway data load: published data sets from their files, as images and a table of attributes.
// leeway data diagvib: digits with hue, lightness, position, scale and texture, as environments that train, validate and test.
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/data/diagvib_environments.h"
#include "leeway/data/load.h"
#include "leeway/data/render.h"
#include "leeway/tasks/data/data.h"
#include "leeway/tasks/diagvib/diagvib.h"

namespace leeway::app {
namespace {

struct TableFiles {
  std::string attributes, sheet;  // to write; empty: none
};

struct RenderFlags : TableFiles {
  std::string name, table, index;
  std::vector<std::string> only;  // "column=v1,v2"
  tasks::DataRenderOptions options;
};

struct LoadFlags : TableFiles {
  std::string format;
  std::vector<std::string> paths;
  tasks::DataLoadOptions options;
};

void add_table_flags(const Command& command, TableFiles& files, const std::string& row,
                     const std::string& pictures) {
  command.option("--attributes", files.attributes, "Table to write (CSV): " + row).writes(Written::file);
  command.option("--sheet", files.sheet, "Contact sheet to write (PNG): " + pictures).writes(Written::file);
}

// UsageError: nothing to write.
tasks::DataPaths files_of(const Context& context, const TableFiles& files) {
  if (context.out.empty() && files.attributes.empty() && files.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  return {context.out, files.attributes, files.sheet, !context.no_digest};
}

template <class Task>
void set_files(Context& context, const TableFiles& files, Task& task) {
  task.out = files_of(context, files);
  task.seed = context.seed;
  task.was_read = [&context](const auto&... read) { context.add_input(read...); };
}

// The record, printed and written beside what it is about.
template <class Record>
int finish_files(Context& context, Record record) {
  if (!context.record_file.empty()) record.results.front().files.manifest = context.record_file;
  return context.finish(std::move(record));
}

void check_flags(const RenderFlags& flags) {
  if (flags.index.empty() != flags.options.split.empty())
    throw UsageError(flags.index.empty() ? "--split requires --index"
                                         : "--split is required with --index: train, val, test");
  if (!flags.table.empty() && (flags.options.protocol || !flags.only.empty()))
    throw UsageError("--table cannot be combined with --only or --protocol");
}

int run_render(Context& context, const RenderFlags& flags) {
  tasks::DataRenderTask task{.data_set = flags.name,
                             .only = value_lists("--only", "COLUMN", flags.only),
                             .table = flags.table,
                             .index = flags.index,
                             .options = flags.options};
  set_files(context, flags, task);
  check_flags(flags);
  if (!context.out.empty()) context.claim_manifest({context.out});
  return finish_files(context, tasks::data_render(task, context.progress()));
}

int run_load(Context& context, const LoadFlags& flags) {
  tasks::DataLoadTask task{.format = flags.format, .paths = flags.paths, .options = flags.options};
  set_files(context, flags, task);
  context.claim_manifest({context.out, flags.attributes, flags.sheet});
  return finish_files(context, tasks::data_load(task, context.progress()));
}

void add_data_render(const Command& room, Context& context) {
  const Command command = room.add(
      "render", "Render a synthetic data set with known factors: images, attribute table, contact sheet");
  auto& flags = command.keep<RenderFlags>();
  command.option("NAME", flags.name, "Data set (leeway list renderers)")
      .required()
      .one_of(data::rendered_sets());
  add_table_flags(command, flags, "one row for each image", "60 random images");
  add_option_flags(command, flags.options);
  const std::string which = "Which images";
  command.group(which, {"--protocol", "--sample", "--split"});
  command
      .option("--only", flags.only,
              "COLUMN=VALUE,VALUE,...: keep these values (default: all standard values); may be repeated")
      .one_word()
      .shown_as("VALUES")
      .group(which);
  command.option("--table", flags.table, "Rows to render: a table written by --attributes").group(which);
  command
      .option("--index", flags.index,
              "CSV of index and split, from conds draw: rows of the table to render, chosen by --split")
      .group(which);
  command.reads({"--table", "--index"});
  context.add_common_flags(
      command, "Images to write (.npz): x (n,3,h,w), y; and the record NAME.manifest.json", Written::file);
  command.footer(
      "leeway list renderers prints the data sets and their columns. Images are drawn as they are written, "
      "so a set may be larger than memory. An image depends only on its row. To train a model under a "
      "shift:\n\n"
      "  leeway data render dsprites --sample 20000 --size 32 --out images.npz --attributes table.csv "
      "--sheet sheet.png\n"
      "  leeway conds draw --attributes table.csv --dataset dsprites --sc obj_color --out split.csv\n"
      "  leeway train --data images.npz --index split.csv --out model.safetensors\n\n"
      "To render only the test set, for models that read images from a file:\n\n"
      "  leeway data render dsprites --size 32 --table table.csv --index split.csv --split test --out "
      "test.npz");
  command.runs([&context, &flags] { return run_render(context, flags); });
}

void add_data_load(const Command& room, Context& context) {
  const Command command =
      room.add("load", "Load a published data set from its files: images and attribute table");
  auto& flags = command.keep<LoadFlags>();
  command.option("FORMAT", flags.format, "Format (leeway list loaders)")
      .required()
      .one_of(data::loaded_formats())
      .shown_as("");
  command.option("PATH", flags.paths, "Files of the data set").required().shown_as("");
  add_table_flags(command, flags, "one row for each sample", "60 random images");
  add_option_flags(command, flags.options);
  command.reads({"PATH", "--images"});
  context.add_common_flags(
      command, "Images to write (.npz): x (n,c,h,w), y; and the record NAME.manifest.json", Written::file);
  command.footer(
      "leeway list loaders prints the formats and their files.\n\n"
      "  leeway data load cifar10 data_batch_1.bin data_batch_2.bin --out train.npz\n"
      "  leeway data load celeba list_attr_celeba.txt --attributes celeba.csv\n"
      "  leeway conds draw --attributes celeba.csv --dataset celeba --sc black_hair --plan\n"
      "  leeway data load smallnorb smallnorb-training-dat.mat.gz --protocol --out toys.npz --attributes "
      "toys.csv\n"
      "  leeway data load folder OfficeHome --size 64 --leave-out Art --out images.npz --attributes "
      "table.csv\n"
      "  leeway data load camelyon17 camelyon17_v1.0 --split test --out test.npz --attributes test.csv\n"
      "  leeway data load table attributes.csv --images photos --size 64 --out images.npz --attributes "
      "table.csv\n"
      "  leeway data load living17 imagenet_class_hierarchy/modified ImageNet/train --split source --size "
      "224 --out source.npz");
  command.runs([&context, &flags] { return run_load(context, flags); });
}

struct DiagvibFlags : TableFiles {
  std::string digits, test_digits, textures;
  tasks::DataDiagvibOptions options;
};

void claim_files(Context& context, const DiagvibFlags& flags) {
  if (flags.options.part != "all" || context.out.empty()) {
    if (!context.out.empty()) context.files.claim("--out", context.out, Written::file);
    return context.claim_manifest({context.out, flags.attributes, flags.sheet});
  }
  std::vector<std::string> parts = tasks::diagvib_parts(flags.options);
  for (std::string& part : parts) part = tasks::diagvib_file_name(part);
  context.claim_folder(parts);
}

int run_diagvib(Context& context, const DiagvibFlags& flags) {
  const tasks::DataPaths files = files_of(context, flags);
  claim_files(context, flags);
  tasks::DataDiagvibTask task{.digits = flags.digits,
                              .test_digits = flags.test_digits,
                              .textures = flags.textures,
                              .out = files,
                              .options = flags.options,
                              .seed = context.seed,
                              .open = [&](const std::string& path) { return open_images(context, path); }};
  tasks::DataDiagvib record = tasks::data_diagvib(task, context.progress());
  record.manifest = context.record_file;
  return context.finish(std::move(record));
}

void add_data_diagvib(const Command& room, Context& context) {
  const Command command = room.add(
      "diagvib", "DiagViB environments: digits whose hue, lightness, position, scale and texture shift");
  auto& flags = command.keep<DiagvibFlags>();
  command
      .option("--digits", flags.digits,
              "Labeled 28 x 28 grayscale images for training and validation: IDX "
              "(train-images-idx3-ubyte.gz), .npz, or fashion-mnist:train")
      .required();
  command.option("--test-digits", flags.test_digits,
                 "Labeled images for tests (default: t10k-images in the same folder, or fashion-mnist:test)");
  command.option("--textures", flags.textures,
                 "Folder of textures, PNG or JPEG: tiles.png for tiles (default: textures drawn by leeway, "
                 "marked with a star)");
  add_table_flags(command, flags, "digit, classes and values of each image",
                  "ten images of each environment, the same rows");
  add_option_flags(command, flags.options);
  command["--environment"].required().one_of(data::diagvib_experiments()).shown_as("NAME");
  command.group("Co-occurrence", {"--learning-factor", "--share"});
  command.reads({"--digits", "--test-digits", "--textures"});
  context.add_common_flags(command,
                           "Images to write (.npz): x (n,3,h,w), y, environment or groups; and the record "
                           "NAME.manifest.json; with --part all, a folder with manifest.json",
                           Written::claimed);
  command.footer(
      "leeway list environments prints the environments and their parts. The training file holds all "
      "environments of the part with an array `environment` that leeway train reads. Rows of paired "
      "environments show the same digit and differ only in the shifted factors. Tables 2 and 3 of the paper "
      "take one command each; --n 4000 --size 64 writes a fortieth of the bytes:\n\n"
      "  leeway data diagvib --digits train-images-idx3-ubyte.gz --environment discriminability --part all "
      "--out table2\n"
      "  leeway data diagvib --digits train-images-idx3-ubyte.gz --environment selection --part all --out "
      "table3\n"
      "  leeway data diagvib --digits fashion-mnist:train --environment discriminability --part test:3 --n "
      "1000 --out test3.npz\n"
      "  leeway data diagvib --digits fashion-mnist:train --environment 1-cgo --part train --n 9000 --size "
      "64 --out cgo.npz\n\n"
      "Pixels are not standardized. Pass the printed --mean and --std to leeway train: the model then reads "
      "every test set with the statistics of the training environments.");
  command.runs([&context, &flags] { return run_diagvib(context, flags); });
}

}  // namespace

void add_data(const Command& root, Context& context) {
  const Command room =
      root.add("data", "Render data sets from geometry or digits, or load published data sets");
  room.needs_command();
  add_data_render(room, context);
  add_data_load(room, context);
  add_data_diagvib(room, context);
}

}  // namespace leeway::app
