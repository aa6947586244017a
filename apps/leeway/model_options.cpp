#include "apps/leeway/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/leeway/nn_loader.h"
#include "apps/leeway/options.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/message.h"
#include "leeway/core/statistics.h"

namespace leeway::app {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string variation_text(const nn::Variation& variation) {
  return fmt::format(
      "logits that differ by up to {:.3g} between two passes of the same {} image{}{} ({} of the "
      "predictions differ)",
      variation.largest, variation.n, variation.n == 1 ? "" : "s",
      variation.neighbours ? ", with others beside them and without" : "", variation.predictions);
}

std::vector<std::int64_t> predicted_classes(const Array& logits) {
  const auto values = logits.view<float>();
  const std::size_t k = logits.shape[1];
  std::vector<std::int64_t> classes(logits.shape[0]);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto row = values.subspan(i * k, k);
    classes[i] = std::max_element(row.begin(), row.end()) - row.begin();
  }
  return classes;
}

}  // namespace

void add_normalization_flags(CLI::App& command, ModelFlags& flags) {
  command
      .add_option("--mean", flags.mean,
                  "The model takes (scale x - mean) / std of pixels x in [0,1]: one number a channel")
      ->delimiter(',');
  command.add_option("--std", flags.std, "See --mean")->delimiter(',');
  command.add_option("--scale", flags.scale, "255 for models that expect pixels 0..255 (default 1)");
}

void add_reading_flags(CLI::App& command, ModelFlags& flags) {
  command.add_option(
      "--arch", flags.architecture,
      "Architecture of named tensors, where the file does not say (see leeway list architectures)");
  command.add_flag("--trust", flags.trust,
                   "Run TorchScript, which is a program, with all your rights; without, it may only compute");
  add_normalization_flags(command, flags);
}

void add_stochastic_flag(CLI::App& command, ModelFlags& flags) {
  command.add_flag("--stochastic", flags.stochastic,
                   "Take a model that answers differently when asked twice: no result of it repeats");
}

void add_model_flags(CLI::App& command, ModelFlags& flags) {
  command
      .add_option("--model", flags.model,
                  "TorchScript (.pt), .onnx, a PyTorch checkpoint (.pt, .pth, .th), .safetensors, or .npz of "
                  "named tensors")
      ->required();
  add_reading_flags(command, flags);
  add_binary_flag(command, flags.binary);
  add_stochastic_flag(command, flags);
}

Images load_images(Context& context, const std::string& data) {
  Images images = read_images(data);
  context.add_input(data, images.pixels.shape);
  return images;
}

std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                      const nn::InputShape& input) {
  nn::ModelSource source;
  source.path = flags.model;
  source.architecture = flags.architecture;
  source.scale = flags.scale;
  if (!flags.mean.empty()) source.mean = flags.mean;
  if (!flags.std.empty()) source.std = flags.std;
  source.input = input;
  source.device = context.device;
  source.binary = flags.binary;
  source.trust = flags.trust;
  static std::optional<HardStop> stop;
  stop.emplace(fmt::format("interrupted: {} did not return", display_name(flags.model)));
  (void)context.progress();  // hears signals
  auto model = model_session(context.threads).load(source);
  if (model->info().confinement.empty()) stop.reset();  // no program: its passes end
  context.add_input(flags.model, {model->info().parameters});
  if (!model->info().notes_file.empty()) context.add_input(model->info().notes_file, {});
  for (const std::string& note : model->info().notes) context.warn("leeway: " + note);
  return model;
}

LoadedModel load_model_and_images(Context& context, const ModelFlags& flags, const std::string& data) {
  Images images = load_images(context, data);
  auto model = load_model(context, flags, nn::shape_of(images));
  const auto variation = check_variation(flags, *model, images);
  if (variation) context.warn("leeway: " + variation_warning(*model, *variation));
  for (const std::string& line : normalization_warnings(*model, images)) context.warn("leeway: " + line);
  return {std::move(model), std::move(images), variation};
}

std::optional<nn::Variation> check_variation(const ModelFlags& flags, const nn::Model& model,
                                             const Images& images) {
  const auto found = model.variation(images);
  if (found && !flags.stochastic)
    refuse(
        display_name(model.info().path),
        "the same answer to the same images (dropout and batch statistics are off after model.eval(), which "
        "comes before the export; --stochastic takes the model as it is)",
        variation_text(*found));
  return found;
}

