// Options that several commands share: images, rows, models and a radius. They are read here, and their files opened.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/data/training_data.h"
#include "leeway/io/images.h"
#include "leeway/nn/model.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/model_reading.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {

// Images in memory, noted as an input: a file, a name, or a folder of pictures.
[[nodiscard]] Images open_images(Context& context, const std::string& data,
                                 const data::PictureOptions& pictures = {});

// A split of n rows, noted as an input.
[[nodiscard]] data::RowSplit open_split(Context& context, const std::string& index, std::size_t n);

// The rows that --index and --split name in a set of n (row_fields of tasks/outputs_reading.h). Nothing without these
// options. UsageError: one without the other.
[[nodiscard]] std::optional<std::vector<std::size_t>> open_rows(Context& context,
                                                                const tasks::OutputsReading& flags,
                                                                std::size_t n);
// The same of images: all of them where neither is given.
[[nodiscard]] Images open_images(Context& context, const std::string& data, const tasks::OutputsReading& rows,
                                 const data::PictureOptions& pictures = {});

// [[MODEL/]SHIFT=]FILE; the name is empty for the source's. UsageError for a name without a file.
struct NamedImages {
  std::string name;
  Images images;
};
[[nodiscard]] std::vector<NamedImages> open_named_images(Context& context,
                                                         const std::vector<std::string>& texts);

struct ModelFlags {
  std::string model;
  tasks::ModelReading reading;
};

inline constexpr const char* model_help =
    "TorchScript (.pt), .onnx, .pt2, a PyTorch checkpoint (.pt, .pth, .th), .safetensors, or .npz of named "
    "tensors";
// What decides the model: its file, how it is read, and the files that this names.
[[nodiscard]] std::vector<std::string> identity_of(const ModelFlags& flags);

void add_model_flags(const Command& command, ModelFlags& flags);  // --model, and how its file is read

// --device, for commands that run models. There is none where LibTorch has no CUDA.
void add_device_flag(const Command& command, std::string& device);

// Notes the model as an input and loads it for images of that shape. From then on a signal ends the process within two
// seconds where the model is a program, which may run for ever.
[[nodiscard]] std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                                    const nn::InputShape& input);
// The same for those images, which become what the model takes of them; a line says so where that is less.
[[nodiscard]] std::unique_ptr<nn::Model> load_model(Context& context, const ModelFlags& flags,
                                                    Images& images);

// Session::weights_of_unknown; what it finds is noted as an input.
[[nodiscard]] std::optional<nn::WeightsFile> unknown_weights(Context& context, const ModelFlags& flags,
                                                             const nn::InputShape& input);

// The same with its checks on images, which warn. `others`: what the images' file holds besides them.
struct ModelAndImages : tasks::LoadedModel {
  Images images;  // what the model takes of them (tasks::take_middle)
  ArrayMap others;
};
// Of images that are open; they become what the model takes of them.
[[nodiscard]] tasks::LoadedModel load_checked_model(Context& context, const ModelFlags& flags,
                                                    Images& images);
// Images, or rows of any range, laid out as the flags say.
[[nodiscard]] ModelAndImages load_model_and_inputs(Context& context, const ModelFlags& flags,
                                                   const std::string& data);
// Keeps the rows that --index and --split name, and returns them; without these options, keeps all and returns nothing.
std::optional<std::vector<std::size_t>> keep_rows(Context& context, ModelAndImages& loaded,
                                                  const tasks::OutputsReading& flags);

// Each of several models with each of several sets of images; {model} and {data} distinguish written files.
struct ModelsAndData {
  std::vector<std::string> models, data;
  ModelFlags reading;  // of every model; its `model` is the one at hand
};
void add_models_flags(const Command& command, ModelsAndData& flags);
// "{model}-{data}", of which there is more than one.
[[nodiscard]] std::string braces_of(const ModelsAndData& flags);

void add_layout_flag(const Command& command, ModelFlags& flags);
void add_picture_flags(const Command& command, data::PictureOptions& pictures);
inline constexpr const char* inputs_help =
    "Images, or rows (n,d) and (n,a,b) with values in any range: .npz, .safetensors, IDX(.gz), a folder of "
    "pictures, or fashion-mnist:test";

// "0.1" or "8/255". UsageError that names the option.
[[nodiscard]] double parse_number(const std::string& option, const std::string& text);

// What --set NAME=NUMBER, given several times, says.
[[nodiscard]] std::map<std::string, double> parse_settings(const std::vector<std::string>& settings);

// What tells a file, or a folder of published images, from one with other contents; a name such as fashion-mnist:test as
// it is.
[[nodiscard]] std::string contents_of(const std::string& path);

// UsageError where --out is missing.
void require_out(const Context& context, const std::string& what);

}  // namespace leeway::app
