// The entry point of everything that runs or trains a model. No LibTorch here: programs include this header and
// link leeway::nn, or open libleeway_nn.so when they first need a model (leeway_nn_session below), which
// keeps commands that need none quick to start.
//
// Errors as in predictor.h; threads of models as in model.h. Training runs on LibTorch's own threads: the same
// bits for a given seed, batch size and thread count. One call at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/nn/attack.h"
#include "leeway/nn/model.h"
#include "leeway/nn/predictor.h"

namespace leeway::data {
struct TrainingData;  // leeway/data/training_data.h
}

namespace leeway::nn {

// Raised whenever this header or one that it includes changes in a way that a program compiled against an older one cannot bear.
// The digest is of these headers without comments (tests/house/check_rules.py): where they change, so must this line.
inline constexpr int abi_version = 15;  // of headers 6c7060ff

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
  [[nodiscard]] virtual std::vector<Member> augmentations() const = 0;
  [[nodiscard]] virtual std::vector<AttackEntry> attacks() const = 0;
  // The options with every default filled in. Error: an attack that there is not, a norm, a radius or a parameter that it does
  // not have, a value outside its range.
  [[nodiscard]] virtual AttackOptions complete(const AttackOptions& options) const = 0;
  // Number of weights of an architecture for that input and k classes.
  [[nodiscard]] virtual std::size_t weights_of(const std::string& architecture, const InputShape& input,
                                               std::size_t classes) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Model> load(const ModelSource& source) const = 0;

  // Of a file of tensors that neither says its architecture nor is told one: its tensors, and the architectures whose names and
  // shapes they have. Nothing of other files, which load() takes. Errors: those of reading the file.
  [[nodiscard]] virtual std::optional<WeightsFile> weights_of_unknown(const ModelSource& source) const = 0;

  // Trains on labelled images and writes the weights to `out` (safetensors) once training is complete. After
  // every epoch OUT.state is replaced atomically; a rerun with the same options and data goes on from it and
  // ends in the same bits as a run without a break, one with other options starts anew; notes say which.
  // Removed in the end. TrainOptions::text writes it, and what the file of the weights says of the training. The score of an
  // epoch is validation accuracy; under an adversarial algorithm, validation accuracy under its attack; with
  // TrainOptions::selection, its score. Error for data that lack what the algorithm needs, before anything runs.
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