std::string variation_warning(const nn::Model& model, const nn::Variation& variation) {
  return fmt::format("{}: {}: no result of it repeats", display_name(model.info().path),
                     variation_text(variation));
}

Json variation_json(const std::optional<nn::Variation>& variation) {
  if (!variation) return nullptr;
  return {{"n", variation->n},
          {"largest_difference", variation->largest},
          {"predictions_that_differ", variation->predictions},
          {"neighbours", variation->neighbours}};
}

std::optional<record::ModelVariation> variation_of(const std::optional<nn::Variation>& variation) {
  if (!variation) return std::nullopt;
  return record::ModelVariation{variation->n, variation->largest, variation->predictions,
                                variation->neighbours};
}

std::string flags_of(const nn::Normalization& normalization) {
  std::string text;
  if (normalization.scale != 1) text += fmt::format(" --scale {}", normalization.scale);
  if (!normalization.mean.empty()) text += fmt::format(" --mean {}", fmt::join(normalization.mean, ","));
  if (!normalization.std.empty()) text += fmt::format(" --std {}", fmt::join(normalization.std, ","));
  return text.empty() ? "no normalization" : text.substr(1);
}

std::vector<std::string> normalization_warnings(const nn::Model& model, const Images& images) {
  const auto other = model.other_normalization(images);
  if (!other) return {};
  const auto named = [](const nn::NamedNormalization& one) {
    return fmt::format("{} ({})", one.name, flags_of(one.normalization));
  };
  std::string others;
  for (const nn::NamedNormalization& one : other->others) others += (others.empty() ? "" : ", ") + named(one);
  return {fmt::format(
      "{} is right on {:.0f}% of {} images under its declared normalization ({}), on {:.0f}% under that "
      "of {}{}: one of them is a mistake",
      display_name(model.info().path), 100 * other->declared_accuracy, other->n,
      flags_of(model.info().normalization), 100 * other->accuracy, named(other->best),
      others.empty() ? "" : fmt::format(", which cannot be told from {}", others))};
}

nn::Normalization normalization_of(const ModelFlags& flags) {
  return {flags.scale.value_or(1), flags.mean, flags.std};
}

double parse_number(const std::string& option, const std::string& text) {
  const auto slash = text.find('/');
  const auto top = number(std::string_view(text).substr(0, slash));
  const auto bottom = slash == std::string::npos ? std::optional<double>(1)
                                                 : number(std::string_view(text).substr(slash + 1));
  if (!top || !bottom || *bottom == 0)
    throw UsageError(fmt::format("{} {}: expected a number such as 0.1 or 8/255", option, text));
  return *top / *bottom;
}

nn::Norm parse_norm(const std::string& text) {
  for (const nn::Norm norm : {nn::Norm::linf, nn::Norm::l2})
    if (text == nn::name_of(norm)) return norm;
  throw UsageError(fmt::format("--norm {}: expected linf or l2", text));
}

std::map<std::string, double> parse_settings(const std::vector<std::string>& settings) {
  std::map<std::string, double> values;
  for (const std::string& text : settings) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) throw UsageError(fmt::format("--set {}: expected NAME=NUMBER", text));
    values[text.substr(0, equals)] = parse_number("--set", text.substr(equals + 1));
  }
  return values;
}

void require_out(const Context& context, const std::string& what) {
  if (context.out.empty()) throw UsageError(fmt::format("--out FILE is missing: where {} should go", what));
}

void add_rate(Json& result, const std::string& prefix, std::size_t hits, std::size_t n) {
  const Interval interval = clopper_pearson(hits, n);
  result[prefix] = static_cast<double>(hits) / static_cast<double>(n);
  result[prefix + "_low"] = interval.low;
  result[prefix + "_high"] = interval.high;
}

std::string rate_text(std::size_t hits, std::size_t n) {
  const Interval interval = clopper_pearson(hits, n);
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", static_cast<double>(hits) / static_cast<double>(n),
                     interval.low, interval.high);
}

std::size_t right_rows(const Outputs& outputs) {
  const std::vector<std::int64_t> predicted = predicted_classes(outputs.logits);
  std::size_t right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == (*outputs.labels)[i];
  return right;
}

}  // namespace leeway::app
