// What the commands that run models share: how a model, images and a radius are named on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/images.h"
#include "leeway/nn/session.h"

namespace leeway::app {

struct ModelFlags {
  std::string model, architecture;
  std::optional<double> scale;
  std::vector<double> mean, std;
};

void add_normalization_flags(CLI::App& command, ModelFlags& flags);
void add_reading_flags(CLI::App& command, ModelFlags& flags);  // --arch, and the above
void add_model_flags(CLI::App& command, ModelFlags& flags);    // --model, and the above

// Notes the model as an input and loads it for images of that shape.
[[nodiscard]] std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                                    const nn::InputShape& input);

// The same of the images, too. Warns where their labels say that the normalization is a mistake.
struct LoadedModel {
  std::unique_ptr<nn::Model> model;
  Images images;
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
[[nodiscard]] nn::Norm parse_norm(const std::string& text);

// UsageError where --out is missing.
void require_out(const Context& context, const std::string& what);

// {"PREFIX": rate, "PREFIX_low", "PREFIX_high"} with the exact 95% interval.
void add_rate(Json& result, const std::string& prefix, std::size_t hits, std::size_t n);
[[nodiscard]] std::string rate_text(std::size_t hits, std::size_t n);  // "0.7830 [0.7748, 0.7910]"

[[nodiscard]] std::size_t right_rows(const Outputs& outputs);  // predicted as labelled

}  // namespace leeway::app
