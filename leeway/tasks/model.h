// Loads a model and checks it (docs/guides/models.md): two passes agree, and labelled images support its
// normalization. The session (nn/session.h) brings the model; this code does not need LibTorch.
// Errors (Error): those of Session::load; two passes that differ, unless permitted. Cost: three passes of 16
// images, and one of at most 256 labelled images for each common normalization.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "leeway/nn/model.h"
#include "leeway/nn/session.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

// `input`: the shape of the images at hand, for files that do not say.
[[nodiscard]] nn::ModelSource source_of(const std::string& path, const ModelReading& reading,
                                        const nn::InputShape& input = {});

// "nhwc", as --layout has it.
[[nodiscard]] Layout layout_of(const ModelReading& reading);

// What models take: a file or a name (io/images.h), or a folder of pictures that are decoded when they are read
// (data/picture_folder.h). `others`: what a file holds besides them.
[[nodiscard]] Images read_data(const std::string& path, const ModelReading& reading, ArrayMap& others);

// 3,32,32: an image; 8 or 12,8: a row. Nothing for other numbers of sizes.
[[nodiscard]] nn::InputShape shape_of(const std::vector<std::size_t>& sizes);
[[nodiscard]] std::vector<std::size_t> sizes_of(const nn::InputShape& shape);

struct LoadedModel {
  std::unique_ptr<nn::Model> model;
  std::optional<nn::Variation> stochastic;
  std::vector<std::string> warnings;  // what was decided about the file; all that speaks against the model
};
// Larger images become their middle where the model was trained on windows (take_middle); labels become numbers
// of the model's classes (align_classes).
[[nodiscard]] LoadedModel load_model(const nn::Session& session, const std::string& path,
                                     const ModelReading& reading, Images& images);
// Center-crops images larger than the training crop (ModelInfo::crop) and says so; else nothing.
[[nodiscard]] std::optional<std::string> take_middle(const nn::ModelInfo& model, Images& images);

// Labels as numbers of the model's classes, by name (io/columns.h).
void align_classes(const nn::Model& model, Images& images);

// The checks alone: Model::variation, with an error that says what to do about one, unless `taken`.
[[nodiscard]] std::optional<nn::Variation> check_variation(const nn::Model& model, const Images& images,
                                                           bool taken);
[[nodiscard]] std::string variation_warning(const nn::Model& model, const nn::Variation& variation);

// A line where labelled images show that the model's normalization is wrong (Model::other_normalization), or that
// labels count from 1.
[[nodiscard]] std::vector<std::string> normalization_warnings(const nn::Model& model, const Images& images);

// The share of rows that are predicted as labelled, with its 95% interval; the outputs have labels.
[[nodiscard]] Measured accuracy_of(const Outputs& outputs);

}  // namespace leeway::tasks
