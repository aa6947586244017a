// The facade of everything that runs or trains a model. No LibTorch here: programs include this header and
// link leeway::nn, or open libleeway_nn.so when they first need a model (leeway_nn_session below), which
// keeps commands that need none quick to start.
//
// Inputs are images in [0,1], (n,c,h,w); scaling and normalization belong to the model: z = (scale x -
// mean_c) / std_c. Logits are (n,k), k >= 2, float32; predictions are the largest logit, ties to the lowest
// class. Errors: leeway::Error for bad input (file, expected, found, row); std::runtime_error for failures of
// the machine; leeway::Interrupted after Progress::stop_requested(). Threads and determinism: outputs,
// gradients and attacks are computed in fixed shards of 32 rows (at most 16 where there are fewer than 64),
// one thread each, and put together in order: the same bits for any set_threads() on one machine. Training
// runs on LibTorch's own threads: the same bits for a given seed, batch size and thread count. One call at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/classifier.h"
#include "leeway/core/family.h"
#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/core/progress.h"

namespace leeway::data {
struct TrainingData;  // leeway/data/training_data.h
}

namespace leeway::nn {

// Raised whenever this header changes in a way that a program compiled against an older one cannot bear.
inline constexpr int abi_version = 8;

struct InputShape {
  std::size_t channels = 0, height = 0, width = 0;  // all 0: unknown

  [[nodiscard]] std::size_t pixels() const { return channels * height * width; }
  [[nodiscard]] bool known() const { return pixels() > 0; }
  bool operator==(const InputShape&) const = default;
};
[[nodiscard]] inline InputShape shape_of(const Images& images) {
  return {images.channels(), images.height(), images.width()};
}

struct Normalization {
  double scale = 1;               // 255 for models that expect pixels 0..255
  std::vector<double> mean, std;  // one number a channel, or empty: 0 and 1

  bool operator==(const Normalization&) const = default;
};

struct ModelSource {
  // TorchScript, ONNX, a PyTorch checkpoint (.pt, .pth, .th), .safetensors, or .npz of named tensors; by content. With
  // the notes of FILE.toml beside it (io/model_notes.h)
  std::filesystem::path path;
  std::string architecture;          // empty: what the file says; TorchScript and ONNX bring their own
  std::optional<double> scale = {};  // these three replace what the file and its notes say
  std::optional<std::vector<double>> mean = {}, std = {};
  InputShape input;  // used where the file does not say: the shape of the images at hand
  std::string device = "cpu";
  Binary binary = Binary::refuse;  // what the output of a model with a single one means; refuse: an error
  bool trust = false;  // a program (TorchScript) runs with all rights of the process, not on confined threads
};

// A part of a network: what holds weights, and of a graph every operator.
struct Layer {
  std::string name, type;
  std::string shape;  // of its weight, "(16, 3, 3, 3)"; empty where it has none
  std::size_t parameters = 0;
};

struct ModelInfo {
  std::string path, format;  // "torchscript", "onnx", "checkpoint", "safetensors", "npz"
  std::string architecture;  // empty for TorchScript and ONNX
  InputShape input;          // unknown for TorchScript, and where an ONNX file leaves sizes open
  std::size_t classes = 0;   // 0 = unknown before the first images
  std::size_t parameters = 0;
  Normalization normalization;
  // What keeps a program (TorchScript) from more than computing: "seccomp" (its threads cannot write files, start programs
  // or open sockets), "none" where ModelSource::trust was given; empty: the file is no program.
  std::string confinement;
  std::string training;                  // the JSON record of its training; empty where there is none
  std::vector<std::string> class_names;  // empty, or one a class
  std::string notes_file;                // the FILE.toml beside the model that was read; empty: none
  std::vector<Layer> layers;
  Binary binary = Binary::refuse;  // ModelSource's; refuse where the weights have more outputs than one
  std::vector<std::string> notes;  // what was decided about the file, where it left a choice; one line each
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

// Of |x' - x|: l0 counts the values that differ, each channel of a pixel one.
enum class Norm { linf, l2, l1, l0 };
inline constexpr Norm every_norm[] = {Norm::linf, Norm::l2, Norm::l1, Norm::l0};
[[nodiscard]] constexpr std::string_view name_of(Norm norm) {
  constexpr std::string_view names[] = {"linf", "l2", "l1", "l0"};
  return names[static_cast<std::size_t>(norm)];
}

// What an attack maximises, of logits F and the class y it leads away from; towards a class, the negative of it.
enum class Loss {
  margin,  // m = logsumexp_(j != y) F_j - F_y: the order and the directions of the cross-entropy, without its saturation
  difference,    // max_(j != y) F_j - F_y: positive where y is not predicted, and only there
  cross_entropy  // log(1 + e^m): in float32 its gradient is 0 for rows of which the model is sure
};
inline constexpr Loss every_loss[] = {Loss::margin, Loss::difference, Loss::cross_entropy};
[[nodiscard]] constexpr std::string_view name_of(Loss loss) {
  constexpr std::string_view names[] = {"margin", "difference", "cross-entropy"};
  return names[static_cast<std::size_t>(loss)];
}

// An attack, as the table of its family has it.
struct AttackEntry : Member {
  bool minimum_norm = false;  // it looks for the nearest x'; otherwise for the worst within a radius
  std::vector<Norm> norms;    // that it knows
  Loss loss = Loss::margin;   // its own, where none is asked for
};

// Find x' inside [0,1] that the model classifies differently from the label, or from its own prediction where the images have
// no labels; or, with targets, as the target. With a fixed budget: within |x' - x| <= eps. Of minimum norm: with the
// smallest |x' - x|.
struct AttackOptions {
  std::string attack = "pgd";
  Norm norm = Norm::linf;
  std::optional<double> eps =
      {};  // radius, pixels in [0,1], of the whole image in l2; default 8/255. A budget's alone
  std::optional<Loss> loss = {};                  // default: the attack's own
  std::map<std::string, double> parameters = {};  // of the attack, by name; those not named have its defaults
  std::vector<std::int64_t> targets = {};         // the class each image is to be taken for; empty: any other
  std::uint64_t seed = 0;
};
inline constexpr double default_eps = 8. / 255;

// Above this share of rows whose gradient is exactly 0 an attack by gradients does not count alone.
inline constexpr double most_zero_gradients = .01;

struct AttackResult {
  // An attack by gradients that is blind for more than most_zero_gradients of the rows, and noise (the attack "noise", of
  // the same radius, or of radii that grow), each alone: shares of rows that withstood.
  struct BesideNoise {
    double attack_accuracy = 0, noise_accuracy = 0;
  };

