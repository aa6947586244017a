// Maps images to logits, locally or remotely. No LibTorch here.
//
// Inputs: images (n,c,h,w) in [0,1], or rows (n,d) and (n,a,b) of any range, one channel per column. The
// model normalizes: z = (scale x - mean_c) / std_c. Logits: (n,k), k >= 2, float32; ties go to the lowest
// class. Errors: leeway::Error for bad input (file, expected, found, row); std::runtime_error for machine
// failures; leeway::Interrupted after Progress::stop_requested(). One call at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"

namespace leeway::nn {

struct InputShape {
  std::size_t channels = 0, height = 0, width = 0;  // all 0: unknown
  std::size_t rank =
      4;  // of the array that the model takes: 4: (n,c,h,w); 3: (n,c,h), a sequence; 2: (n,c), a table

  [[nodiscard]] std::size_t pixels() const { return channels * height * width; }
  [[nodiscard]] bool known() const { return pixels() > 0; }
  bool operator==(const InputShape&) const = default;
};
[[nodiscard]] inline InputShape shape_of(const Images& images) {
  return {images.channels(), images.height(), images.width(), images.rank};
}

struct Normalization {
  double scale = 1;               // 255 for models that expect pixels 0..255
  std::vector<double> mean, std;  // one number a channel, or empty: 0 and 1

  bool operator==(const Normalization&) const = default;
};

// A part of a network that has weights; for graphs, every operator.
struct Layer {
  std::string name, type;
  std::string shape;  // of its weight, "(16, 3, 3, 3)"; empty where it has none
  std::size_t parameters = 0;
};

struct ModelInfo {
  std::string path, format;  // programs: "torchscript", "onnx", "pt2"; "checkpoint", "safetensors", "npz"
  std::string architecture;  // empty for programs
  InputShape input;          // unknown for TorchScript, and where an ONNX or .pt2 file leaves sizes open
  // Side of the windows that it was trained on; 0: whole images
  std::size_t crop = 0;
  std::size_t classes = 0;  // 0 = unknown before the first images
  std::size_t parameters = 0;
  Normalization normalization;
  // Of a program (TorchScript, ONNX, .pt2): "seccomp" (it runs in a process that can only compute), "none"
  // (ModelSource::trust); empty: no program.
  std::string confinement;
  std::string training;                  // how it was trained, as TrainingText wrote it; empty: unknown
  std::vector<std::string> class_names;  // empty, or one a class
  std::string notes_file;                // the FILE.toml beside the model that was read; empty: none
  std::vector<Layer> layers;
  Binary binary = Binary::refuse;  // ModelSource's; refuse where the weights have more outputs than one
  std::vector<std::string> notes;  // what was decided about the file, where it left a choice; one line each
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  [[nodiscard]] virtual const ModelInfo& info() const = 0;

  // Logits, labels and features: the last hidden layer; ONNX and .pt2: the input of the last matrix product;
  // TorchScript: the second result, if any. Linear models have none.
  [[nodiscard]] virtual Outputs outputs(const Images& images, Progress* progress = nullptr) const = 0;
};

}  // namespace leeway::nn
