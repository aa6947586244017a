// leeway shift: a shifted copy of a set of images.
#include <string>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/shift/shift.h"

namespace leeway::app {
namespace {

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
  task.images = open_images(context, flags.data, flags.rows);
  return context.finish(tasks::shift_images(task, context.progress()));
}

}  // namespace

void add_shift(const Command& root, Context& context) {
  const Command command = root.add("shift", "Write a shifted copy of a set of images");
  auto& flags = command.keep<ShiftFlags>();
  command.option("NAME", flags.name, "Shift, or several separated by commas (leeway list shifts)");
  command.option(
      "--data", flags.data,
      "Images: .npz or .safetensors with x (n,c,h,w) and y, IDX(.gz), fashion-mnist:train or :test");
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
  add_option_flags(command, flags.options);
  command.reads({"--data"});
  context.add_common_flags(
      command, "Images to write (.npz): x, y, and `rows` (source rows) for shifts that select rows",
      Written::claimed);
  command
      .option("--sheet", flags.sheet,
              "Contact sheet to write (PNG): 30 random images before and after the shift")
      .writes(Written::claimed);
  command.footer(
      "leeway list shifts prints the names. Shifts of pixels write float32 in [0,1], corruptions "
      "(--severity) write uint8, shifts that select rows keep the pixels. The same seed "
      "gives the same images; an image does not depend on the other images. Several shifts or strengths "
      "write one file each, named by {shift}, {strength} or {severity}.\n\n"
      "  leeway shift gaussian-noise --data fashion-mnist:test --strength 0.3 --out noisy.npz\n"
      "  leeway shift gaussian-noise,gaussian-blur --data test.npz --strength 0.5:2:0.5 --out "
      "'{shift}-{strength}.npz'\n"
      "  leeway shift label-subset --data test.npz --classes 0,3,5 --out three.npz\n"
      "  leeway shift fog --severity 3 --data test.npz --out foggy.npz --sheet foggy.png");
  add_shift_corrupt(command, context);
  add_shift_text(command, context);
  command.runs([&context, &flags] { return run_shift(context, flags); });
}

}  // namespace leeway::app
