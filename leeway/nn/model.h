// Models in this process, with gradients. No LibTorch here.
//
// Outputs and gradients are computed in fixed shards of 32 rows (at most 16 for fewer than 64 rows),
// one thread each: the same bits for any Session::set_threads() on one machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/classifier.h"
#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

struct ModelSource {
  // TorchScript, ONNX, .pt2, .pt, .pth, .th, .safetensors or .npz, by content; reads FILE.toml (io/model_notes.h)
  std::filesystem::path path;
  std::string architecture;          // empty: what the file says; programs bring their own
  std::optional<double> scale = {};  // these three replace what the file and its notes say
  std::optional<std::vector<double>> mean = {}, std = {};
  InputShape input;                // used where the file does not say: the shape of the images at hand
  std::string device = "cpu";      // or "cuda", "cuda:1", where LibTorch has CUDA
  Binary binary = Binary::refuse;  // what the output of a model with a single one means; refuse: an error
  // Programs (TorchScript, ONNX, .pt2) run in this process, with all its rights; otherwise in one that can only compute, which needs
  // seccomp and the CPU
  bool trust = false;
  // Names in the order of the classes; these three replace what the notes say. Of CLIP (io/clip.h): a text for each
  // class, {} its name; and the file of the vocabulary.
  std::vector<std::string> classes = {}, templates = {};
  std::filesystem::path vocabulary = {};
};

struct NamedNormalization {
  std::string name;  // "ImageNet"
  Normalization normalization;
};

// A well-known normalization with higher accuracy than the model's own.
struct OtherNormalization {
  NamedNormalization best;
  std::vector<NamedNormalization> others;      // that cannot be told from the best: as good within chance
  std::size_t n = 0;                           // labelled images that were tried
  double accuracy = 0, declared_accuracy = 0;  // under the best one, under the model's own
};

// A model whose outputs vary: dropout or batch statistics are active.
struct Variation {
  std::size_t n = 0;            // images that were asked about
  double largest = 0;           // difference of a logit
  std::size_t predictions = 0;  // images whose predicted class differs
  bool neighbours = false;      // not between two passes of one batch: where other images stand beside them
};

// An architecture that has some of the tensors' names and shapes.
struct FittingArchitecture {
  std::string name;
  InputShape input;  // the first of the usual ones, or that of the images at hand, for which they fit
  std::size_t classes = 0;
};

struct WeightsFile {
  ModelInfo info;  // its layers are the tensors
  std::vector<FittingArchitecture> fitting;
};

// A batch normalization layer after adaptation (adapt/batchnorm.h).
struct AdaptedLayer {
  std::string name;
  std::size_t channels = 0;
  double mean_shift = 0;      // mean over channels of |new mean - old mean| / old deviation
  double variance_ratio = 1;  // geometric mean over channels of new / old variance
};

class Model;
struct Adapted {
  std::unique_ptr<Model> model;
  std::vector<AdaptedLayer> layers;
};

class Model : public Predictor {
 public:
  // Gradient of -log softmax(F(x_i))_(y_i) with respect to x_i: (n,c,h,w), float32. `labels` has n entries.
  [[nodiscard]] virtual Array input_gradients(const Images& images, const std::vector<std::int64_t>& labels,
                                              Progress* progress = nullptr) const = 0;

  // The model as a function of inputs of this shape and any range. The model must outlive the result.
  [[nodiscard]] virtual Classifier classifier(const InputShape& input) const = 0;

  // Error if it does not fit the channels.
  [[nodiscard]] virtual std::unique_ptr<Model> with_normalization(
      const Normalization& normalization) const = 0;

  // Checks for a wrong normalization on half, at most 256, of at least 32 labelled images. Another one is
  // better if a one-sided sign test on the disagreements gives p <= .001 / number tried (chance of a false
  // finding: .001) and at least a quarter of the errors disappear: under contrast shifts, others help a
  // little. `others` tie with the best (two-sided sign test, p > .05).
  [[nodiscard]] virtual std::optional<OtherNormalization> other_normalization(const Images& images) const = 0;

  // Variation of at most 16 images between two passes, above 1e-5 of the largest logit; or against a pass
  // over half of them, above .02 for most images (kernels round differently for other batch sizes).
  [[nodiscard]] virtual std::optional<Variation> variation(const Images& images) const = 0;

  // A copy with batch statistics of these images. Errors: programs; those of adapt/batchnorm.h.
  [[nodiscard]] virtual Adapted adapt(const Images& images, Progress* progress = nullptr) const = 0;

  // Weights and all of info() as safetensors. Error for a program.
  virtual void save(const std::filesystem::path& path) const = 0;
};

}  // namespace leeway::nn
