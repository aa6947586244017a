// leeway shift corrupt: images under all common corruptions, written, shown to a model, or both.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/removal.h"
#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/corruptions/corruptions.h"
#include "leeway/tasks/report/page.h"

namespace leeway::app {
namespace {

struct CorruptFlags {
  ModelFlags model;
  std::string data, published, sheet;
  tasks::CorruptionsOptions options;
};

std::vector<std::string> made_of(const CorruptFlags& flags) {
  tasks::ModelReading reading = flags.model.reading;
  return {contents_of(flags.model.model), digest_of([&](Fields& f) { fields(reading, f); }),
          contents_of(flags.data), contents_of(flags.published),
          flags.options.how.frost_dir ? contents_of(*flags.options.how.frost_dir) : ""};
}

int run_corrupt(Context& context, const CorruptFlags& flags) {
  if (flags.data.empty()) throw UsageError("--data is required: the clean images");
  if (flags.model.model.empty())
    throw UsageError("--model is required (leeway shift NAME --severity S writes corrupted images)");
  std::optional<tasks::Corruptions> reference;
  if (const auto& named = flags.options.reference; named && *named != "alexnet") {
    reference = record_from<tasks::Corruptions>(read_record(*named), display_name(*named));
    context.add_input(*named, {});
  }
  Images images = open_images(context, flags.data);
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

}  // namespace

void add_shift_corrupt(const Command& shift, Context& context) {
  const Command command =
      shift.add("corrupt", "Assess a model under all common corruptions at all severities");
  auto& flags = command.keep<CorruptFlags>();
  command.option("--data", flags.data, "Clean images: .npz, .safetensors, IDX(.gz), or fashion-mnist:test");
  command.option("--model", flags.model.model, model_help);
  add_option_flags(command, flags.options);
  add_option_flags(
      command, [&](Fields& f) { flag_fields(flags.model.reading, f); }, "Reading the model file");
  add_device_flag(command, flags.model.reading.device);
  command.option(
      "--published", flags.published,
      "Folder of CIFAR-10-C, CIFAR-100-C, ImageNet-C or TinyImageNet-C (default: corrupt the images here)");
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
      "Images are corrupted in memory, set by set. The record has each set's accuracy and posterior "
      "agreement with the clean images. With --out an interrupted command resumes after the finished sets. "
      "mCE is the mean over the 15 corruptions of the benchmark; --reference alexnet gives the published "
      "normalization, on the 1,000 classes of ImageNet. leeway shift NAME --severity S writes corrupted "
      "images.\n\n"
      "  leeway shift corrupt --data fashion-mnist:test --model cnn.safetensors --out record.json --report "
      "page.html\n"
      "  leeway shift corrupt --data test.npz --model better.pt --reference record.json --out better.json\n"
      "  leeway shift corrupt --data test.npz --model m.pt --published CIFAR-10-C --out record.json");
  command.runs([&context, &flags] { return run_corrupt(context, flags); });
}

}  // namespace leeway::app
