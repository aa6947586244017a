// Models that run here: a predictor with gradients, which attacks can ask. No LibTorch here.
//
// Images, logits and errors as in predictor.h. Threads and determinism: outputs, gradients and attacks are
// computed in fixed shards of 32 rows (at most 16 where there are fewer than 64), one thread each, and put
// together in order: the same bits for any Session::set_threads() on one machine.
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
#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"
#include "leeway/nn/attack.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

struct ModelSource {
  // TorchScript, ONNX, a PyTorch checkpoint (.pt, .pth, .th), .safetensors, or .npz of named tensors; by content. With
  // the notes of FILE.toml beside it (io/model_notes.h)
  std::filesystem::path path;
  std::string architecture;          // empty: what the file says; TorchScript and ONNX bring their own
  std::optional<double> scale = {};  // these three replace what the file and its notes say
  std::optional<std::vector<double>> mean = {}, std = {};
  InputShape input;                // used where the file does not say: the shape of the images at hand
  std::string device = "cpu";      // or "cuda", "cuda:1", where LibTorch has CUDA
  Binary binary = Binary::refuse;  // what the output of a model with a single one means; refuse: an error
  bool trust = false;  // a program (TorchScript) runs with all rights of the process, not on confined threads
};

struct NamedNormalization {
  std::string name;  // "ImageNet"
  Normalization normalization;
};

// A well-known normalization under which a model is right more often than under its own.
struct OtherNormalization {
  NamedNormalization best;
  std::vector<NamedNormalization> others;      // that cannot be told from the best: as good within chance
  std::size_t n = 0;                           // labelled images that were tried
  double accuracy = 0, declared_accuracy = 0;  // under the best one, under the model's own
};

// A model that answers differently when it is asked twice: dropout was left on, or batch statistics were.
struct Variation {
  std::size_t n = 0;            // images that were asked about
  double largest = 0;           // difference of a logit
  std::size_t predictions = 0;  // images whose predicted class differs
  bool neighbours = false;      // not between two passes of one batch: where other images stand beside them
};

// An architecture of which a network has the names and shapes of some tensors.
struct FittingArchitecture {
  std::string name;
  InputShape input;  // the first of the usual ones, or that of the images at hand, for which they fit
  std::size_t classes = 0;
};

struct WeightsFile {
  ModelInfo info;  // its layers are the tensors
  std::vector<FittingArchitecture> fitting;
};

// A layer of batch normalization with the statistics of other images (adapt/batchnorm.h).
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

  // Gradient of every logit with respect to x_i: (n,k,d), d = c h w, float32. k backward passes.
  [[nodiscard]] virtual Array class_gradients(const Images& images, Progress* progress = nullptr) const = 0;

  // The model as functions of inputs of that shape, of any range: noise leads out of [0,1]. The model must outlive it.
  [[nodiscard]] virtual Classifier classifier(const InputShape& input) const = 0;

  // Errors: those of Session::complete; targets that are not one class a row.
  [[nodiscard]] virtual AttackResult attack(const Images& images, const AttackOptions& options,
                                            Progress* progress = nullptr) const = 0;

  // The same network behind another normalization. Error where it does not fit the channels.
  [[nodiscard]] virtual std::unique_ptr<Model> with_normalization(
      const Normalization& normalization) const = 0;

  // Whether the normalization is a mistake, asked of at least 32 labelled images, of which half, and at most 256, are looked
  // at. A well-known one is better where a one-sided sign test over the images on which it and the model's own differ gives
  // p <= .001 / number tried, so that a finding by chance has a probability of .001, and where at least a quarter of the
  // errors go away: under a shift of contrast others do help a little. The one with the highest accuracy is the best;
  // `others`: those with as few errors but for chance (two-sided sign test against the best, p > .05).
  [[nodiscard]] virtual std::optional<OtherNormalization> other_normalization(const Images& images) const = 0;

  // Whether two passes of the same images, at most 16 of them, differ by more than rounding: by 1e-5 of the largest logit; or
  // one of half of them, of most images by .02 of it, as kernels round differently in batches of another size.
  [[nodiscard]] virtual std::optional<Variation> variation(const Images& images) const = 0;

  // A copy of the network whose batch normalization has the statistics of these images. Error for a TorchScript or ONNX model, and
  // for what adapt/batchnorm.h names.
  [[nodiscard]] virtual Adapted adapt(const Images& images, Progress* progress = nullptr) const = 0;

  // Weights and all of info() as safetensors. Error for a TorchScript or ONNX model.
  virtual void save(const std::filesystem::path& path) const = 0;
};

}  // namespace leeway::nn