  AttackOptions options;  // with every default filled in
  Images
      images;  // float32, all rows in order; the best found: a success before a higher loss, or before a larger norm
  Outputs outputs;                    // of `images`: a fresh pass over the stored pixels
  std::vector<std::int64_t> classes;  // the labels, or the predictions that were attacked
  bool labelled = false;              // classes are labels
  std::vector<std::uint8_t>
      success;  // 1: the fresh pass does not predict the class; with targets: predicts the target
  std::vector<double> norms;   // |x' - x|, measured on the stored pixels; infinity without success
  double clean_accuracy = 0;   // share of rows whose clean prediction is the class
  double robust_accuracy = 0;  // share of rows whose prediction on `images` is the class
  // Share of rows whose gradient is exactly 0 wherever the attack began, as behind sign, rounding or quantised layers: it
  // could not move them. None: the attack asks for no gradients
  std::optional<double> zero_gradient = {};
  std::optional<BesideNoise> beside_noise = {};  // then `images` holds the worse of the two, row by row
};

class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const ModelInfo& info() const = 0;

  // Logits, features (the last hidden layer; absent for a linear model and for TorchScript that returns
  // logits alone: one that returns (logits, features) has them; of an ONNX model what its last matrix
  // product takes), and the images' labels.
  [[nodiscard]] virtual Outputs outputs(const Images& images, Progress* progress = nullptr) const = 0;

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

  // Weights and all of info() as safetensors. Error for a TorchScript or ONNX model.
  virtual void save(const std::filesystem::path& path) const = 0;
};

struct Requirements;  // these: train.h
struct TrainOptions;
struct TrainResult;

class Session {
 public:
  virtual ~Session() = default;

  // Threads of later calls; 0 = one per core.
  virtual void set_threads(int count) = 0;
  [[nodiscard]] virtual std::string torch_version() const = 0;

  [[nodiscard]] virtual std::vector<Member> architectures() const = 0;
  [[nodiscard]] virtual std::vector<Member> algorithms() const = 0;
  [[nodiscard]] virtual std::vector<AttackEntry> attacks() const = 0;
  // The options with every default filled in. Error: an attack that there is not, a norm, a radius or a parameter that it does
  // not have, a value outside its range.
  [[nodiscard]] virtual AttackOptions complete(const AttackOptions& options) const = 0;
  // Number of weights of an architecture for that input and k classes.
  [[nodiscard]] virtual std::size_t weights_of(const std::string& architecture, const InputShape& input,
                                               std::size_t classes) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Model> load(const ModelSource& source) const = 0;

  // Trains on labelled images and writes the weights to `out` (safetensors) once training is complete. After
  // every epoch OUT.state is replaced atomically; a rerun with the same options and data goes on from it and
  // ends in the same bits as a run without a break, one with other options starts anew; notes say which.
  // Removed in the end. The score of an epoch is validation accuracy; under an adversarial algorithm,
  // validation accuracy under its attack; with TrainOptions::selection, its score. Error for data that lack what the
  // algorithm needs, before anything runs.
  [[nodiscard]] virtual TrainResult train(const data::TrainingData& data, const TrainOptions& options,
                                          const std::filesystem::path& out,
                                          Progress* progress = nullptr) const = 0;

  // What the algorithm needs of the data; `given` as in TrainOptions. Errors: an unknown algorithm or parameter.
  [[nodiscard]] virtual Requirements requirements_of(
      const std::string& algorithm, const std::map<std::string, double>& given = {}) const = 0;
};

// The session of this process, for programs that link leeway::nn. The first call tells glibc's malloc to keep
// up to 512 MB of freed memory for later batches.
[[nodiscard]] Session& session();

}  // namespace leeway::nn

// The same for programs that open the library: null where `abi` is not the library's abi_version.
extern "C" leeway::nn::Session* leeway_nn_session(int abi);
