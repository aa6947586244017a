// FILE.toml: what the model file FILE does not contain.
//
//   arch = "resnet20-cifar"          of named tensors; programs bring their own
//   scale = 1                        the network takes (scale x - mean) / std of pixels x in [0,1]
//   mean = [0.485, 0.456, 0.406]     one number a channel
//   std = [0.229, 0.224, 0.225]
//   input = [3, 32, 32]              channels, height, width; [8]: rows of 8 numbers
//   classes = ["cat", "dog"]         their names in order, or their number
//   template = "a photo of a {}"     of CLIP (io/clip.h); a list: the mean of several
//   vocabulary = "merges.txt"        of CLIP; relative to FILE.toml
//
// Precedence: command flags, FILE.toml, model file. Errors (file, line, expected, found): invalid TOML, an
// unknown key (with the nearest), a table, an invalid value.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/nn/predictor.h"

namespace leeway::nn {

struct ModelNotes {
  std::string path;  // of the notes; empty: there are none
  std::string architecture;
  std::optional<double> scale = {};
  std::optional<std::vector<double>> mean = {}, std = {};
  InputShape input;
  std::size_t classes = 0;               // 0: not said
  std::vector<std::string> class_names;  // empty, or one a class
  std::vector<std::string> templates = {};
  std::filesystem::path vocabulary = {};
};

[[nodiscard]] ModelNotes notes_beside(const std::filesystem::path& model);

[[nodiscard]] ModelNotes parse_notes(std::string_view text, std::string_view name);

}  // namespace leeway::nn
