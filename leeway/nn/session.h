// Entry point for running and training models. Programs include this header, without LibTorch, and link
// leeway::nn, or open libleeway_nn.so at first use (leeway_nn_session), so that other commands start fast.
//
// Errors: predictor.h; threads: model.h. Training runs on LibTorch's threads: the same bits for the same
// seed, batch size and thread count. One call at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/child_process.h"
#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/nn/model.h"
#include "leeway/nn/predictor.h"

namespace leeway::data {
struct TrainingData;  // leeway/data/training_data.h
}

namespace leeway::nn {

// Raised whenever this header or one that it includes changes in a way that a program compiled against an older one cannot bear.
// The digest is of these headers without comments (tests/house/check_rules.py): where they change, so must this line.
inline constexpr int abi_version = 27;  // of headers 8292d9a3

struct Requirements;  // these: train.h
struct TrainOptions;
struct TrainResult;

class Session {
 public:
  virtual ~Session() = default;

  // Threads of later calls; 0 = one per core.
  virtual void set_threads(int count) = 0;
  // Passes a running process of leeway-model; the next program runs in it.
  virtual void adopt_process(ChildProcess process) = 0;
  // Sets the check of core/file.h for files that the library writes.
  virtual void set_commit_check(std::function<void()> check) = 0;
  [[nodiscard]] virtual std::string torch_version() const = 0;

  [[nodiscard]] virtual std::vector<Member> architectures() const = 0;
  [[nodiscard]] virtual std::vector<Member> algorithms() const = 0;
  [[nodiscard]] virtual std::vector<Member> augmentations() const = 0;
  // Number of weights.
  [[nodiscard]] virtual std::size_t weights_of(const std::string& architecture, const InputShape& input,
                                               std::size_t classes) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Model> load(const ModelSource& source) const = 0;

  // For a tensor file of unknown architecture, its tensors and the architectures that fit them; else nothing.
  [[nodiscard]] virtual std::optional<WeightsFile> weights_of_unknown(const ModelSource& source) const = 0;

  // Trains on labelled images and writes the weights to `out` (safetensors) at the end. Until then, OUT.state
  // is replaced atomically after every epoch (see TrainOptions::text). A rerun with the same options and data
  // resumes from it and gives the bits of an uninterrupted run; other options start anew
  // (TrainResult::notes). An epoch's score is the validation accuracy (adversarial: under the attack) or that
  // of TrainOptions::selection. Error, before anything runs: unsuitable data.
  [[nodiscard]] virtual TrainResult train(const data::TrainingData& data, const TrainOptions& options,
                                          const std::filesystem::path& out,
                                          Progress* progress = nullptr) const = 0;

  // What the algorithm needs of the data; `given` as in TrainOptions. Errors: an unknown algorithm or parameter.
  [[nodiscard]] virtual Requirements requirements_of(
      const std::string& algorithm, const std::map<std::string, double>& given = {}) const = 0;
};

// For programs that link leeway::nn. The first call makes malloc keep up to 512 MB of freed memory.
[[nodiscard]] Session& session();

}  // namespace leeway::nn

// The same for programs that open the library: null where `abi` is not the library's abi_version.
extern "C" leeway::nn::Session* leeway_nn_session(int abi);

// The program leeway-model: runs what a model file holds for the library that started it. Returns an exit status.
extern "C" int leeway_nn_serve();
