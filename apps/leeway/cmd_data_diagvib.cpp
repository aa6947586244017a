// leeway data diagvib: digits with hue, lightness, position, scale and texture, as environments that train, validate and test.

#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "leeway/data/diagvib_environments.h"
#include "leeway/tasks/diagvib/diagvib.h"

namespace leeway::app {
namespace {

struct DiagvibFlags {
  std::string digits, test_digits, textures, attributes, sheet;
  tasks::DataDiagvibOptions options;
};

void claim_files(Context& context, const DiagvibFlags& flags) {
  if (context.out.empty() && flags.attributes.empty() && flags.sheet.empty())
    throw UsageError("expected --out, --attributes or --sheet: what to write");
  if (flags.options.part != "all" || context.out.empty()) {
    if (!context.out.empty()) context.files.claim("--out", context.out, Written::file);
    return context.claim_manifest({context.out, flags.attributes, flags.sheet});
  }
  std::vector<std::string> parts = tasks::diagvib_parts(flags.options);
  for (std::string& part : parts) part = tasks::diagvib_file_name(part);
  context.claim_folder(parts);
}

int run_diagvib(Context& context, const DiagvibFlags& flags) {
  claim_files(context, flags);
  tasks::DataDiagvibTask task{.digits = flags.digits,
                              .test_digits = flags.test_digits,
                              .textures = flags.textures,
                              .out = {context.out, flags.attributes, flags.sheet, !context.no_digest},
                              .options = flags.options,
                              .seed = context.seed,
                              .open = [&](const std::string& path) { return open_images(context, path); }};
  tasks::DataDiagvib record = tasks::data_diagvib(task, context.progress());
  record.manifest = context.record_file;
  return context.finish(std::move(record));
}

}  // namespace

void add_data_diagvib(const Command& room, Context& context) {
  const Command command = room.add(
      "diagvib", "DiagViB environments: digits whose hue, lightness, position, scale and texture shift");
  auto& flags = command.keep<DiagvibFlags>();
  command
      .option("--digits", flags.digits,
              "Labeled gray images of 28 x 28 for training and validation: IDX (train-images-idx3-ubyte.gz), "
              ".npz, or fashion-mnist:train")
      .required();
  command.option("--test-digits", flags.test_digits,
                 "Labeled images for tests (default: t10k-images in the same folder, or fashion-mnist:test)");
  command.option("--textures", flags.textures,
                 "Folder of textures, PNG or JPEG: tiles.png for tiles (default: textures drawn by leeway, "
                 "marked with a star)");
  command
      .option("--attributes", flags.attributes,
              "Table to write (CSV): digit, classes and values of each image")
      .writes(Written::file);
  command
      .option("--sheet", flags.sheet,
              "Contact sheet to write (PNG): ten images of each environment, the same rows")
      .writes(Written::file);
  add_option_flags(command, flags.options);
  command["--environment"].required().one_of(data::diagvib_experiments()).shown_as("NAME");
  command.group("Co-occurrence", {"--learning-factor", "--share"});
  command.reads({"--digits", "--test-digits", "--textures"});
  context.add_common_flags(command,
                           "Images to write (.npz): x (n,3,h,w), y, environment or groups; and the record "
                           "NAME.manifest.json; with --part all a folder with manifest.json",
                           Written::claimed);
  command.footer(
      "leeway list environments prints the environments and their parts. The training file holds all "
      "environments of the part with an array `environment` that leeway train reads. Rows of paired "
      "environments show the same digit and differ in the shifted factors only. Tables 2 and 3 of the paper "
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

}  // namespace leeway::app
