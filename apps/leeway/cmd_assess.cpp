// leeway assess: what outputs on a source and on shifted targets permit to say.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/shards.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/chunks.h"
#include "leeway/tasks/assess/gates.h"
#include "leeway/tasks/assess/rows.h"
#include "leeway/tasks/average_case/models_under_noise.h"
#include "leeway/tasks/report/page.h"

namespace leeway::app {
namespace {

struct NoiseFlags {
  std::vector<std::string> models, jacobians;  // [NAME=]FILE
  tasks::NoiseOptions options;
  tasks::ModelReading reading;  // of every model
};

struct Arguments {
  std::vector<std::string> sources, targets, images, gates;
  std::string rows, junit;
  tasks::AssessOptions options;
  NoiseFlags noise;
};

struct NamedFile {
  std::string model, shift, path;
  bool series = false;  // a pattern without a name: each of its files is a chunk of time
};

// [MODEL=]FILE as name and path.
std::pair<std::string, std::string> model_and_file(const std::string& option, const std::string& text) {
  auto [model, path] = split_name(text);
  if (model.find('/') != std::string::npos) return {"", text};  // a path that has "="
  if (path.empty()) refuse_value(option, text, "expected [MODEL=]FILE");
  return {model, path};
}

std::vector<NamedFile> parse_sources(const std::vector<std::string>& texts) {
  std::vector<NamedFile> sources;
  for (const std::string& text : texts) {
    auto [model, path] = model_and_file("--source", text);
    if (model.empty()) model = "model";
    if (std::ranges::count(sources, model, &NamedFile::model) > 0)
      refuse_value("--source", text, fmt::format("model \"{}\" already has a source", model));
    sources.push_back({model, "", path});
  }
  return sources;
}

void require_source(const std::vector<NamedFile>& sources, const std::string& model,
                    const std::string& option, const std::string& text) {
  if (std::ranges::count(sources, model, &NamedFile::model) == 0)
    refuse_value(option, text, fmt::format("no --source names the model \"{}\"", model));
}

// "prod" of "data/prod.npz", "week" of "week-*.npz".
std::string stem_of(const std::string& path) {
  std::string stem = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
  std::erase_if(stem, [](char c) { return c == '*' || c == '?'; });
  while (stem.ends_with('-') || stem.ends_with('_') || stem.ends_with('.')) stem.pop_back();
  return stem.empty() ? path : stem;
}

// Whether a text without a name is a pattern, of which the shell has left the stars. UsageError: no file matches it.
bool is_pattern(const std::string& text) {
  if (text.find_first_of("*?") == std::string::npos || is_there(text)) return false;
  try {
    (void)expand_paths(text);
  } catch (const Error&) {
    refuse_value("--target", text, "no file matches");
  }
  return true;
}

// [[MODEL/]SHIFT=]FILE. The shift's name is the file's where none is given. A single model need not be named; what
// stands before the first "/" of a name must be a model otherwise.
NamedFile parse_target(const std::string& text, const std::vector<NamedFile>& sources) {
  auto [name, path] = split_name(text);
  if (path.empty()) refuse_value("--target", text, "expected [[MODEL/]SHIFT=]FILE");
  const bool series = is_pattern(path) && name.empty();
  if (name.empty()) name = stem_of(path);
  const auto slash = name.find('/');
  if (slash == std::string::npos) {
    if (sources.size() > 1)
      refuse_value("--target", text,
                   fmt::format("expected MODEL/SHIFT=FILE, because there are {} models", sources.size()));
    return {sources.front().model, name, path, series};
  }
  const std::string model = name.substr(0, slash);
  require_source(sources, model, "--target", text);
  return {model, name.substr(slash + 1), path};
}

std::vector<NamedFile> parse_targets(const std::vector<std::string>& texts,
                                     const std::vector<NamedFile>& sources) {
  std::vector<NamedFile> targets;
  std::set<std::pair<std::string, std::string>> names;
  for (const std::string& text : texts) {
    const NamedFile& target = targets.emplace_back(parse_target(text, sources));
    if (target.shift.empty()) refuse_value("--target", text, "expected [MODEL/]SHIFT=FILE");
    if (!names.insert({target.model, target.shift}).second)
      refuse_value("--target", text,
                   fmt::format("model \"{}\" already has a target \"{}\"", target.model, target.shift));
  }
  for (const NamedFile& source : sources)
    if (std::ranges::count(targets, source.model, &NamedFile::model) == 0)
      refuse_value("--source", source.path, fmt::format("no --target for the model \"{}\"", source.model));
  return targets;
}

// What labels and groups of files of their own may be called: "prod", "cnn/prod".
std::vector<std::string> names_of_target(const NamedFile& target) {
  return {target.shift, target.model + "/" + target.shift};
}

// What reading warns of is told with the results that it concerns.
OutputsShards open_outputs(Context& context, const NamedFile& file, const tasks::OutputsReading& reading) {
  const auto names = file.shift.empty() ? std::vector<std::string>() : names_of_target(file);
  return context.inputs.open_set(file.path, tasks::reading_for(reading, names), tasks::SetRole::first);
}

// The files of a pattern as chunks, by their names without folder and ending where those differ.
std::vector<tasks::AssessFile> chunks_of(const OutputsShards& set) {
  std::set<std::string> stems;
  for (const OutputsFile& file : set.files) stems.insert(stem_of(file.path));
  std::vector<tasks::AssessFile> files;
  for (const OutputsFile& file : set.files)
    files.push_back({stems.size() == set.files.size() ? stem_of(file.path) : file.path, file.shape.at(0)});
  return files;
}

tasks::AssessTarget open_target(Context& context, const NamedFile& file,
                                const tasks::AssessOptions& options) {
  OutputsShards set = open_outputs(context, file, tasks::target_reading(options));
  tasks::AssessTarget target{file.model, file.shift, {}, {}};
  if (file.series && !options.index) target.files = chunks_of(set);  // a split may take rows of any file
  target.outputs = joined(std::move(set));
  return target;
}

// UsageError: a name that no target has. Error: another number of images than rows.
void check_images(const NamedImages& file, const tasks::AssessTask& task) {
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

// A model, or the Jacobians of one, by the name that --source gives it.
struct NoiseInput {
  std::string name, path;
  bool model = false;
};

NoiseInput parse_noise_input(const std::string& option, const std::string& text,
                             const std::vector<NamedFile>& sources) {
  auto [name, path] = model_and_file(option, text);
  if (name.empty() && sources.size() > 1)
    refuse_value(option, text,
                 fmt::format("expected MODEL=FILE, because there are {} models", sources.size()));
  if (name.empty()) name = sources.front().model;
  require_source(sources, name, option, text);
  return {name, path, option == "--model"};
}

// UsageError: an unknown or missing source name, two inputs of one name, no --sigma, no source images.
std::vector<NoiseInput> parse_noise(const NoiseFlags& flags, const std::vector<NamedFile>& sources,
                                    bool source_images) {
  if (flags.models.empty() && flags.jacobians.empty() && !flags.options.sigma.empty())
    throw UsageError("--sigma requires --model or --jacobian, for predictions under noise");
  std::vector<NoiseInput> inputs;
  const auto add = [&](const std::string& option, const std::string& text) {
    NoiseInput input = parse_noise_input(option, text, sources);
    for (const NoiseInput& other : inputs)
      if (other.name == input.name)
        refuse_value(
            option, text,
            fmt::format("model \"{}\" already has a {}", input.name, other.model ? "--model" : "--jacobian"));
    if (flags.options.sigma.empty())
      refuse_value(option, text,
                   "expected --sigma, the standard deviations of the noise, e.g. --sigma 0.05,0.1");
    if (input.model && !source_images)
      refuse_value(option, text, "expected --images FILE, the images of the source");
    inputs.push_back(std::move(input));
  };
  for (const std::string& text : flags.models) add("--model", text);
  for (const std::string& text : flags.jacobians) add("--jacobian", text);
  return inputs;
}

// Opened, and found to fit their sources; `models` keeps what they point to.
std::vector<tasks::NoiseSubject> open_noise(Context& context, const NoiseFlags& flags,
                                            const std::vector<NoiseInput>& inputs,
                                            const tasks::AssessTask& task,
                                            const std::vector<NamedImages>& images,
                                            std::vector<std::unique_ptr<ModelAndImages>>& models) {
  const auto source_images = std::ranges::find(images, "", &NamedImages::name);
  std::vector<tasks::NoiseSubject> subjects;
  for (const NoiseInput& input : inputs) {
    const auto& source = *std::ranges::find(task.sources, input.name, &tasks::AssessSource::model);
    tasks::NoiseSubject& subject =
        *subjects.insert(subjects.end(), {input.name, input.path, &source.outputs});
    if (source_images != images.end()) subject.images = &source_images->images;
    if (input.model) {
      ModelAndImages& loaded = *models.emplace_back(std::make_unique<ModelAndImages>());
      loaded.images = *subject.images;
      loaded.model = load_model(context, {input.path, flags.reading}, loaded.images);
      subject.model = loaded.model.get(), subject.images = &loaded.images;
      subject.stochastic = tasks::check_variation(*subject.model, *subject.images, flags.reading.stochastic);
    } else {
      subject.jacobian = tasks::only_array(context.inputs, input.path);
      tasks::check_jacobian(subject);
    }
  }
  return subjects;
}

void tell_gates(Context& context, const tasks::Assess& record) {
  for (const tasks::AssessGate& gate : record.gates) {
    if (gate.violated()) context.warn(tasks::gate_words(gate, record.results.size()));
    for (const auto& missing : gate.not_computed)
      context.warn(fmt::format("gate {}: not decided for {} under {}: {}", gate.gate, missing.model,
                               missing.target, missing.reason));
  }
}

int run_assess(Context& context, const Arguments& arguments) {
  const std::vector<NamedFile> source_files = parse_sources(arguments.sources);
  const std::vector<NamedFile> target_files = parse_targets(arguments.targets, source_files);
  for (const std::string& text : arguments.gates)
    (void)assess::parse_gate(text);  // before anything is opened
  if (!arguments.junit.empty() && arguments.gates.empty())
    throw UsageError("--junit requires --fail-if, which defines the gates");
  if (arguments.options.chunk) (void)assess::parse_chunk_size(*arguments.options.chunk);
  (void)tasks::target_reading(arguments.options);
  if (!arguments.images.empty() && !context.wants_page() && arguments.noise.models.empty())
    throw UsageError("--images requires --report or --model");
  const std::vector<NoiseInput> noise_inputs = parse_noise(
      arguments.noise, source_files,
      std::ranges::any_of(arguments.images, [](const auto& text) { return split_name(text).first.empty(); }));

  std::vector<std::string> names;
  for (const NamedFile& file : target_files)
    std::ranges::copy(names_of_target(file), std::back_inserter(names));
  tasks::require_names(arguments.options, names);

  tasks::AssessTask task;
  for (const NamedFile& file : source_files)
    task.sources.push_back(
        {file.model, joined(open_outputs(context, file, tasks::source_reading(arguments.options)))});
  for (const NamedFile& file : target_files)
    task.targets.push_back(open_target(context, file, arguments.options));

  const std::vector<NamedImages> images = open_named_images(context, arguments.images);
  for (const NamedImages& file : images) check_images(file, task);
  NoiseFlags noise = arguments.noise;
  noise.reading.binary = arguments.options.binary, noise.reading.classes = arguments.options.class_names;
  std::vector<std::unique_ptr<ModelAndImages>> models;
  const auto subjects = open_noise(context, noise, noise_inputs, task, images, models);

  task.options = arguments.options;
  if (!task.options.unit && !arguments.images.empty()) task.options.unit = "images";
  task.gates = arguments.gates;
  task.seed = context.seed;
  std::optional<assess::RowsFile> rows;
  if (!arguments.rows.empty()) {
    rows.emplace(arguments.rows);
    task.rows = [&](const tasks::AssessRows& found) { rows->write(found); };
  }
  if (!subjects.empty())
    task.noise = [&] {
      return tasks::models_under_noise(subjects, noise.options, context.seed, context.progress());
    };
  const tasks::Assess result = context.completed(
      tasks::assess(subjects.empty() ? std::move(task) : tasks::AssessTask(task), context.progress()));

  if (rows) rows->commit();
  context.warn_of(result.envelope);
  for (const tasks::ModelUnderNoise& model : result.average_case)
    for (const std::string& warning : model.warnings)
      context.warn(fmt::format("{}: {}", model.model, warning));
  tell_gates(context, result);
  std::vector<tasks::PictureSource> pictures;
  if (context.wants_page())
    for (const NamedImages& file : images) pictures.push_back({file.name, &file.images});
  if (!arguments.junit.empty()) write_text(arguments.junit, tasks::junit(result));
  return context.end(to_json(result), tasks::view(result, tasks::flip_pictures(result, pictures)),
                     result.passed() ? exit_ok : exit_gate);
}

void add_noise_flags(const Command& command, NoiseFlags& flags) {
  const std::string group = "Noise";
  command.option(
      "--model", flags.models,
      "[MODEL=]FILE: model to evaluate under noise on the source's --images: TorchScript, .onnx, .pt2, a "
      "PyTorch checkpoint (.pt, .pth, .th), .safetensors, or .npz of named tensors");
  command.option(
      "--jacobian", flags.jacobians,
      "[MODEL=]FILE: Jacobians of the source's logits with respect to the input, (n,k,d), .npy, in "
      "place of a model");
  command.group(group, {"--model", "--jacobian"});
  add_option_flags(
      command, [&](Fields& f) { fields(flags.options, f); }, group);
  const auto reading = [&](Fields& f) {
    file_fields(flags.reading, f);
    stochastic_field(flags.reading, f);
  };
  add_option_flags(command, reading, group);
  add_device_flag(command, flags.reading.device);
}

}  // namespace

void add_assess(const Command& root, Context& context) {
  const Command command = root.add("assess", "Assess a classifier on shifted data, given its outputs");
  auto& arguments = command.keep<Arguments>();
  command.option("--source", arguments.sources, "[MODEL=]FILE: outputs on the source data").required();
  command
      .option("--target", arguments.targets,
              "[[MODEL/]SHIFT=]FILE: outputs on shifted data; SHIFT defaults to the file's name; a quoted "
              "pattern such as 'week*.npz' makes every file a chunk of time")
      .required();
  command.option("--images", arguments.images,
                 "[[MODEL/]SHIFT=]FILE: images of the source (without a name) or of a target, for the report "
                 "and --model");
  command.option("--rows-csv", arguments.rows, "Write predictions, confidences and flips of every row as CSV")
      .writes(Written::file);
  context.add_page_flag(command);
  command
      .option("--fail-if", arguments.gates,
              "Gate KEY OP NUMBER, such as \"accuracy<0.8\": exit 4 if the condition holds")
      .one_word();
  command.prints("--list-keys", assess::gate_key_list,
                 "Print the keys of gates with their ranges and meanings");
  command.option("--junit", arguments.junit, "Write the gates as JUnit XML, for CI systems")
      .writes(Written::file);
  add_option_flags(command, arguments.options);
  command.group("Time", {"--chunk", "--time-column"});
  command.group("Bounds", {"--no-bounds", "--restarts", "--delta", "--bootstrap"});
  add_noise_flags(command, arguments.noise);
  command.reads({"--source", "--target", "--images", "--model", "--jacobian"});
  context.add_common_flags(command);
  command.footer(
      "Outputs files (.npz, .safetensors, .npy, .csv) hold `logits` or `probs`, and optionally `labels`, "
      "`groups` and `class_names`. Intervals have level 95%: Clopper-Pearson for shares; the interval of "
      "agreement accounts for disagreeing pairs missing from the sample.\n\n"
      "  leeway assess --source val.npz --target prod=monday.npz --report page.html\n"
      "  leeway assess --source cnn=c.npz robust=r.npz --target cnn/blur=cb.npz robust/blur=rb.npz\n"
      "  leeway assess --source val.npz --target noise=noise.npz --fail-if \"worst_class.accuracy<0.6\"\n"
      "  leeway assess --source val.csv --target prod=prod.csv --chunk 1d --fail-if \"accuracy<0.8\"\n"
      "  leeway assess --source val.npz --target 'week*.npz' --report page.html\n"
      "  leeway assess --source val.npz --target noise=noise.npz --model cnn.pt --images val_images.npz "
      "--sigma 0.05,0.1");
  command.runs([&context, &arguments] { return run_assess(context, arguments); });
}

}  // namespace leeway::app
