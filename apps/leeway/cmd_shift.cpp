// leeway shift: a shifted copy of a set of images.
// leeway shift corrupt: images under all common corruptions, shown to a model.
// leeway shift text: a CSV file with one column of texts shifted.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/corruptions/corruptions.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/shift/shift.h"
#include "leeway/tasks/shift_text/shift_text.h"

namespace leeway::app {
namespace {

struct CorruptFlags {
  ModelFlags model;
  std::string data, published, sheet;
  tasks::CorruptionsOptions options;
};

std::vector<std::string> made_of(const CorruptFlags& flags) {
  std::vector<std::string> all = identity_of(flags.model);
  for (const std::string& file : {flags.data, flags.published, flags.options.how.frost_dir.value_or("")})
    all.push_back(contents_of(file));
  return all;
}

int run_corrupt(Context& context, const CorruptFlags& flags) {
  if (flags.data.empty()) throw UsageError("--data is required: the clean images");
  if (flags.model.model.empty())
    throw UsageError(
        "--model is required (to write corrupted images without a model, use leeway shift NAME --severity "
        "S)");
  std::optional<tasks::Corruptions> reference;
  if (const auto& named = flags.options.reference; named && *named != "alexnet") {
    reference = record_from<tasks::Corruptions>(read_record(*named), display_name(*named));
    context.add_input(*named, {});
  }
  Images images = open_images(context, flags.data, flags.model.reading.pictures);
  Images taken = images;  // what the model takes of them
  tasks::LoadedModel loaded = load_checked_model(context, flags.model, taken);
  tasks::align_classes(*loaded.model, images);
  tasks::CorruptionsTask task{.images = images, .model = *loaded.model};
  task.data = flags.data, task.model_file = flags.model.model, task.published = flags.published;
  task.sheet = flags.sheet, task.seed = context.seed;
  task.options = flags.options, task.reference = std::move(reference);
  if (!context.out.empty()) task.state = state_of(context.out), task.made_of = made_of(flags);
  task.resumed = [&context](std::size_t done, std::size_t units) {
    context.say(fmt::format("corruptions: resuming after {} of {} finished sets", done, units));
  };
  task.was_read = [&context](const auto&... read) { context.add_input(read...); };
  tasks::Corruptions record = tasks::corruptions(task, context.progress());
  record.reading = flags.model.reading;
  record.stochastic = loaded.stochastic;
  context.warn_of(record.envelope);  // those of the model were told when it was loaded
  for (const std::string& line : loaded.warnings) record.envelope.warnings.push_back(line);
  record = context.completed(std::move(record));
  const int code = context.end(to_json(record), tasks::view(record));
  if (!task.state.empty()) remove_made(std::filesystem::path(task.state).parent_path(), task.state);
  return code;
}

void add_shift_corrupt(const Command& shift, Context& context) {
  const Command command =
      shift.add("corrupt", "Assess a model under all common corruptions at all severities");
  auto& flags = command.keep<CorruptFlags>();
  command.option("--data", flags.data,
                 "Clean images: .npz, .safetensors, IDX(.gz), a folder of pictures, or fashion-mnist:test");
  command.option("--model", flags.model.model, model_help);
  add_option_flags(command, flags.options);
  add_option_flags(
      command, [&](Fields& f) { flag_fields(flags.model.reading, f); }, "Reading the model file");
  add_device_flag(command, flags.model.reading.device);
  add_picture_flags(command, flags.model.reading.pictures);
  command.option("--published", flags.published,
                 "Folder of CIFAR-10-C, CIFAR-100-C, ImageNet-C or TinyImageNet-C (default: corrupt the "
                 "images of --data)");
  command
      .option("--sheet", flags.sheet,
              "Contact sheet to write (PNG): one random image, clean and at every severity, one line for "
              "each corruption")
      .writes(Written::file);
  context.add_page_flag(command);
  command.reads({"--data", "--model", "--published"});
  context.add_common_flags(
      command, "Write the JSON record to this file; FILE.state holds the finished sets until then",
      Written::record, {".state"});
  command.footer(
      "Images are corrupted in memory, set by set. The record contains the accuracy of each set and its "
      "posterior agreement with the clean images. With --out, an interrupted command resumes after the "
      "finished sets. mCE is the mean over the 15 corruptions of the benchmark; --reference alexnet gives "
      "the published normalization, on the 1,000 classes of ImageNet. leeway shift NAME --severity S writes "
      "corrupted images.\n\n"
      "  leeway shift corrupt --data fashion-mnist:test --model cnn.safetensors --out record.json --report "
      "page.html\n"
      "  leeway shift corrupt --data test.npz --model better.pt --reference record.json --out better.json\n"
      "  leeway shift corrupt --data test.npz --model m.pt --published CIFAR-10-C --out record.json");
  command.runs([&context, &flags] { return run_corrupt(context, flags); });
}

struct ShiftTextFlags {
  std::string name, data;
  tasks::ShiftTextOptions options;
};

int run_shift_text(Context& context, const ShiftTextFlags& flags) {
  if (flags.data.empty()) throw UsageError("--data is required: the CSV file");
  if (context.out.empty()) throw UsageError("--out is required: the CSV file to write");
  tasks::ShiftTextTask task{.shift = flags.name,
                            .data = flags.data,
                            .out = context.out,
                            .options = flags.options,
                            .seed = context.seed};
  task.was_read = [&context](const auto&... read) { context.add_input(read...); };
  tasks::ShiftText record;
  {  // the distance of texts of a million characters takes long
    const HardStop stop("shift text stopped; nothing was written");
    record = tasks::shift_text(task, context.progress());
  }
  return context.finish(std::move(record));
}

void add_shift_text(const Command& room, Context& context) {
  const Command command = room.add("text", "Shift one text column of a CSV file");
  auto& flags = command.keep<ShiftTextFlags>();
  command.option("NAME", flags.name, "Shift (leeway list text-shifts)").required();
  command.option("--data", flags.data, "CSV with a header; the other columns are copied unchanged");
  add_option_flags(command, flags.options);
  command.reads({"--data"});
  context.add_common_flags(command, "CSV file to write", Written::file);
  command.footer(
      "leeway list text-shifts prints the names. Characters are Unicode code points; words are separated by "
      "whitespace. The same seed gives the same texts, and row i does not depend on the other rows. The "
      "edits at a smaller strength are the first edits, or a subset of the edits, at a larger strength. "
      "docs/guides/text-shifts.md shows how to compute posterior agreement on the shifted texts.\n\n"
      "  leeway shift text typos --data reviews.csv --column text --strength 0.1 --out typos.csv --sheet\n"
      "  leeway shift text contradict --data reviews.csv --label sentiment --strength 3 --out against.csv");
  command.runs([&context, &flags] { return run_shift_text(context, flags); });
}

struct ShiftFlags {
  std::string name, data, sheet;
  tasks::OutputsReading rows;  // its index and split
  tasks::ShiftOptions options;
};

int run_shift(Context& context, const ShiftFlags& flags) {
  if (flags.name.empty()) throw UsageError("NAME is required (see leeway shift --help)");
  if (flags.data.empty()) throw UsageError("--data is required: the images");
  if (context.out.empty()) throw UsageError("--out is required: the .npz to write");
  tasks::ShiftTask task{flags.name, {}, context.out, flags.options, context.seed, flags.sheet};
  for (const auto& [option, file] : tasks::files_of(task)) context.files.claim(option, file, Written::file);
  task.images = open_images(context, flags.data, flags.rows, flags.options.pictures);
  if (const auto& groups = flags.options.groups) context.add_input(*groups, {task.images.n(), 1});
  return context.finish(tasks::shift_images(task, context.progress()));
}

}  // namespace

void add_shift(const Command& root, Context& context) {
  const Command command = root.add("shift", "Write a shifted copy of a set of images");
  auto& flags = command.keep<ShiftFlags>();
  command.option("NAME", flags.name, "Shift, or several separated by commas (leeway list shifts)");
  command.option("--data", flags.data,
                 "Images: .npz or .safetensors with x (n,c,h,w) and y, IDX(.gz), a folder of pictures, or "
                 "fashion-mnist:train or :test");
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.options, f); });
  add_picture_flags(command, flags.options.pictures);
  command.reads({"--data"});
  context.add_common_flags(
      command, "Images to write (.npz): x, y; `rows` (source rows) or `y_source` (labels before label noise)",
      Written::claimed);
  command
      .option("--sheet", flags.sheet,
              "Contact sheet to write (PNG): 30 random images before and after the shift")
      .writes(Written::claimed);
  command.footer(
      "leeway list shifts prints the names. Pixel shifts write float32 in [0,1], corruptions (--severity) "
      "write uint8, and shifts that select rows or change labels leave the pixels unchanged. The same seed "
      "gives the same images; an image does not depend on the other images. Several shifts or strengths "
      "write one file each, named by {shift}, {strength} or {severity}.\n\n"
      "  leeway shift gaussian-noise --data fashion-mnist:test --strength 0.3 --out noisy.npz\n"
      "  leeway shift gaussian-noise,gaussian-blur --data test.npz --strength 0.5:2:0.5 --out "
      "'{shift}-{strength}.npz'\n"
      "  leeway shift label-subset --data test.npz --classes 0,3,5 --out three.npz\n"
      "  leeway shift label-noise --data train.npz --groups place.csv --group-rates 0.05,0.3 --out "
      "noisy.npz\n"
      "  leeway shift fog --severity 3 --data test.npz --out foggy.npz --sheet foggy.png");
  add_shift_corrupt(command, context);
  add_shift_text(command, context);
  command.runs([&context, &flags] { return run_shift(context, flags); });
}

}  // namespace leeway::app
