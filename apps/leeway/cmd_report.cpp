// leeway report: the HTML page of saved records.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/leeway/command.h"
#include "leeway/core/file.h"
#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

struct Arguments {
  std::vector<std::string> records, images;
  std::size_t flips = report::Options{}.flips_per_result;
};

struct NamedImages {
  std::string name;
  Images images;
};

std::vector<NamedImages> open_images(const std::vector<std::string>& texts) {
  std::vector<NamedImages> files;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const bool named = equals != std::string::npos;
    const std::string path = named ? text.substr(equals + 1) : text;
    if (path.empty()) throw UsageError("--images " + text + ": expected [[MODEL/]SHIFT=]FILE");
    files.push_back({named ? text.substr(0, equals) : "", read_images(path)});
  }
  return files;
}

// Of that schema, whatever its number.
bool is(const Json& record, std::string_view schema) {
  return record["schema"].get<std::string>().starts_with(schema);
}

// The one unnamed file of a record that ranks samples.
report::Pictures pictures_of(const Json& record, const std::vector<NamedImages>& images,
                             const report::Options& options) {
  if (images.empty() || !is(record, "leeway.average-case/")) return {};
  if (images.size() > 1 || !images[0].name.empty())
    throw UsageError("--images: expected one FILE, the images of the record, without a name");
  const record::AverageCase typed = record::read_average_case(record, options.record_name);
  return report::sample_pictures(typed, images[0].images, options);
}

using Records = std::vector<std::pair<std::string, Json>>;

// All of them of one kind, joined.
template <class Record, class Read>
Record joined_records(const Records& records, const Read& read) {
  std::vector<std::string> names;
  std::vector<Record> typed;
  for (const auto& [name, record] : records) {
    names.push_back(name);
    typed.push_back(read(record, name));
  }
  return report::join_records(names, std::move(typed));
}

std::string page_of(const Records& records, const Arguments& arguments) {
  const std::vector<NamedImages> images = open_images(arguments.images);
  const Json& first = records[0].second;
  if (is(first, "leeway.pa/"))
    return report::html_report(joined_records<record::Pa>(records, record::read_pa));
  report::Options options;
  options.record_name = records.size() == 1 ? records[0].first : "the joined record";
  options.flips_per_result = arguments.flips;
  if (is(first, "leeway.assess/")) {
    const auto record = joined_records<record::Assess>(records, record::read_assess);
    std::vector<report::PictureSource> sources;
    for (const NamedImages& file : images) sources.push_back({file.name, &file.images});
    return report::html_report(record, report::flip_pictures(record, sources, options), options);
  }
  if (records.size() > 1)
    refuse(records[0].first,
           fmt::format("schema {} or {}, of which several make one page", record::assess_schema,
                       record::pa_schema),
           in_quotes(first["schema"].get<std::string>()));
  return report::html_report(first, pictures_of(first, images, options), options);
}

int run_report(Context& context, const Arguments& arguments) {
  const std::string path = context.out.empty() ? "report.html" : context.out;
  if (context.out.empty()) context.files.claim("the page", path, Written::page);
  Records records;
  for (const std::string& file : arguments.records) records.emplace_back(file, read_record(file));
  const std::string html = page_of(records, arguments);
  write_text(path, html);
  const Json said = {{"schema", "leeway.report/1"}, {"page", path}, {"bytes", html.size()}};
  context.print(said, path + "\n");
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("report", "Draw saved records as one self-contained HTML page");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("records", arguments->records,
                   "Records that a command saved with --out or printed with --json: one of select, bound, "
                   "bound evaluate, conds describe "
                   "or average-case, or one or more of pa or of assess")
      ->required();
  command->add_option("--images", arguments->images,
                      "[[MODEL/]SHIFT=]FILE: the source's images (unnamed) or a target's, to show what "
                      "changed; of average-case "
                      "FILE alone");
  command->add_option("--flips", arguments->flips, "Changed samples shown for each model and target")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  context.add_common_flags(*command, "Write the page to this file (default report.html)", Written::page);
  command->footer(
      "The page needs no network: charts, style and pictures are inside. Several records of assess, or of "
      "pa, "
      "make one\n"
      "page, so that models assessed one by one stand side by side.\n\n"
      "  leeway assess --source val.npz --target noise=noise.npz --out noise.json\n"
      "  leeway report noise.json --out noise.html --images val_images.npz noise=noise_images.npz");
  command->callback([&context, &run, arguments] {
    run = [&context, arguments] { return run_report(context, *arguments); };
  });
}

}  // namespace leeway::app
