#include "apps/leeway/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "apps/leeway/nn_loader.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/describe/json.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

// Runs `load`, and notes the model that it brings and what was decided about it.
template <class Load>
auto noted(Context& context, const ModelFlags& flags, const Load& load) {
  static std::optional<HardStop> stop;
  stop.emplace(fmt::format("interrupted: model {} did not return", display_name(flags.model)));
  (void)context.progress();  // hears signals
  auto loaded = load(model_session(context.threads));
  const nn::ModelInfo& info = loaded.model->info();
  if (info.confinement.empty()) stop.reset();  // no program: its passes end
  if (!context.inputs.has(flags.model)) {
    context.add_input(flags.model, {info.parameters});
    if (!info.notes_file.empty()) context.add_input(info.notes_file, {});
    for (const auto& file : {flags.reading.classes, flags.reading.templates, flags.reading.vocabulary})
      if (file && std::filesystem::is_regular_file(*file)) context.add_input(*file, {});
  }
  for (const std::string& line : loaded.warnings) context.warn(line);
  return loaded;
}

}  // namespace

std::vector<std::string> identity_of(const ModelFlags& flags) {
  tasks::ModelReading reading = flags.reading;
  std::vector<std::string> all{contents_of(flags.model), digest_of([&](Fields& f) { fields(reading, f); })};
  for (const auto& file : {reading.classes, reading.templates, reading.vocabulary})
    if (file && std::filesystem::is_regular_file(*file)) all.push_back(contents_of(*file));
  return all;
}

void add_device_flag(const Command& command, std::string& device) {
  if constexpr (LEEWAY_CUDA)
    command.option("--device", device, "Where models run: cpu, cuda or cuda:1").group("Common");
}

void add_layout_flag(const Command& command, ModelFlags& flags) {
  add_option_flags(command, [&](Fields& f) { layout_field(flags.reading, f); });
}

void add_picture_flags(const Command& command, data::PictureOptions& pictures) {
  add_option_flags(
      command, [&](Fields& f) { fields(pictures, f); }, "Folders of pictures");
  command.reads({"--picture-labels"});
}

void add_model_flags(const Command& command, ModelFlags& flags) {
  command.option("--model", flags.model, model_help).required();
  command.reads({"--model"});
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.reading, f); });
  add_device_flag(command, flags.reading.device);
}

std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                      const nn::InputShape& input) {
  return noted(context, flags,
               [&](const nn::Session& session) {
                 tasks::LoadedModel loaded{
                     session.load(tasks::source_of(flags.model, flags.reading, input)), {}, {}};
                 loaded.warnings = loaded.model->info().notes;
                 return loaded;
               })
      .model;
}

std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags, Images& images) {
  auto model = load_model(context, flags, nn::shape_of(images));
  if (const auto line = tasks::take_middle(model->info(), images)) context.warn(*line);
  tasks::align_classes(*model, images);
  return model;
}

std::optional<nn::WeightsFile> unknown_weights(Context& context, const ModelFlags& flags,
                                               const nn::InputShape& input) {
  auto file =
      model_session(context.threads).weights_of_unknown(tasks::source_of(flags.model, flags.reading, input));
  if (!file) return file;
  context.add_input(flags.model, {file->info.parameters});
  if (!file->info.notes_file.empty()) context.add_input(file->info.notes_file, {});
  return file;
}

tasks::LoadedModel load_checked_model(Context& context, const ModelFlags& flags, Images& images) {
  return noted(context, flags, [&](const nn::Session& session) {
    return tasks::load_model(session, flags.model, flags.reading, images);
  });
}

ModelAndImages load_model_and_inputs(Context& context, const ModelFlags& flags, const std::string& data) {
  ArrayMap others;
  Images images = tasks::read_data(data, flags.reading, others);
  if (!context.inputs.has(data)) context.add_input(data, images.own_shape());  // lists meet it again
  tasks::LoadedModel loaded = load_checked_model(context, flags, images);
  return {std::move(loaded), std::move(images), std::move(others)};
}

