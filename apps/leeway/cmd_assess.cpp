// leeway assess: what outputs on a source and on shifted targets permit to say.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "apps/leeway/assess_average_case.h"
#include "apps/leeway/command.h"
#include "apps/leeway/options.h"
#include "leeway/assess/assess.h"
#include "leeway/assess/gates.h"
#include "leeway/assess/rows.h"
#include "leeway/assess/table.h"
#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/images.h"
#include "leeway/core/shards.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

struct Arguments {
  std::vector<std::string> sources, targets, images, gates;
  assess::Paired paired = assess::Paired::automatic;
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
  std::string unit, rows, report, undecided = "pass";
  bool no_bounds = false;
  assess::BoundOptions bounds;
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

std::vector<assess::Gate> parse_gates(const std::vector<std::string>& texts) {
  std::vector<assess::Gate> gates;
  try {
    for (const std::string& text : texts) gates.push_back(assess::parse_gate(text));
  } catch (const Error& mistake) {
    throw UsageError(mistake.what());
  }
  return gates;
}

std::vector<assess::GateOutcome> check_gates(const std::vector<assess::Gate>& gates, const Json& results) {
  std::vector<assess::GateOutcome> outcomes;
  try {
    for (const assess::Gate& gate : gates) outcomes.push_back(assess::check_gate(gate, results));
  } catch (const Error& mistake) {
    throw UsageError(mistake.what());
  }
  return outcomes;
}

Outputs open_outputs(Context& context, const std::string& path, const Arguments& arguments) {
  // assess() looks at every logit anyway and names the row that is not finite; what reading warns of is told
  // with the results that it concerns.
  OutputsShards shards =
      read_shards(path, {.binary = arguments.binary, .check_finite = false, .as = arguments.as});
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
void check_images(const ImageFile& file, const std::vector<assess::Source>& sources,
                  const std::vector<assess::Target>& targets) {
  bool known = file.name.empty();
  const auto expect = [&](const Outputs& outputs) {
    if (outputs.n() != file.images.n())
      throw Error(fmt::format("{}: expected {} images, one for each row of {}, found {}", file.images.path,
                              outputs.n(), outputs.path, file.images.n()));
  };
  if (known)
    for (const assess::Source& source : sources) expect(source.outputs);
  for (const assess::Target& target : targets)
    if (file.name == target.shift || file.name == target.model + "/" + target.shift) {
      known = true;
      expect(target.outputs);
    }
  if (!known) throw UsageError(fmt::format("--images {}=...: no --target has this name", file.name));
}

std::vector<ImageFile> open_images(Context& context, const std::vector<std::string>& texts,
                                   const std::vector<assess::Source>& sources,
                                   const std::vector<assess::Target>& targets) {
  std::vector<ImageFile> files;
  for (const std::string& text : texts) {
    const auto [name, path] = split_name(text);
    files.push_back({name, read_images(path)});
    context.add_input(path, files.back().images.pixels.shape);
    check_images(files.back(), sources, targets);
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

void write_report(const std::string& path, const Json& record, const std::vector<ImageFile>& images) {
  std::vector<report::PictureSource> pictures;
  for (const ImageFile& file : images) pictures.push_back({file.name, &file.images});
  write_text(path, report::html_report(record, report::flip_pictures(record, pictures)));
}

// Adds a line for each gate to the table.
void tell_gates(Context& context, const std::vector<assess::GateOutcome>& outcomes, std::string& table) {
  for (const assess::GateOutcome& outcome : outcomes) {
    table += assess::describe(outcome) + "\n";
    if (!outcome.violations.empty()) context.warn("leeway: " + assess::describe(outcome));
    for (const auto& missing : outcome.missing)
      context.warn(fmt::format("leeway: gate {}: not decided for {} under {}: {}", outcome.gate.text,
                               missing.model, missing.target, missing.reason));
  }
}

// Each warning once, with the results that it concerns.
void tell_warnings(Context& context, const Json& results) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> concerned;
  for (const Json& result : results)
    for (const std::string warning : result["warnings"]) {
      auto& list = concerned[warning];
      if (list.empty()) order.push_back(warning);
      list.push_back(result["model"].get<std::string>() + "/" + result["target"].get<std::string>());
    }
  for (const std::string& warning : order) {
    const auto& list = concerned[warning];
    context.warn(fmt::format("leeway: {}{}: {}", list.front(),
                             list.size() > 1 ? fmt::format(" and {} more", list.size() - 1) : "", warning));
  }
}

int run_assess(Context& context, const Arguments& arguments) {
  const std::vector<NamedFile> source_files = parse_sources(arguments.sources);
  const std::vector<NamedFile> target_files = parse_targets(arguments.targets, source_files);
  const std::vector<assess::Gate> gates = parse_gates(arguments.gates);
  const std::vector<NoiseInput> noise_inputs = parse_noise(arguments, source_files);

  context.start_clock();
  std::vector<assess::Source> sources;
  std::vector<assess::Target> targets;
  for (const NamedFile& file : source_files)
    sources.push_back({file.model, open_outputs(context, file.path, arguments)});
  for (const NamedFile& file : target_files)
    targets.push_back({file.model, file.shift, open_outputs(context, file.path, arguments)});

  const std::vector<ImageFile> images = open_images(context, arguments.images, sources, targets);
  NoiseFlags noise = arguments.noise;
  noise.reading.binary = arguments.binary;
  const std::vector<NoiseSubject> subjects =
      open_noise_subjects(context, noise, noise_inputs, sources, source_images(images));

  assess::Options options;
  options.paired = arguments.paired;
  options.seed = context.seed;
  options.unit = !arguments.unit.empty() ? arguments.unit : arguments.images.empty() ? "samples" : "images";
  options.bounds = arguments.bounds;
  options.bounds.compute = !arguments.no_bounds;
  std::optional<assess::RowsFile> rows;
  if (!arguments.rows.empty()) {
    rows.emplace(arguments.rows);
    options.rows = [&](const assess::TargetRows& found) { rows->write(found); };
  }
  Json assessment = assess::assess(sources, targets, options, context.progress());
  const std::vector<assess::GateOutcome> outcomes = check_gates(gates, assessment["results"]);
  if (!subjects.empty()) assessment["average_case"] = noise_json(context, arguments.noise, subjects);
  context.stop_clock();

  if (rows) rows->commit();
  Json record = context.record("leeway.assess/1", Json::array());
  record.erase("results");  // the largest part comes last
  Json results = std::move(assessment["results"]);
  assessment.erase("results");
  for (auto& [key, value] : assessment.items()) record[key] = std::move(value);
  record["gates"] = Json::array();
  for (const assess::GateOutcome& outcome : outcomes) record["gates"].push_back(assess::to_json(outcome));
  record["results"] = std::move(results);

  tell_warnings(context, record["results"]);
  std::string table = assess::table(printable_strings(record));
  tell_gates(context, outcomes, table);
  if (!arguments.report.empty()) write_report(arguments.report, record, images);
  context.write_record(record);
  context.print(record, table);
  const bool failed = std::any_of(outcomes.begin(), outcomes.end(), [&](const assess::GateOutcome& outcome) {
    return !outcome.violations.empty() || (arguments.undecided == "fail" && !outcome.missing.empty());
  });
  return failed ? exit_gate : exit_ok;
}

void add_bound_flags(CLI::App& command, Arguments& arguments) {
  const std::string group = "Bounds";
  command.add_flag("--no-bounds", arguments.no_bounds, "Compute neither the bound nor the estimates")
      ->group(group);
  command
      .add_option("--restarts", arguments.bounds.restarts,
                  "Critics tried for the bound: a further one can only raise it, and takes its time")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--delta", arguments.bounds.delta,
                  "The bound holds with probability 1 - delta, where its assumption does")
      ->check(within(1e-12, .5))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--bootstrap", arguments.bounds.bootstrap,
                  "Replicates of the estimates' intervals; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(group);
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
  command
      ->add_option(
          "--paired", arguments->paired,
          "Row i of a target is row i of its source: auto (where equal labels or ids, or predictions that "
          "agree beyond chance, show it), yes (labels and groups of one hold for the other), no")
      ->transform(CLI::CheckedTransformer(std::map<std::string, assess::Paired>{
          {"auto", assess::Paired::automatic}, {"yes", assess::Paired::yes}, {"no", assess::Paired::no}}))
      ->default_str("auto");
  add_binary_flag(*command, arguments->binary);
  add_as_flag(*command, arguments->as);
  command->add_option(
      "--images", arguments->images,
      "[[MODEL/]SHIFT=]FILE: the source's images (unnamed) or a target's, for the report and for --model");
  command->add_option("--unit", arguments->unit,
                      "What a row is, for sentences: images, reviews (default samples)");
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
  command
      ->add_option("--undecided", arguments->undecided,
                   "What a gate on a number that was not computed does: pass, or fail (exit 4)")
      ->check(CLI::IsMember({"pass", "fail"}).description(""))
      ->type_name("pass|fail")
      ->capture_default_str();
  add_bound_flags(*command, *arguments);
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
