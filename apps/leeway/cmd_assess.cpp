// leeway assess: what outputs on a source and on shifted targets permit to say.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "apps/leeway/assess_average_case.h"
#include "apps/leeway/assess_table.h"
#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/images.h"
#include "leeway/core/shards.h"
#include "leeway/report/report.h"
#include "leeway/tasks/assess.h"
#include "leeway/tasks/assess/gates.h"
#include "leeway/tasks/assess/rows.h"

namespace leeway::app {
namespace {

struct Arguments {
  std::vector<std::string> sources, targets, images, gates;
  std::string rows, report;
  record::AssessOptions options;
  NoiseFlags noise;
};

struct NamedFile {
  std::string model, shift, path;
};

std::vector<NamedFile> parse_sources(const std::vector<std::string>& texts) {
  std::vector<NamedFile> sources;
  std::set<std::string> models;
  for (const std::string& text : texts) {
    auto [model, path] = split_name(text);
    if (model.find('/') != std::string::npos)
      std::tie(model, path) = std::pair{"", text};  // a path that has "="
    if (path.empty()) throw UsageError(fmt::format("--source {}: expected [MODEL=]FILE", text));
    if (model.empty()) model = "model";
    if (!models.insert(model).second)
      throw UsageError(fmt::format("--source {}: model \"{}\" has a source already", text, model));
    sources.push_back({model, "", path});
  }
  return sources;
}

// [MODEL/]SHIFT=FILE. A single model need not be named; what stands before the first "/" must be a model
// otherwise.
NamedFile parse_target(const std::string& option, const std::string& text,
                       const std::vector<NamedFile>& sources) {
  auto [name, path] = split_name(text);
  if (name.empty() || path.empty())
    throw UsageError(fmt::format("{} {}: expected [MODEL/]SHIFT=FILE", option, text));
  const auto slash = name.find('/');
  if (slash == std::string::npos) {
    if (sources.size() > 1 && option == "--target")
      throw UsageError(fmt::format("{} {}: expected MODEL/SHIFT=FILE, as there are {} models", option, text,
                                   sources.size()));
    return {sources.size() == 1 ? sources.front().model : "", name, path};
  }
  const std::string model = name.substr(0, slash);
  for (const NamedFile& source : sources)
    if (source.model == model) return {model, name.substr(slash + 1), path};
  throw UsageError(fmt::format("{} {}: no --source names the model \"{}\"", option, text, model));
}

std::vector<NamedFile> parse_targets(const std::vector<std::string>& texts,
                                     const std::vector<NamedFile>& sources) {
  std::vector<NamedFile> targets;
  std::set<std::pair<std::string, std::string>> names;
  for (const std::string& text : texts) {
    targets.push_back(parse_target("--target", text, sources));
    const NamedFile& target = targets.back();
    if (target.shift.empty()) throw UsageError(fmt::format("--target {}: expected [MODEL/]SHIFT=FILE", text));
    if (!names.insert({target.model, target.shift}).second)
      throw UsageError(fmt::format("--target {}: model \"{}\" has a target \"{}\" already", text,
                                   target.model, target.shift));
  }
  for (const NamedFile& source : sources)
    if (std::none_of(targets.begin(), targets.end(),
                     [&](const NamedFile& t) { return t.model == source.model; }))
      throw UsageError(
          fmt::format("--source {}: no --target for the model \"{}\"", source.path, source.model));
  return targets;
}

// Before anything is opened.
void check_gates(const std::vector<std::string>& texts) {
  try {
    for (const std::string& text : texts) (void)assess::parse_gate(text);
  } catch (const tasks::GateError& mistake) {
    throw UsageError(mistake.what());
  }
}

record::Assess assessed(const tasks::AssessTask& task, Progress* progress) {
  try {
    return tasks::assess(task, progress);
  } catch (const tasks::GateError& mistake) {
    throw UsageError(mistake.what());
  }
}

OutputsOptions reading_of(const record::AssessOptions& options) {
  OutputsOptions reading;
  reading.check_finite = false;  // assess() looks at every logit anyway and names the row that is not finite
  if (options.binary) reading.binary = *options.binary == "prob" ? Binary::prob : Binary::logit;
  if (options.as) reading.as = *options.as == "probs" ? Scores::probs : Scores::logits;
  return reading;
}

// What reading warns of is told with the results that it concerns.
Outputs open_outputs(Context& context, const std::string& path, const Arguments& arguments) {
  OutputsShards shards = read_shards(path, reading_of(arguments.options));
  for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
  return joined(std::move(shards));
}

// The images of the source (no name), of a shift for all models, or of one model's shift.
struct ImageFile {
  std::string name;
  Images images;
};

// Throws UsageError for a name that is no target's, Error for images that are not as many as the rows they
// show.
void check_images(const ImageFile& file, const tasks::AssessTask& task) {
  bool known = file.name.empty();
  const auto expect = [&](const Outputs& outputs) {
    if (outputs.n() != file.images.n())
      throw Error(fmt::format("{}: expected {} images, one for each row of {}, found {}", file.images.path,
                              outputs.n(), outputs.path, file.images.n()));
  };
  if (known)
    for (const tasks::AssessSource& source : task.sources) expect(source.outputs);
  for (const tasks::AssessTarget& target : task.targets)
    if (file.name == target.shift || file.name == target.model + "/" + target.shift) {
      known = true;
      expect(target.outputs);
    }
  if (!known) throw UsageError(fmt::format("--images {}=...: no --target has this name", file.name));
}

std::vector<ImageFile> open_images(Context& context, const std::vector<std::string>& texts,
                                   const tasks::AssessTask& task) {
  std::vector<ImageFile> files;
  for (const std::string& text : texts) {
    const auto [name, path] = split_name(text);
    files.push_back({name, read_images(path)});
    context.add_input(path, files.back().images.pixels.shape);
    check_images(files.back(), task);
  }
  return files;
}

const Images* source_images(const std::vector<ImageFile>& files) {
  for (const ImageFile& file : files)
    if (file.name.empty()) return &file.images;
  return nullptr;
}

// UsageError where images have nothing to be for.
std::vector<NoiseInput> parse_noise(const Arguments& arguments, const std::vector<NamedFile>& sources) {
  if (!arguments.images.empty() && arguments.report.empty() && arguments.noise.models.empty())
    throw UsageError("--images: expected --report or --model beside it");
  std::vector<std::string> names;
  for (const NamedFile& source : sources) names.push_back(source.model);
  return parse_noise_inputs(
      arguments.noise, names,
      std::ranges::any_of(arguments.images, [](const auto& text) { return split_name(text).first.empty(); }));
}

void write_report(const std::string& path, const record::Assess& record,
                  const std::vector<ImageFile>& images) {
  std::vector<report::PictureSource> pictures;
  for (const ImageFile& file : images) pictures.push_back({file.name, &file.images});
  write_text(path, report::html_report(record, report::flip_pictures(record, pictures)));
}

// Adds a line for each gate to the table.
void tell_gates(Context& context, const record::Assess& record, std::string& table) {
  for (const record::AssessGate& gate : record.gates) {
    const std::string said = assess::describe(gate, record.results.size());
    table += said + "\n";
    if (!gate.violations.empty()) context.warn("leeway: " + said);
    for (const auto& missing : gate.not_computed)
      context.warn(fmt::format("leeway: gate {}: not decided for {} under {}: {}", gate.gate, missing.model,
                               missing.target, missing.reason));
  }
}

int run_assess(Context& context, const Arguments& arguments) {
  const std::vector<NamedFile> source_files = parse_sources(arguments.sources);
  const std::vector<NamedFile> target_files = parse_targets(arguments.targets, source_files);
  check_gates(arguments.gates);
  const std::vector<NoiseInput> noise_inputs = parse_noise(arguments, source_files);

  const auto started = std::chrono::steady_clock::now();
  tasks::AssessTask task;
  for (const NamedFile& file : source_files)
    task.sources.push_back({file.model, open_outputs(context, file.path, arguments)});
  for (const NamedFile& file : target_files)
    task.targets.push_back({file.model, file.shift, open_outputs(context, file.path, arguments)});

  const std::vector<ImageFile> images = open_images(context, arguments.images, task);
  NoiseFlags noise = arguments.noise;
  noise.reading.binary = arguments.options.binary;
  const std::vector<NoiseSubject> subjects =
      open_noise_subjects(context, noise, noise_inputs, task.sources, source_images(images));

  task.options = arguments.options;
  if (!task.options.unit && !arguments.images.empty()) task.options.unit = "images";
  task.gates = arguments.gates;
  task.seed = context.seed;
  std::optional<assess::RowsFile> rows;
  if (!arguments.rows.empty()) {
    rows.emplace(arguments.rows);
    task.rows = [&](const tasks::AssessRows& found) { rows->write(found); };
  }
  if (!subjects.empty()) task.noise = [&] { return under_noise(context, arguments.noise, subjects); };
  record::Assess result = assessed(task, context.progress());
  result.envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();

  if (rows) rows->commit();
  for (const std::string& warning : result.envelope.warnings) context.warn("leeway: " + warning);
  std::string table = assess_text(result);
  tell_gates(context, result, table);
  const Json record = context.complete(result);
  if (!arguments.report.empty())
    write_report(arguments.report, record::read_assess(record, "the record"), images);
  context.write_record(record);
  context.print(record, table);
  const bool fail_undecided = result.options.undecided == "fail";
  const bool failed = std::ranges::any_of(result.gates, [&](const record::AssessGate& gate) {
    return !gate.violations.empty() || (fail_undecided && !gate.not_computed.empty());
  });
  return failed ? exit_gate : exit_ok;
}

// The options of the record as flags; those of the bound in a group of their own.
void add_record_flags(CLI::App& command, Arguments& arguments) {
  add_option_flags(command, [&](record::Fields& f) { fields(arguments.options, f); });
  for (const char* flag : {"--no-bounds", "--restarts", "--delta", "--bootstrap"})
    command.get_option(flag)->group("Bounds");
}

}  // namespace

void add_assess(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("assess", "Say how a classifier fares on shifted data, from its outputs");
  const auto arguments = std::make_shared<Arguments>();
  command
      ->add_option("--source", arguments->sources, "[MODEL=]FILE: outputs on the data the model is known on")
      ->required();
  command->add_option("--target", arguments->targets, "[MODEL/]SHIFT=FILE: outputs on shifted data")
      ->required();
  command->add_option(
      "--images", arguments->images,
      "[[MODEL/]SHIFT=]FILE: the source's images (unnamed) or a target's, for the report and for --model");
  context.files.writes(
      command->add_option("--rows", arguments->rows, "Write what happened to every row as CSV"),
      Written::file);
  context.files.writes(
      command->add_option("--report", arguments->report, "Write one self-contained HTML page"),
      Written::page);
  command
      ->add_option("--fail-if", arguments->gates,
                   "KEY OP NUMBER, as in \"accuracy<0.8\": exit 4 where it holds")
      ->allow_extra_args(false);
  add_record_flags(*command, *arguments);
  add_noise_flags(*command, arguments->noise);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "Outputs files (.npz, .safetensors, .npy, .csv) hold `logits` or `probs`, and optionally `labels`, "
      "`groups`\n"
      "and `class_names`. Intervals are of level 95%: Clopper-Pearson for shares; that of agreement counts "
      "pairs "
      "that disagree and were not drawn.\n\n"
      "  leeway assess --source val.npz --target prod=monday.npz --report page.html\n"
      "  leeway assess --source cnn=c.npz robust=r.npz --target cnn/blur=cb.npz robust/blur=rb.npz\n"
      "  leeway assess --source val.npz --target noise=noise.npz --fail-if \"worst_class.accuracy<0.6\"\n"
      "  leeway assess --source val.npz --target noise=noise.npz --model cnn.pt --images val_images.npz "
      "--sigma "
      "0.05,0.1");
  command->callback([&context, &run, arguments] {
    run = [&context, arguments] { return run_assess(context, *arguments); };
  });
}

}  // namespace leeway::app
