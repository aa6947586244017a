// leeway demo: two classifiers trained on Fashion-MNIST, four shifts, an attack, and a report.
#include <fmt/format.h>

#include <filesystem>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/core/file.h"
#include "leeway/describe/json.h"
#include "leeway/render/terminal.h"
#include "leeway/tasks/demo/demo.h"
#include "leeway/tasks/report/page.h"

namespace leeway::app {
namespace {

namespace fs = std::filesystem;

struct DemoFlags {
  std::string folder = "leeway-demo", train = "fashion-mnist:train", test = "fashion-mnist:test";
  std::size_t standard_epochs = 6, robust_epochs = 3, images = 5000;
};

int run_demo(Context& context, const DemoFlags& flags) {
  const fs::path page = fs::path(flags.folder) / "report.html",
                 json = fs::path(flags.folder) / "assessment.json";
  const nn::Session& session = model_session(context.threads);
  fs::create_directories(flags.folder);
  for (const fs::path& path : {page, json}) context.files.claim("--folder", path.string(), Written::file);
  for (const std::string& name : tasks::demo_files())
    context.files.claim("--folder", (fs::path(flags.folder) / name).string(), Written::file);
  const tasks::DemoFound found =
      tasks::demo({.session = session,
                   .folder = flags.folder,
                   .train = [&] { return open_images(context, flags.train); },
                   .test = [&] { return open_images(context, flags.test); },
                   .epochs = flags.standard_epochs,
                   .robust_epochs = flags.robust_epochs,
                   .images = flags.images,
                   .seed = context.seed,
                   .device = context.device,
                   .say = [&](const std::string& line) { context.say("demo: " + line); }},
                  context.progress());
  const tasks::Assess result = context.completed(found.record);
  const Json record = to_json(result);
  std::vector<tasks::PictureSource> pictures;
  for (const auto& [name, images] : found.images) pictures.push_back({name, &images});
  write_text(json, record_text(record));
  const View view = tasks::view(result, tasks::flip_pictures(result, pictures));
  write_text(page, render::page(view));
  if (!context.out.empty()) write_text(context.out, record_text(record));
  context.print(
      record, render::terminal(view) + fmt::format("\nThe page: {}\nThe record: {}\n",
                                                   fs::absolute(page).string(), fs::absolute(json).string()));
  return exit_ok;
}

}  // namespace

void add_demo(const Command& root, Context& context) {
  const Command command =
      root.add("demo", "Train two classifiers, shift their test images, and write a report");
  auto& flags = command.keep<DemoFlags>();
  command.option("--folder", flags.folder, "Folder of all files; finished files are reused")
      .writes(Written::folder);
  command.option("--train", flags.train, "Labeled training images");
  command.option("--test", flags.test, "Labeled test images");
  command.option("--images", flags.images, "Maximum number of test images").whole_within(2, 1000000);
  command.option("--epochs", flags.standard_epochs, "Epochs of the standard classifier")
      .whole_within(1, 1000);
  command
      .option("--robust-epochs", flags.robust_epochs,
              "Epochs of adversarial training, which starts from the standard classifier")
      .whole_within(1, 1000);
  add_device_flag(command, context.device);
  context.add_common_flags(command, "Write the JSON record to this file too");
  command.footer(
      "The standard classifier is trained as usual, the robust one on PGD adversarial images. Both are "
      "assessed under noise, blur, low contrast, rotation and an attack on each. The files in the folder "
      "give the same results:\n\n"
      "  leeway assess --source standard=leeway-demo/outputs-standard-clean.npz \\\n"
      "    --target blur=leeway-demo/outputs-standard-gaussian-blur.npz --report blur.html");
  command.runs([&context, &flags] { return run_demo(context, flags); });
}

}  // namespace leeway::app
