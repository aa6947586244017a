// Folders of pictures as images for models: each picture is decoded, resized and cropped when its row is
// read, so memory does not grow with the number of pictures.
//
// CLASS/x.png and DOMAIN/CLASS/x.png as load_folder reads them; labels count the sorted class names, as
// torchvision's ImageFolder. A folder without folders is sorted by file name, without labels. With a table
// (CSV, as load_table reads it), rows and labels are those of the table; its file names are relative to the
// folder.
//
// Resizing and cropping are those of torchvision's Resize(N) and CenterCrop(N) on Pillow pictures: the same
// bytes (resize.h). Without resize_shorter and crop, all pictures must have one size.
//
// Errors (Error): options out of range, an unknown preset, a column that the table lacks, a class without
// pictures; when a row is read: those of picture_file.h and pictures smaller than the crop.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leeway/data/load.h"
#include "leeway/data/resize.h"
#include "leeway/io/images.h"

namespace leeway::data {

struct PictureOptions {
  std::optional<std::string> preprocess = {};      // "imagenet" or "timm:SHARE"; the others override it
  std::optional<std::size_t> resize_shorter = {};  // pixels of the shorter side; the ratio is kept
  std::optional<std::string> interpolation = {};   // "bilinear" (default), "bicubic" or "nearest"
  std::optional<std::size_t> crop = {};            // the middle crop x crop pixels; none: resize_shorter
  std::optional<std::string> picture_labels = {};  // the table

  friend bool operator==(const PictureOptions&, const PictureOptions&) = default;
};

// The options with the values of the preset.
//   imagenet: shorter side 256, bilinear, crop 224: torchvision's models
//   timm:p: shorter side floor(crop / p), bicubic, crop 224 unless given: timm's crop_pct
struct Preprocessing {
  std::size_t resize_shorter = 0, crop = 0;  // 0: off
  Interpolation interpolation = Interpolation::bilinear;
  std::vector<double> mean, std;  // those of ImageNet with a preset
};
[[nodiscard]] Preprocessing preprocessing_of(const PictureOptions& options);

// The set with pictures resized and cropped while they are read.
[[nodiscard]] Loaded preprocessed(Loaded set, const Preprocessing& how);

[[nodiscard]] Images read_picture_folder(const std::filesystem::path& folder, const PictureOptions& options);
// The same of a path that is a folder; nothing for another one. Error: options for another one.
[[nodiscard]] std::optional<Images> pictures_at(const std::string& path, const PictureOptions& options);

}  // namespace leeway::data
