// What the commands that run models share: how a model, images and a radius are named on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/images.h"
#include "leeway/nn/model.h"
#include "leeway/record/model_variation.h"

namespace leeway::app {

struct ModelFlags {
  std::string model, architecture;
  std::optional<double> scale;
  std::vector<double> mean, std;
  Binary binary = Binary::refuse;
  bool stochastic = false;  // a model that answers differently twice is taken all the same
  bool trust = false;       // a program runs with all rights
};

void add_normalization_flags(CLI::App& command, ModelFlags& flags);
void add_reading_flags(CLI::App& command, ModelFlags& flags);  // --arch, --trust, and the above
void add_stochastic_flag(CLI::App& command, ModelFlags& flags);
void add_model_flags(CLI::App& command, ModelFlags& flags);  // --model, --binary, and the above

// Notes the model as an input and loads it for images of that shape. From then on a signal ends the process within two
// seconds where the model is a program, which may run for ever.
[[nodiscard]] std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                                    const nn::InputShape& input);

// How a model answers differently when the same images are asked about twice; nothing where it does not. Error that says
// what to do about it, unless --stochastic is given.
[[nodiscard]] std::optional<nn::Variation> check_variation(const ModelFlags& flags, const nn::Model& model,
                                                           const Images& images);
[[nodiscard]] std::string variation_warning(const nn::Model& model, const nn::Variation& variation);

// The same of the images, too. Warns where their labels say that the normalization is a mistake, and of a variation.
struct LoadedModel {
  std::unique_ptr<nn::Model> model;
  Images images;
  std::optional<nn::Variation> variation;  // between two passes of the same images
};
[[nodiscard]] LoadedModel load_model_and_images(Context& context, const ModelFlags& flags,
                                                const std::string& data);
[[nodiscard]] Images load_images(Context& context, const std::string& data);

// "--mean 0.5 --std 0.25", as commands take it.
[[nodiscard]] std::string flags_of(const nn::Normalization& normalization);

// A line where labelled images say that the model's normalization is a mistake (Model::other_normalization).
[[nodiscard]] std::vector<std::string> normalization_warnings(const nn::Model& model, const Images& images);

[[nodiscard]] nn::Normalization normalization_of(const ModelFlags& flags);

// "0.1" or "8/255". UsageError that names the option.
[[nodiscard]] double parse_number(const std::string& option, const std::string& text);
[[nodiscard]] nn::Norm parse_norm(const std::string& text);  // of training: linf or l2

// What --set NAME=NUMBER, given several times, says.
[[nodiscard]] std::map<std::string, double> parse_settings(const std::vector<std::string>& settings);

// "stochastic" of a record: null, or the difference between two passes of the same images.
[[nodiscard]] Json variation_json(const std::optional<nn::Variation>& variation);
[[nodiscard]] std::optional<record::ModelVariation> variation_of(
    const std::optional<nn::Variation>& variation);

// UsageError where --out is missing.
void require_out(const Context& context, const std::string& what);

// {"PREFIX": rate, "PREFIX_low", "PREFIX_high"} with the exact 95% interval.
void add_rate(Json& result, const std::string& prefix, std::size_t hits, std::size_t n);
[[nodiscard]] std::string rate_text(std::size_t hits, std::size_t n);  // "0.7830 [0.7748, 0.7910]"

[[nodiscard]] std::size_t right_rows(const Outputs& outputs);  // predicted as labelled

}  // namespace leeway::app