std::optional<std::vector<std::size_t>> keep_rows(Context& context, ModelAndImages& loaded,
                                                  const tasks::OutputsReading& flags) {
  auto rows = open_rows(context, flags, loaded.images.n());
  if (!rows) return rows;
  loaded.others = tasks::take_rows(loaded.others, loaded.images.n(), *rows);
  loaded.images = select_rows(loaded.images, *rows);
  return rows;
}

void add_models_flags(const Command& command, ModelsAndData& flags) {
  command.option("--model", flags.models,
                 std::string(model_help) + "; each model runs on each set of images");
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.reading.reading, f); });
  add_device_flag(command, flags.reading.reading.device);
  command.option("--data", flags.data, std::string(inputs_help) + "; one or several");
  command.reads({"--model", "--data"});
  add_layout_flag(command, flags.reading);
  add_picture_flags(command, flags.reading.reading.pictures);
}

std::string braces_of(const ModelsAndData& flags) {
  std::string text = flags.models.size() > 1 ? "{model}" : "";
  if (flags.data.size() > 1) text += text.empty() ? "{data}" : "-{data}";
  return text;
}

double parse_number(const std::string& option, const std::string& text) {
  const auto value = parse_fraction(text);
  if (!value) refuse_value(option, text, "expected a number such as 0.1 or 8/255");
  return *value;
}

std::map<std::string, double> parse_settings(const std::vector<std::string>& settings) {
  std::map<std::string, double> values;
  for (const std::string& text : settings) {
    const auto [name, value] = split_name(text);
    if (name.empty()) refuse_value("--set", text, "expected NAME=NUMBER");
    values[name] = parse_number("--set", value);
  }
  return values;
}

std::string contents_of(const std::string& path) {
  if (path.empty() || path.find(':') != std::string::npos) return path;
  if (!is_folder(path)) return digest_file(path);
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const auto size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
    const auto changed = entry.last_write_time(error).time_since_epoch().count();
    files.push_back(fmt::format("{} {} {}", entry.path().filename().string(), size, changed));
  }
  std::ranges::sort(files);
  std::string text = path;
  for (const std::string& file : files) text += "\n" + file;
  return text;
}

void require_out(const Context& context, const std::string& what) {
  if (context.out.empty()) throw UsageError(fmt::format("--out FILE is required: where to write {}", what));
}

Images open_images(Context& context, const std::string& data, const data::PictureOptions& pictures) {
  auto folder = data::pictures_at(data, pictures);
  Images images = folder ? in_memory(*std::move(folder)) : read_images(data);
  context.add_input(data, images.pixels.shape);
  if (!images.doubt.empty()) context.warn(images.doubt);
  return images;
}

data::RowSplit open_split(Context& context, const std::string& index, std::size_t n) {
  data::RowSplit split = data::read_split(index, n);
  if (!context.inputs.has(index)) context.add_input(index, {split.rows, 2});
  return split;
}

std::optional<std::vector<std::size_t>> open_rows(Context& context, const tasks::OutputsReading& flags,
                                                  std::size_t n) {
  if (flags.split && !flags.index) throw UsageError("--split requires --index");
  if (flags.index && !flags.split) throw UsageError("--split is required with --index: train, val, test");
  if (!flags.index) return std::nullopt;
  return tasks::rows_called(open_split(context, *flags.index, n), *flags.split, *flags.index);
}

Images open_images(Context& context, const std::string& data, const tasks::OutputsReading& rows,
                   const data::PictureOptions& pictures) {
  Images images = open_images(context, data, pictures);
  const auto taken = open_rows(context, rows, images.n());
  return taken ? select_rows(images, *taken) : images;
}

std::vector<NamedImages> open_named_images(Context& context, const std::vector<std::string>& texts) {
  std::vector<NamedImages> files;
  for (const std::string& text : texts) {
    const auto [name, path] = split_name(text);
    if (path.empty()) refuse_value("--images", text, "expected [[MODEL/]SHIFT=]FILE");
    files.push_back({name, open_images(context, path)});
  }
  return files;
}

}  // namespace leeway::app
