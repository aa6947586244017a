#include "leeway/tasks/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "leeway/core/rows.h"
#include "leeway/io/columns.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/variation.h"

namespace leeway::tasks {
namespace {

std::string name_of(const nn::Model& model) { return display_name(model.info().path); }

}  // namespace

nn::ModelSource source_of(const std::string& path, const ModelReading& reading, const nn::InputShape& input) {
  nn::ModelSource source;
  source.path = path;
  source.architecture = reading.arch.value_or("");
  source.scale = reading.scale;
  data::Preprocessing preset = data::preprocessing_of(reading.pictures);
  for (const auto& [given, known, to] :
       {std::tuple(&reading.mean, &preset.mean, &source.mean), {&reading.std, &preset.std, &source.std}})
    if (const auto& values = given->empty() ? *known : *given; !values.empty()) *to = values;
  source.input = input;
  source.binary = binary_of(reading.binary);
  source.trust = reading.trust;
  source.device = reading.device;
  if (reading.classes) source.classes = class_names_in(*reading.classes);
  if (const auto& text = reading.templates)
    source.templates = text->find("{}") == std::string::npos ? class_names_in(*text) : std::vector{*text};
  source.vocabulary = reading.vocabulary.value_or("");
  return source;
}

Layout layout_of(const ModelReading& reading) {
  for (const Layout layout : every_layout)
    if (name_of(layout) == reading.layout) return layout;
  refuse("layout", "auto, nchw, nhwc, nhw or rows", in_quotes(reading.layout));
}

Images read_data(const std::string& path, const ModelReading& reading, ArrayMap& others) {
  if (auto images = data::pictures_at(path, reading.pictures)) {
    others.clear();
    return *std::move(images);
  }
  return read_inputs(path, others, layout_of(reading));
}

nn::InputShape shape_of(const std::vector<std::size_t>& sizes) {
  if (sizes.empty() || sizes.size() > 3) return {};
  const auto size = [&](std::size_t i) { return i < sizes.size() ? sizes[i] : 1; };
  return {size(0), size(1), size(2), sizes.size() + 1};
}

std::vector<std::size_t> sizes_of(const nn::InputShape& shape) {
  std::vector<std::size_t> sizes{shape.channels, shape.height, shape.width};
  sizes.resize(shape.rank - 1);
  return sizes;
}

LoadedModel load_model(const nn::Session& session, const std::string& path, const ModelReading& reading,
                       Images& images) {
  LoadedModel loaded{session.load(source_of(path, reading, nn::shape_of(images))), {}, {}};
  for (const std::string* const line : {&images.note, &images.doubt})
    if (!line->empty()) loaded.warnings.push_back(*line);
  for (const std::string& line : loaded.model->info().notes) loaded.warnings.push_back(line);
  if (auto line = take_middle(loaded.model->info(), images)) loaded.warnings.push_back(std::move(*line));
  align_classes(*loaded.model, images);
  loaded.stochastic = check_variation(*loaded.model, images, reading.stochastic);
  if (loaded.stochastic) loaded.warnings.push_back(variation_warning(*loaded.model, *loaded.stochastic));
  for (std::string& line : normalization_warnings(*loaded.model, images))
    loaded.warnings.push_back(std::move(line));
  return loaded;
}

std::optional<std::string> take_middle(const nn::ModelInfo& model, Images& images) {
  const std::size_t side = model.crop, height = images.height(), width = images.width();
  if (side == 0 || images.are_rows() || std::min(height, width) < side || (height == side && width == side))
    return std::nullopt;
  images = middle_of(images, side);
  return fmt::format(
      "{}: center crops of {} x {} pixels are taken from {} x {}, because {} was trained on crops (--crop)",
      display_name(images.path), side, side, height, width, display_name(model.path));
}

void align_classes(const nn::Model& model, Images& images) {
  if (images.class_names.empty() && model.info().class_names.empty()) return;
  std::size_t k = model.info().classes;
  if (k == 0) {  // known after the first images
    Images one = select_rows(images, std::vector<std::size_t>{0});
    one.labels.reset();
    k = model.outputs(one).k();
  }
  leeway::align_classes({name_of(model), k, false, model.info().class_names}, images);
}

std::optional<nn::Variation> check_variation(const nn::Model& model, const Images& images, bool taken) {
  const auto found = model.variation(images);
  if (found && !taken)
    refuse(name_of(model),
           "the same outputs for the same images (call model.eval() before the export to switch off dropout "
           "and batch statistics; --stochastic accepts the model as it is)",
           variation_text(*found, "image"));
  return found;
}

std::string variation_warning(const nn::Model& model, const nn::Variation& variation) {
  return fmt::format("{}: {}: its results are not repeatable", name_of(model),
                     variation_text(variation, "image"));
}

// doubt_of_first_label by some of the images.
static std::optional<std::string> first_label_warning(const nn::Model& model, const Images& images) {
  constexpr std::size_t most = 256;
  if (!images.labels) return {};
  const std::vector<std::size_t> all = rows_with_labels(*images.labels);
  if (all.empty() || std::ranges::find(*images.labels, 0) != images.labels->end()) return {};
  std::vector<std::size_t> rows(std::min(most, all.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = all[i * all.size() / rows.size()];
  const Outputs outputs = model.outputs(select_rows(images, rows));
  const std::string doubt = doubt_of_first_label(Rows(outputs.logits), *outputs.labels);
  if (doubt.empty()) return {};
  return fmt::format("{}: no label is 0, and {} has {}: subtract 1 from the labels",
                     display_name(images.path), name_of(model), doubt);
}

std::vector<std::string> normalization_warnings(const nn::Model& model, const Images& images) {
  if (auto line = first_label_warning(model, images)) return {*std::move(line)};
  const auto other = model.other_normalization(images);
  if (!other) return {};
  const auto named = [](const nn::NamedNormalization& one) {
    return fmt::format("{} ({})", one.name, flags_of(one.normalization));
  };
  std::string others;
  for (const nn::NamedNormalization& one : other->others) others += (others.empty() ? "" : ", ") + named(one);
  return {
      fmt::format("{} is right on {:.0f}% of {} images with its declared normalization ({}), but on {:.0f}% "
                  "with the normalization of {}{}: the declared normalization may be wrong",
                  name_of(model), 100 * other->declared_accuracy, other->n,
                  flags_of(model.info().normalization), 100 * other->accuracy, named(other->best),
                  others.empty() ? "" : fmt::format(", which is equivalent here to {}", others))};
}

Measured accuracy_of(const Outputs& outputs) {
  const std::vector<std::int32_t> predicted = assess::predict(outputs.logits, outputs.path).classes;
  std::size_t right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == (*outputs.labels)[i];
  const std::size_t known = count_labels(*outputs.labels);
  return known == 0 ? Measured{} : assess::share(right, known, .95);
}

}  // namespace leeway::tasks
