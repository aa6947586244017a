// Options of commands that run models, on how to read a model's file: what neither the file nor the notes
// next to it contain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leeway/data/picture_folder.h"
#include "leeway/describe/fields.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

void fields(Normalization& normalization, Fields& f);
void fields(Variation& variation, Fields& f);

}  // namespace leeway::nn

namespace leeway::data {

// Of folders of pictures, in every command that takes them.
void fields(PictureOptions& options, Fields& f);
void resize_fields(PictureOptions& options, Fields& f);  // without crop and the table
void crop_field(PictureOptions& options, Fields& f);
void picture_labels_field(PictureOptions& options, Fields& f);

}  // namespace leeway::data

namespace leeway::tasks {

struct ModelReading {
  std::optional<std::string> arch;  // unset: what the file says
  bool trust = false;               // a program runs with all rights
  std::vector<double> mean, std;    // these and the scale: empty, unset: what the file says
  std::optional<double> scale;
  std::optional<std::string> binary;   // "logit" or "prob"; unset: a single output is an error
  bool stochastic = false;             // a model that answers differently twice is taken all the same
  std::string layout = "auto";         // of the data's x: one of every_layout (io/images.h)
  std::string device = "cpu";          // where it runs: "cpu", "cuda" or "cuda:1"
  std::optional<std::string> classes;  // names by commas, or a file of them
  // Of CLIP: a text with {} for a class's name, or a file of such texts; a file.
  std::optional<std::string> templates, vocabulary;
  data::PictureOptions pictures;  // of the data, where they are a folder
};

void fields(ModelReading& reading, Fields& f);
void flag_fields(ModelReading& reading,
                 Fields& f);  // without layout, pictures and the device, which not every build offers
void file_fields(ModelReading& reading, Fields& f);  // without binary, stochastic and classes
void classes_field(ModelReading& reading, Fields& f);
void binary_field(ModelReading& reading, Fields& f);
void stochastic_field(ModelReading& reading, Fields& f);
void layout_field(ModelReading& reading, Fields& f);
void device_field(ModelReading& reading, Fields& f);

// "--mean 0.5 --std 0.25", as commands take it; "no normalization".
[[nodiscard]] std::string flags_of(const nn::Normalization& normalization);

}  // namespace leeway::tasks
