// What leeway assess says of predictions under noise, where it is given the models themselves or their Jacobians.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/nn/model.h"
#include "leeway/record/average_case.h"
#include "leeway/record/model_reading.h"
#include "leeway/record/model_variation.h"
#include "leeway/tasks/assess.h"

namespace leeway::app {

// NAME=PATH, split at the first "="; nothing where there is no name.
[[nodiscard]] std::pair<std::string, std::string> split_name(const std::string& text);

struct NoiseFlags {
  std::vector<std::string> models, jacobians;  // [NAME=]FILE
  std::vector<double> sigmas;
  std::size_t rows = 1000;       // the first ones; 0: all
  record::ModelReading reading;  // of every model

  [[nodiscard]] bool given() const { return !models.empty() || !jacobians.empty(); }
};
void add_noise_flags(CLI::App& command, NoiseFlags& flags);

// A model, or the Jacobians of one, by the name that --source gives it.
struct NoiseInput {
  std::string name, path;
  bool model = false;
};

// UsageError: a name that no source has, or none where there are several sources, two inputs of one name, --sigma or
// the source's images missing. `names` are those of the sources.
[[nodiscard]] std::vector<NoiseInput> parse_noise_inputs(const NoiseFlags& flags,
                                                         const std::vector<std::string>& names,
                                                         bool source_images);

// Opened, and found to fit its source.
struct NoiseSubject {
  NoiseInput input;
  const tasks::AssessSource* source = nullptr;  // kept by pointer, as are the images
  const Images* images = nullptr;               // the source's; null where there are none
  std::unique_ptr<nn::Model> model;
  std::optional<record::ModelVariation> stochastic;  // of a model that answers differently twice
  std::optional<Array> jacobian;
};
// Errors (Error): other classes or rows than the source's, Jacobians of a source that holds probabilities alone.
[[nodiscard]] std::vector<NoiseSubject> open_noise_subjects(Context& context, const NoiseFlags& flags,
                                                            const std::vector<NoiseInput>& inputs,
                                                            const std::vector<tasks::AssessSource>& sources,
                                                            const Images* images);

// What they say under noise, each with a warning where its predictions are not the source's. Warnings are told here where
// the table does not.
[[nodiscard]] std::vector<record::ModelUnderNoise> under_noise(Context& context, const NoiseFlags& flags,
                                                               const std::vector<NoiseSubject>& subjects);

}  // namespace leeway::app
