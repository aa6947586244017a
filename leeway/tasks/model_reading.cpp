#include "leeway/tasks/model_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace leeway::nn {

void fields(Normalization& normalization, Fields& f) {
  f("scale", normalization.scale, at_least(0),
    "factor on pixels in [0,1]: 255 if the network expects 0..255");
  f("mean", normalization.mean, "mean of each channel; []: 0");
  f("std", normalization.std, at_least(0), "standard deviation of each channel; []: 1");
}

void fields(Variation& variation, Fields& f) {
  f("n", variation.n, "number of images compared");
  f("largest_difference", variation.largest, at_least(0), "largest difference in a logit");
  f("predictions_that_differ", variation.predictions, "number of images whose prediction differs");
  f("neighbours", variation.neighbours,
    "true: passes of one batch agree, but other images in the batch change the outputs");
}

}  // namespace leeway::nn

namespace leeway::data {

void resize_fields(PictureOptions& options, Fields& f) {
  f("preprocess", options.preprocess,
    "preset for pictures: imagenet, or timm:SHARE (timm's crop_pct); for a model, also sets mean and std");
  f("resize_shorter", options.resize_shorter, from_to(1, longest_side),
    "resize pictures: length of the shorter side in pixels (default: keep the size)");
  f.choice("interpolation", options.interpolation, {{"bilinear", ""}, {"bicubic", ""}, {"nearest", ""}},
           "interpolation of resize_shorter, with antialiasing (default: bilinear; timm:SHARE: bicubic)");
}

void crop_field(PictureOptions& options, Fields& f) {
  f("crop", options.crop, from_to(1, longest_side),
    "crop to the central N x N pixels (default: resize_shorter, if given)");
}

void picture_labels_field(PictureOptions& options, Fields& f) {
  f("picture_labels", options.picture_labels,
    "CSV with a column of file names and one of labels: the pictures of the folder to read, in this order");
}

void fields(PictureOptions& options, Fields& f) {
  resize_fields(options, f);
  crop_field(options, f);
  picture_labels_field(options, f);
}

}  // namespace leeway::data

namespace leeway::tasks {

static void normalization_fields(ModelReading& reading, Fields& f) {
  f("mean", reading.mean,
    "mean of each channel: the model takes (scale x - mean) / std of pixels x in [0,1]");
  f("std", reading.std, "standard deviation of each channel, see mean");
  f("scale", reading.scale, "factor on pixels in [0,1]: 255 for models that expect 0..255 (default 1)");
}

void binary_field(ModelReading& reading, Fields& f) {
  f.choice("binary", reading.binary, {{"logit", ""}, {"prob", ""}},
           "meaning of a single output: logit or probability of the positive class");
}

void stochastic_field(ModelReading& reading, Fields& f) {
  f("stochastic", reading.stochastic,
    "accept a model whose outputs differ between two passes; its results are not repeatable");
}

void layout_field(ModelReading& reading, Fields& f) {
  f.choice("layout", reading.layout,
           {{"auto", "detected"},
            {"nchw", "images, channels first"},
            {"nhwc", "images, channels last"},
            {"nhw", "grayscale images"},
            {"rows", "tables (n,d) or sequences (n,a,b), numbers of any range"}},
           "order of the dimensions of x");
}

void device_field(ModelReading& reading, Fields& f) {
  f("device", reading.device, "device of the model: cpu, cuda or cuda:1");
}

void file_fields(ModelReading& reading, Fields& f) {
  f("arch", reading.arch,
    "architecture of named tensors if the file does not name it (leeway list architectures)");
  f("trust", reading.trust,
    "run a TorchScript, ONNX or .pt2 model without confinement (default: in a separate process that can "
    "only compute)");
  normalization_fields(reading, f);
  f("template", reading.templates,
    "text for a class of a CLIP model, with {} for its name (default: a photo of a {}); or a file with one "
    "text per line, which are averaged");
  f("vocabulary", reading.vocabulary,
    "vocabulary of a CLIP model: bpe_simple_vocab_16e6.txt.gz or merges.txt (default: next to the model)");
}

void classes_field(ModelReading& reading, Fields& f) {
  f("classes", reading.classes,
    "class names in order, separated by commas; or a file with one name per line");
}

void flag_fields(ModelReading& reading, Fields& f) {
  file_fields(reading, f);
  classes_field(reading, f);
  binary_field(reading, f);
  stochastic_field(reading, f);
}

void fields(ModelReading& reading, Fields& f) {
  flag_fields(reading, f);
  layout_field(reading, f);
  fields(reading.pictures, f);
  device_field(reading, f);
}

std::string flags_of(const nn::Normalization& normalization) {
  std::string text;
  if (normalization.scale != 1) text += fmt::format(" --scale {}", normalization.scale);
  if (!normalization.mean.empty()) text += fmt::format(" --mean {}", fmt::join(normalization.mean, ","));
  if (!normalization.std.empty()) text += fmt::format(" --std {}", fmt::join(normalization.std, ","));
  return text.empty() ? "no normalization" : text.substr(1);
}

}  // namespace leeway::tasks
