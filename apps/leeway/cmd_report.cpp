// leeway report: the HTML page of saved records.

#include <filesystem>

#include "apps/leeway/model_options.h"
#include "leeway/tasks/report/page.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::app {
namespace {

struct ReportFlags {
  std::vector<std::string> records, images;
  tasks::ReportOptions options;
};

int run_report(Context& context, const ReportFlags& flags) {
  const tasks::TaskClock clock;
  const std::string path = context.out.empty() ? "report.html" : context.out;
  if (context.out.empty()) context.files.claim("the page", path, Written::page);
  std::vector<std::pair<std::string, Json>> records;
  for (const std::string& file : flags.records) {
    records.emplace_back(file, read_record(file));
    context.add_input(file, {});
  }
  const std::vector<NamedImages> images = open_named_images(context, flags.images);
  std::vector<tasks::PictureSource> sources;
  for (const NamedImages& file : images) sources.push_back({file.name, &file.images});
  tasks::PageOptions options;
  options.flips_per_result = flags.options.flips;
  const View view = tasks::view(records, sources, options);
  context.page = path;
  context.write_page(view);
  tasks::Report made;
  made.options = flags.options;
  made.results = {{path, static_cast<std::size_t>(std::filesystem::file_size(path)), records.size()}};
  context.page.clear(), context.figures.clear();  // written
  return context.finish(clock.finished(std::move(made), context.seed));
}

}  // namespace

void add_report(const Command& root, Context& context) {
  const Command command = root.add("report", "Render saved records as a self-contained HTML report");
  auto& flags = command.keep<ReportFlags>();
  command
      .option("records", flags.records,
              "Records saved with --out or printed with --json: one record of any command, or several of pa "
              "or of assess")
      .required();
  command.option(
      "--images", flags.images,
      "[[MODEL/]SHIFT=]FILE: images of the source (without a name) or of a target; for average-case FILE");
  add_option_flags(command, flags.options);
  command.reads({"records", "--images"});
  context.add_common_flags(command, "Write the page to this file (default report.html)", Written::page);
  context.add_figures_flag(command);
  command.hide({"--seed", "--threads"});
  command.footer(
      "The page needs no network: charts, styles and images are embedded. Several records of assess, or of "
      "pa, become one page that compares the models.\n\n"
      "  leeway assess --source val.npz --target noise=noise.npz --out noise.json\n"
      "  leeway report noise.json --out noise.html --images val_images.npz noise=noise_images.npz");
  command.runs([&context, &flags] { return run_report(context, flags); });
}

}  // namespace leeway::app
